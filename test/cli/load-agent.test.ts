import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { installedPackage } from '../compiled.ts'
import { runCommand } from './run-command.ts'

/** A folder for projects that have endwell installed. */
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'endwell-agents-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(installedPackage(), join(folder, 'node_modules', 'endwell'), 'dir')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const project = (type: string | undefined, name: string, text: string): string => {
  const own = mkdtempSync(join(folder, 'project-'))
  writeFileSync(join(own, 'package.json'), JSON.stringify(type === undefined ? {} : { type }))
  writeFileSync(join(own, name), text)
  return join(own, name)
}

const typed = `
  import { Agent } from 'endwell'
  import type { AgentFile } from 'endwell/host'
  import { ScriptedLlm, ScriptedTts } from 'endwell/testing'

  const agent: Agent = new Agent({ name: 'clock', instructions: 'Tell the time.' })
  export default { name: 'Clock', agent, models: () => ({ llm: new ScriptedLlm({}), tts: new ScriptedTts() }) } satisfies AgentFile`

const plain = `
  import { Agent } from 'endwell'
  import { ScriptedLlm, ScriptedTts } from 'endwell/testing'
  const agent = new Agent({ name: 'clock', instructions: '' })
  export default { name: 'Clock', agent, models: () => ({ llm: new ScriptedLlm({}), tts: new ScriptedTts() }) }`

const dev = (file: string): string[] => ['dev', file, '--json', '--port', '0']

describe('an agent file', () => {
  it.each([
    ['TypeScript in an ES module package', 'module', 'agent.ts', typed],
    ['TypeScript with the extension .mts', 'commonjs', 'agent.mts', typed],
    ['JavaScript', undefined, 'agent.js', plain],
    ['JavaScript with the extension .mjs', 'commonjs', 'agent.mjs', plain],
  ])('can be %s', async (_, type, name, text) => {
    const file = project(type, name, text)
    const { lines } = await runCommand(['doctor', file, '--json', '--port', '0'], { cwd: dirname(file) })
    const { checks } = lines[0] as unknown as { checks: readonly Finding[] }
    expect(checks).toContainEqual({ name: 'agent file', state: 'ok', text: `${file} is Clock` })
  })

  it.each([
    [
      'CommonJS',
      'commonjs',
      'agent.ts',
      typed,
      /"type": "module" to package.json, or rename it to \S+agent\.mts$/,
    ],
    ['CommonJS with the extension .cjs', 'module', 'agent.cjs', plain, /"type": "module".*agent\.mjs$/],
    ['an empty file', 'module', 'agent.js', '', /missing: name, agent, models$/],
    [
      'without an agent',
      'module',
      'agent.js',
      plain.replace('agent, models', 'agent: null, models'),
      /missing: agent$/,
    ],
    [
      'with a bad name in afterCall',
      'module',
      'agent.js',
      plain.replace('agent, models', "agent, afterCall: { 'save it': () => {} }, models"),
      /cannot be used: afterCall: the name 'save it' must be 1 to 64 letters/,
    ],
    [
      'a module that throws',
      'module',
      'agent.js',
      'throw new Error("no such clock")',
      /could not be loaded: no such clock/,
    ],
  ])('is refused with the reason if it is %s', async (_, type, name, text, reason) => {
    const { code, lines } = await runCommand(dev(project(type, name, text)))
    expect(code).toBe(1)
    expect(lines).toEqual([{ error: { code: 'AGENT_FILE', message: expect.stringMatching(reason) } }])
  })
})
