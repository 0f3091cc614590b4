import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { runCheck } from '../../src/cli/doctor/finding.ts'
import { newDatabase, runSql } from '../postgres/database.ts'
import { productionFolder } from './production.ts'
import { runCommand } from './run-command.ts'
import { freePort } from '../free-port.ts'

const states = (checks: readonly Finding[]): Record<string, string> =>
  Object.fromEntries(checks.map(({ name, state }) => [name, state]))

describe('endwell doctor', { timeout: 120_000 }, () => {
  it('[HO31] finds nothing wrong with a host that can start, and changes nothing', async () => {
    const folder = productionFolder()
    const { url, drop } = await newDatabase('doctor')
    onTestFinished(drop)
    const port = await freePort()
    const env = {
      ENDWELL_SECRET: '0123456789abcdef',
      DATABASE_URL: url,
      ENDWELL_PRIVATE_HOST: '10.0.0.5',
    }
    const args = [
      'doctor',
      'agent.js',
      '--json',
      '--port',
      String(port),
      '--public-url',
      `http://localhost:${port}`,
    ]
    const { code, lines } = await runCommand(args, { cwd: folder, env })
    const { ok, checks } = lines[0] as unknown as { ok: boolean; checks: Finding[] }
    expect(states(checks)).toEqual({
      Node: 'ok',
      settings: 'ok',
      packages: 'ok',
      'agent file': 'ok',
      models: 'ok',
      port: 'ok',
      'public URL': 'ok',
      'data folder': 'ok',
      journal: 'ok',
      clock: 'ok',
    })
    expect([code, ok]).toEqual([0, true])
    expect(checks.find(({ name }) => name === 'journal')?.text).toMatch(
      /^Postgres \d+.* can be written to, and has no tables yet: the first start creates them$/,
    )
    expect(readdirSync(folder).toSorted()).toEqual(['agent.js', 'node_modules', 'package.json'])
    expect(await runSql(url, `select 1 from pg_namespace where nspname = 'endwell'`)).toEqual([])
  })

  it('[HO31] says in one line each what is wrong and what to do, and exits with 1', async () => {
    const folder = productionFolder({ 'agent.js': 'export default { name: "x" }', endwell: 'a file' })
    const taken = createServer((_, response) => void response.end('something else'))
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const args = ['doctor', 'agent.js', '--port', String(port), '--data', 'endwell/data']
    const { code, out, errors } = await runCommand(args, {
      cwd: folder,
      env: { DATABASE_URL: 'postgres://calls:hunter2@127.0.0.1:9/calls', ENDWELL_SECRET: 'short' },
    })
    expect(code).toBe(1)
    for (const line of [
      /^✗ settings +ENDWELL_SECRET in the environment must have 16 characters or more/m,
      /^✗ agent file +agent\.js must have a default export/m,
      /^– models +not checked: see agent file$/m,
      /^✗ port +cannot listen on port \d+ of 127\.0\.0\.1: it is in use\. Stop the program/m,
      /^✗ data folder +.*endwell cannot be written to \(ENOTDIR\): check who owns it, or choose another/m,
      /^✗ journal +.*postgres:\/\/calls@127\.0\.0\.1:9\/calls.*Start the database, or correct its address$/m,
    ])
      expect(out).toMatch(line)
    expect(out + errors).not.toMatch(/hunter2|\n {4}at /)
    expect(existsSync(join(folder, 'endwell-data'))).toBe(false)
  })

  it('[HO31] ends a check that takes too long', async () => {
    const finding = await runCheck('database', () => new Promise(() => {}), 1)
    expect(finding).toMatchObject({ name: 'database', state: 'wrong', text: 'no answer within 0.001 s' })
  })
})
