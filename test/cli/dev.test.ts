import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { decodeWav } from '../../src/audio/index.ts'
import type { SessionDetails, SessionSummary } from '../../src/host/index.ts'
import { compiled, installedPackage } from '../compiled.ts'
import { root } from '../house/tree.ts'
import { Program } from '../program.ts'
import { runCommand } from './run-command.ts'
import { runProgram } from './run-program.ts'
import { TypingPage } from './typing-page.ts'

const desk = ['dev', compiled('desk-agent'), '--json', '--port', '0']

async function get<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T
}

/** Reads the event stream of a session until it contains this text. */
async function untilEvents(session: string, pattern: RegExp): Promise<void> {
  let events = ''
  for await (const text of (await fetch(`${session}/events`)).body!.pipeThrough(new TextDecoderStream())) {
    events += text
    if (pattern.test(events)) return
  }
  throw new Error(`the session closed before an event with ${pattern}`)
}

describe('endwell', () => {
  it('lists its commands', async () => {
    const { code, out } = await runCommand(['--help'])
    expect(code).toBe(0)
    expect(out).toContain('Usage: endwell <command>')
  })

  it('has help for each command, and refuses unknown ones', async () => {
    const [help, unknown] = [await runCommand(['dev', '--help']), await runCommand(['devv'])]
    expect([help.code, unknown.code]).toEqual([0, 2])
    expect(help.out).toContain('Usage: endwell dev [FILE] [options]')
    expect(unknown.errors).toContain("Unknown command 'devv'")
  })
})

