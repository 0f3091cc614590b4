import { describe, expect, it } from 'vitest'
import type { SessionDetails, SessionSummary } from '../../src/host/index.ts'
import { runProgram } from './program.ts'
import { TypingPage } from './typing-page.ts'

const clinic = ['dev', 'examples/clinic/agent.ts', '--json', '--port', '0']

async function get<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T
}

/** Reads the events of a session until it says this. */
async function untilSaying(session: string, words: string): Promise<void> {
  let told = ''
  for await (const text of (await fetch(`${session}/events`)).body!.pipeThrough(new TextDecoderStream())) {
    told += text
    if (told.includes(words)) return
  }
  throw new Error(`the session ended without saying '${words}'`)
}

describe('endwell', () => {
  it('says what it can do', async () => {
    const program = runProgram('--help')
    expect(await program.ended()).toBe(0)
    expect(program.out).toContain('Usage: endwell <command>')
  })

  it('has help for each command, and refuses what it does not know', async () => {
    const [help, stray] = [runProgram('dev', '--help'), runProgram('devv')]
    expect(await help.ended()).toBe(0)
    expect(help.out).toContain('Usage: endwell dev [FILE] [options]')
    expect(await stray.ended()).toBe(2)
    expect(stray.errors).toContain("There is no command 'devv'")
  })
})

describe('endwell dev', { timeout: 60_000 }, () => {
  it('answers calls with the agent of a file, and ends well when it is told to', async () => {
    const program = runProgram(...clinic)
    const url = await program.url()
    const page = new TypingPage(url)
    await page.until(() => page.sound > 1_000)
    const { sessions } = await get<{ sessions: SessionSummary[] }>(`${url}/api/sessions`)
    const session = `${url}/api/sessions/${sessions[0]!.id}`
    page.type('when are you open')
    await untilSaying(session, 'We are open')
    const before = page.sound
    await page.until(() => page.sound > before + 500)
    // In the middle of a sentence.
    page.hangUp()
    await page.until(() => page.gone)
    expect(page.over).toBe('hung-up')
    // This stream ends with the session.
    await (await fetch(`${session}/events`)).text()
    const { report, summary } = await get<SessionDetails>(session)
    expect(summary).toMatchObject({ reason: 'caller-hung-up', state: 'closed', turns: 1 })
    expect(report!.transcript.map((item) => (item.type === 'message' ? item.role : item.type))).toEqual([
      'agent',
      'user',
      'agent',
    ])
    program.signal('SIGINT')
    expect(await program.ended()).toBe(0)
    expect(program.lines.at(-1)).toMatchObject({ ended: true, clean: true })
  })

  it('ends the calls that go on before it ends itself', async () => {
    const program = runProgram(...clinic)
    const page = new TypingPage(await program.url())
    await page.until(() => page.sound > 500)
    program.signal('SIGTERM')
    await page.until(() => page.gone)
    expect(page.over).toBe('ended')
    expect(await program.ended()).toBe(0)
  })

  it('says what is wrong with a file, or a port', async () => {
    const missing = runProgram('dev', 'nobody.ts', '--json')
    expect(await missing.ended()).toBe(1)
    expect(missing.lines).toMatchObject([{ error: { code: 'AGENT_FILE' } }])
    const first = runProgram(...clinic)
    const { port } = new URL(await first.url())
    const second = runProgram('dev', 'examples/clinic/agent.ts', '--json', '--port', port)
    expect(await second.ended()).toBe(1)
    expect(second.lines).toMatchObject([{ error: { code: 'PORT_IN_USE' } }])
    first.signal('SIGINT')
    await first.ended()
  })

  it('lets nobody in without the secret, once there is one', async () => {
    process.env['ENDWELL_SECRET'] = 'a secret of thirty characters!!'
    const program = runProgram(...clinic)
    delete process.env['ENDWELL_SECRET']
    const url = await program.url()
    expect((await fetch(`${url}/api/sessions`)).status).toBe(401)
    const authorization = 'Bearer a secret of thirty characters!!'
    expect((await fetch(`${url}/api/sessions`, { headers: { authorization } })).status).toBe(200)
    const page = new TypingPage(url)
    await page.until(() => page.gone)
    expect(page.call).toBe('')
    program.signal('SIGINT')
    expect(await program.ended()).toBe(0)
  })
})
