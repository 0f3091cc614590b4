import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadEnvFile } from './env-file.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endwell-env-'))
  vi.spyOn(process, 'cwd').mockReturnValue(folder)
})
afterEach(() => rmSync(folder, { recursive: true }))

async function loaded(text: string, environment: NodeJS.ProcessEnv = {}): Promise<NodeJS.ProcessEnv> {
  writeFileSync(join(folder, '.env'), text)
  await loadEnvFile(environment)
  return environment
}

describe('the file .env', () => {
  it('[HO45] is added to the environment, which wins, also with an empty variable', async () => {
    const text = '# A comment\nOPENAI_API_KEY="of the file"\nPORT=4601\nENDWELL_LOG=debug\n'
    expect(await loaded(text, { PORT: '4700', OPENAI_API_KEY: '' })).toEqual({
      PORT: '4700',
      OPENAI_API_KEY: '',
      ENDWELL_LOG: 'debug',
    })
  })

  it('[HO45] may be missing', async () => {
    const environment = {}
    await loadEnvFile(environment)
    expect(environment).toEqual({})
  })

  it('[HO45] is refused with a misspelt setting, and adds nothing then', async () => {
    const environment = {}
    await expect(loaded('ENDWELL_SECRT=x\nPORT=1', environment)).rejects.toThrow(
      "ENDWELL_SECRT in .env is not a setting. Did you mean 'ENDWELL_SECRET'?",
    )
    expect(environment).toEqual({})
  })
})
