import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { installedPackage } from '../compiled.ts'
import { runCommand } from './run-command.ts'

const files = {
  'package.json': '{"type":"module"}',
  'agent.js': `
    import { Agent } from 'endwell'
    import { ScriptedLlm, ScriptedTts } from 'endwell/testing'
    const onEnter = ({ session }) => void session.hangUp({ say: 'Hello and goodbye.' }).catch(() => {})
    export default {
      name: 'Desk',
      agent: () => new Agent({ name: 'desk', instructions: '', onEnter }),
      models: () => ({ llm: new ScriptedLlm({ answers: [] }), tts: new ScriptedTts() }),
    }`,
  // Silence, in real time, and nothing ends it but a kill.
  'recorder.cjs': `
    require('fs').writeFileSync('recorder.pid', String(process.pid))
    process.on('SIGTERM', () => {})
    process.stdout.on('error', () => {})
    setInterval(() => process.stdout.write(Buffer.alloc(640)), 20)`,
  'player.cjs': `
    const fs = require('fs')
    fs.writeFileSync('player.pid', String(process.pid))
    process.stdin.on('data', (bytes) => fs.appendFileSync('played.raw', bytes))
    setInterval(() => {}, 1e6)`,
}

/** A folder with an agent, and programs in the place of a microphone and a loudspeaker. */
function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-talk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(installedPackage(), join(folder, 'node_modules/endwell'), 'dir')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

describe('endwell talk', { timeout: 60_000 }, () => {
  it('[TM3] talks to an agent through programs that record and play, which end with the call', async () => {
    const folder = project()
    const [recorder, player] = ['recorder', 'player'].map((name) => `${process.execPath} ${name}.cjs`)
    const args = ['talk', 'agent.js', '--json', '--recorder', recorder!, '--player', player!]
    const { code, out, errors, lines } = await runCommand(args, { cwd: folder })
    expect(code, out + errors).toBe(0)
    expect(lines).toMatchObject([
      { type: 'begins', name: 'Desk' },
      { type: 'agent', agent: 'desk', text: 'Hello and goodbye.', how: 'played' },
      { type: 'report', report: { reason: 'agent-hung-up', clean: true } },
    ])
    expect(readFileSync(join(folder, 'played.raw')).length).toBeGreaterThan(16_000)
    for (const name of ['recorder', 'player']) {
      const pid = Number(readFileSync(join(folder, `${name}.pid`), 'utf8'))
      expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    }
  })

  it('[TM3] says what to do on a machine without programs for sound, before it loads the agent', async () => {
    const { code, lines } = await runCommand(['talk', 'missing.js', '--json'], { env: { PATH: '' } })
    expect(code).toBe(1)
    expect(lines).toMatchObject([{ error: { code: 'NO_MICROPHONE' } }])
  })
})
