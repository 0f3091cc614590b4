import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openJournal } from './open-journal.ts'
import { openDriver } from './sqlite/driver.ts'

vi.mock('pg', () => {
  throw new Error("Cannot find package 'pg'")
})
vi.mock('libsql', () => {
  throw new Error("Cannot find package 'libsql'")
})

it('a journal in Postgres names the package that is not installed', async () => {
  await expect(openJournal('postgres://localhost/calls')).rejects.toMatchObject({
    code: 'JOURNAL_DRIVER',
    message: expect.stringContaining('npm install pg') as string,
  })
})

it('a journal in SQLite names the package that is not installed, where Node has no SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-journal-'))
  await expect(openDriver(join(folder, 'endwell.db'), 'libsql')).rejects.toMatchObject({
    code: 'JOURNAL_DRIVER',
    message: expect.stringContaining('npm install libsql') as string,
  })
  rmSync(folder, { recursive: true })
})
