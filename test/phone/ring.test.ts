import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silence } from '../../src/audio/index.ts'
import { startDev, type DevOptions } from '../../src/cli/dev.ts'
import { expectedOf } from '../../src/cli/phone/expected.ts'
import { ring, type RingOptions, type RingSummary } from '../../src/cli/phone/ring.ts'
import type { Reception } from '../../src/host/index.ts'
import { Agent, tool, type Models } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedStt, ScriptedTts, callTool } from '../../src/testing/index.ts'
import { TerminalDouble } from '../cli/terminal-double.ts'

const secret = 'a secret of sixteen characters'
let folder = ''
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'endwell-ring-'))))
afterAll(() => rmSync(folder, { recursive: true }))

/** Understands the same whatever the caller says, once the greeting is over. */
const models = (): Models => ({
  llm: new ScriptedLlm({ answers: [[callTool('look')], 'Nine to six.'] }),
  stt: new ScriptedStt({
    endsTurns: true,
    script: [{ after: 900, final: 'when are you open' }, { endOfTurn: true }],
  }),
  tts: new ScriptedTts({ msPerCharacter: 30 }),
})

const desk = (): Agent =>
  new Agent({
    instructions: '',
    onEnter: ({ session }) => void session.say('Hello!'),
    tools: { look: tool({ description: 'Looks', run: () => 'from nine to six' }) },
  })

const serve = (options: Partial<DevOptions> = {}): Promise<Reception> =>
  startDev({
    file: { name: 'Desk', agent: desk, models },
    choice: { name: 'own', models },
    port: 0,
    ...options,
  })

async function call(
  { url }: Reception,
  expected: readonly string[],
  { json = false, env = {} }: Partial<Pick<RingOptions, 'json' | 'env'>> = {},
): Promise<{ summary: RingSummary; terminal: TerminalDouble }> {
  const terminal = new TerminalDouble()
  const summary = await ring({
    voice: [silence(200, 16_000)],
    url,
    out: join(folder, 'heard.wav'),
    json,
    quiet: 200,
    expected: expected.map(expectedOf),
    env,
  })
  return { summary, terminal }
}

describe('endwell phone', () => {
  it('[TM2] prints what was understood and said, with the latency, and whether what was expected was said', async () => {
    const running = await serve()
    const { summary, terminal } = await call(running, ['nine to six', '/open/'])
    expect(terminal.out).toMatch(
      /s {2}said: Hello!\n[^]*s {2}understood: when are you open\n[^]*s {2}look returned: from nine to six\n[^]*s {2}said: Nine to six\. {2}\(after \d+ ms\)\n/,
    )
    expect(terminal.out).toMatch(/\n✓ said: nine to six\n✗ not said: \/open\/\n$/)
    expect(summary).toMatchObject({ ok: false, answered: true, clean: true, reason: 'caller-hung-up' })
    await running.close()
  })

  it('[TM2] prints lines of JSON, the last of which is the summary', async () => {
    const running = await serve()
    const { summary, terminal } = await call(running, ['nine to six'], { json: true })
    expect(terminal.lines).toContainEqual({
      type: 'said',
      text: 'Nine to six.',
      how: 'played',
      latency: expect.any(Number),
      at: expect.any(Number),
    })
    expect(terminal.lines.at(-1)).toEqual({ ...summary, ok: true })
    await running.close()
  })

  it('[TM2] fails if the server does not tell what was said, and says what to do', async () => {
    const [authToken, publicUrl] = ['a token', 'https://phone.example.com']
    const running = await serve({ secret, phone: { authToken, publicUrl } })
    const env = { TWILIO_AUTH_TOKEN: authToken, PUBLIC_URL: publicUrl }
    const { summary, terminal } = await call(running, ['nine'], { env })
    expect(summary).toMatchObject({ ok: false, told: [], expected: [{ text: 'nine', said: false }] })
    expect(terminal.out).toMatch(/set ENDWELL_SECRET to its secret\.\n$/)
    await running.close()
  })
})