describe('endwell dev', () => {
  it('answers calls with the agent of a file, and closes cleanly on SIGINT', async () => {
    const program = runProgram(['dev', 'examples/clinic/agent.ts', '--json', '--port', '0'], {
      endwell: root,
    })
    const url = await program.url()
    const page = new TypingPage(url)
    await page.until(() => page.received > 1_000)
    const { sessions } = await get<{ sessions: SessionSummary[] }>(`${url}/api/sessions`)
    const session = `${url}/api/sessions/${sessions[0]!.id}`
    page.type('when are you open')
    // The caller has heard the beginning of the answer.
    await untilEvents(session, /"type":"latency"/)
    page.hangUp()
    await page.until(() => page.closed)
    expect(page.reason).toBe('hung-up')
    // The stream ends when the session has closed.
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

  it('[LN12] runs the program of the README, which says the time, and refuses calls beyond --max-calls as busy, on all lines together', async () => {
    const program = runProgram(['dev', compiled('clock-agent'), '--json', '--port', '0', '--max-calls', '1'])
    const url = await program.url()
    const page = new TypingPage(url)
    await page.until(() => page.received > 0)
    const second = new TypingPage(url)
    await second.until(() => second.closed)
    expect(second.reason).toBe('BUSY')
    const answer = await fetch(`${url}/phone/answer`, {
      method: 'POST',
      body: new URLSearchParams({ CallSid: 'CA1' }),
    })
    expect(await answer.text()).toContain('<Reject reason="busy"/>')

    const { sessions } = await get<{ sessions: SessionSummary[] }>(`${url}/api/sessions`)
    const session = `${url}/api/sessions/${sessions[0]!.id}`
    page.type('what time is it')
    await untilEvents(session, /"type":"spoken"[^{}]*"text":"It is /)
    page.type('goodbye')
    await page.until(() => page.closed)
    expect(page.reason).toBe('ended')
    await (await fetch(`${session}/events`)).text()
    const { report } = await get<SessionDetails>(session)
    expect(report).toMatchObject({ reason: 'agent-hung-up', clean: true })
    const said = report!.transcript.flatMap((item) => (item.type === 'message' ? [item.text] : []))
    expect(said).toContainEqual(expect.stringMatching(/^It is \d{1,2}:\d\d [AP]M\.$/))
    expect(said.at(-1)).toBe('Goodbye!')
    program.signal('SIGINT')
    expect(await program.ended()).toBe(0)
  })

  it('prints each call when it starts and ends, and its errors', async () => {
    const program = runProgram(['dev', compiled('broken-agent'), '--json', '--port', '0'])
    const url = await program.url()
    const call = async (): Promise<TypingPage> => {
      const page = new TypingPage(url)
      await page.until(() => page.closed)
      return page
    }
    expect((await call()).reason).toBe('ended')
    expect((await call()).reason).toBe('unanswered')
    program.signal('SIGINT')
    // A session that could not start did not end well.
    expect(await program.ended()).toBe(1)
    const [, began, ...lines] = program.lines
    const session = began!['session']
    const error = { name: 'Error', message: 'no voice is installed' }
    expect(began).toEqual({ session: expect.any(String), from: 'browser' })
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    expect(lines).toContainEqual({
      time,
      level: 'error',
      message: expect.any(String),
      call: session,
      where: 'start',
      error,
    })
    expect(lines).toContainEqual({
      session,
      reason: 'start-failed',
      url: expect.stringContaining('/#/sessions/'),
      clean: false,
      took: expect.any(Number),
      error,
    })
    expect(lines).toContainEqual({
      time,
      level: 'warn',
      message: 'a call could not be answered',
      call: expect.not.stringContaining(String(session)),
      error: { name: 'TypeError', message: 'nobody is at the desk' },
    })
  })

  it('asks the agent file for the options of each call, such as its recording', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'endwell-recordings-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const agent = compiled('recorded-agent')
    const program = runProgram(['dev', agent, '--json', '--port', '0'], { env: { RECORDINGS: folder } })
    const url = await program.url()
    for (const ms of [200, 400]) {
      const page = new TypingPage(url)
      await page.until(() => page.received > ms)
      page.hangUp()
      await page.until(() => page.closed)
    }
    program.signal('SIGINT')
    expect(await program.ended()).toBe(0)
    const calls = program.lines.flatMap(({ session, reason }) => (reason ? [`${String(session)}.wav`] : []))
    expect(calls).toHaveLength(2)
    expect(readdirSync(folder).toSorted()).toEqual(calls.toSorted())
    for (const name of calls) {
      const { channels, sampleRate } = decodeWav(readFileSync(join(folder, name)))
      expect(sampleRate).toBe(16_000)
      expect(channels[1]!.some((sample) => sample !== 0)).toBe(true)
    }
  })

  it('keeps its calls when the reader of its output exits', async () => {
    const program = runProgram(desk)
    const url = await program.url()
    program.closeOutput()
    for (let call = 0; call < 3; call++) {
      const page = new TypingPage(url)
      await page.until(() => page.received > 100)
      page.hangUp()
      await page.until(() => page.closed)
      expect(page.reason).toBe('hung-up')
    }
    program.signal('SIGINT')
    expect(await program.ended()).toBe(0)
  })

  it('exits when its parent process has exited', async () => {
    const parent = `
      import { Program } from './test/program.ts'
      const program = Program.command(${JSON.stringify(desk)}, {}, ${JSON.stringify(installedPackage())})
      await program.url()
      console.log(program.out)`
    const starter = new Program(['--import', 'tsx', '--input-type=module', '--eval', parent])
    const url = await starter.url()
    const events = await fetch(`${url}/api/events`)
    starter.signal('SIGKILL')
    // The stream ends when the program exits.
    await events.text().catch(() => '')
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  it('fails if the agent file does not exist, or if the port is in use', async () => {
    const missing = await runCommand(['dev', 'missing.ts', '--json', '--port', '0'])
    expect(missing.code).toBe(1)
    expect(missing.lines).toMatchObject([{ error: { code: 'AGENT_FILE' } }])
    const taken = createServer()
    onTestFinished(() => void taken.close())
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    const second = await runCommand(['dev', compiled('desk-agent'), '--json', '--port', String(port)])
    expect(second.code).toBe(1)
    expect(second.lines).toMatchObject([{ error: { code: 'PORT_IN_USE' } }])
  })

  it('[LN11] says at the start that other machines are refused without a secret, and closes current calls before it exits', async () => {
    const open = runProgram([...desk, '--host', '0.0.0.0'])
    const warning = JSON.parse(await open.prints(/^\{"warning".*\}$/m)) as { warning: string }
    expect(warning.warning).toMatch(/^listening on 0\.0\.0\.0 without ENDWELL_SECRET: .* are refused/)
    const url = `http://127.0.0.1:${new URL(await open.url()).port}`
    const relayed = await fetch(`${url}/api/sessions`, { headers: { 'x-forwarded-for': '203.0.113.5' } })
    expect(relayed.status).toBe(403)
    const phone = await fetch(`${url}/phone/answer`, {
      method: 'POST',
      body: new URLSearchParams({ CallSid: 'CA1' }),
      headers: { via: '1.1 proxy' },
    })
    expect(phone.status).toBe(403)
    const page = new TypingPage(url)
    await page.until(() => page.received > 500)
    open.signal('SIGTERM')
    await page.until(() => page.closed)
    expect(page.reason).toBe('ended')
    expect(await open.ended()).toBe(0)
  })

  it('refuses clients without the secret, if there is one', async () => {
    const program = runProgram(desk, { env: { ENDWELL_SECRET: 'a secret of thirty characters!!' } })
    const url = await program.url()
    expect((await fetch(`${url}/api/sessions`)).status).toBe(401)
    const authorization = 'Bearer a secret of thirty characters!!'
    expect((await fetch(`${url}/api/sessions`, { headers: { authorization } })).status).toBe(200)
    const page = new TypingPage(url)
    await page.until(() => page.closed)
    expect(page.call).toBe('')
    program.signal('SIGINT')
    expect(await program.ended()).toBe(0)
  })
})
