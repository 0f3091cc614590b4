import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../house/tree.ts'
import { runProgram } from './run-program.ts'

/** Where somebody else has projects, and has installed endwell. */
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'endwell-agents-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'endwell'), 'dir')
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
  import { ScriptedLlm } from 'endwell/testing'

  const agent: Agent = new Agent({ name: 'clock', instructions: 'Tell the time.' })
  export default { name: 'Clock', agent, models: () => ({ llm: new ScriptedLlm({}) }) } satisfies AgentFile`

const plain = `export default { name: 'Clock', agent: { name: 'clock' }, models: () => ({}) }`

const dev = (file: string) => runProgram(['dev', file, '--json', '--port', '0'])

describe('an agent’s file', { timeout: 60_000 }, () => {
  it.each([
    ['TypeScript in a module', 'module', 'agent.ts', typed],
    ['TypeScript by its ending', 'commonjs', 'agent.mts', typed],
    ['JavaScript', undefined, 'agent.js', plain],
    ['JavaScript by its ending', 'commonjs', 'agent.mjs', plain],
  ])('is read: %s', async (_, type, name, text) => {
    const program = dev(project(type, name, text))
    const { agent } = (await (await fetch(`${await program.url()}/api/info`)).json()) as { agent: string }
    expect(agent).toBe('clock')
    program.signal('SIGTERM')
    expect(await program.ended()).toBe(0)
  })

  it.each([
    [
      'CommonJS',
      'commonjs',
      'agent.ts',
      typed,
      /"type": "module" into package.json, or call it \S+agent\.mts$/,
    ],
    ['CommonJS by its ending', 'module', 'agent.cjs', plain, /"type": "module".*agent\.mjs$/],
    ['nothing', 'module', 'agent.js', '', /lacks name, agent, models$/],
    ['no agent', 'module', 'agent.js', plain.replace(/\{ name: 'clock' \}/, 'null'), /lacks agent$/],
    [
      'a mistake',
      'module',
      'agent.js',
      'throw new Error("no such clock")',
      /could not be loaded: no such clock/,
    ],
  ])('is refused with the reason: %s', async (_, type, name, text, reason) => {
    const program = dev(project(type, name, text))
    expect(await program.ended()).toBe(1)
    expect(program.lines).toEqual([{ error: { code: 'AGENT_FILE', message: expect.stringMatching(reason) } }])
  })
})
