import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { decodeWav } from '../../src/audio/index.ts'
import type { SessionDetails, SessionSummary } from '../../src/host/index.ts'
import { Program } from '../program.ts'
import { runProgram } from './run-program.ts'
import { TypingPage } from './typing-page.ts'

const clinic = ['dev', 'examples/clinic/agent.ts', '--json', '--port', '0']

async function get<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T
}

/** Reads the events of a session until it says this. */
async function untilSaying(session: string, words: RegExp): Promise<void> {
  let told = ''
  for await (const text of (await fetch(`${session}/events`)).body!.pipeThrough(new TextDecoderStream())) {
    told += text
    if (words.test(told)) return
  }
  throw new Error(`the session ended without saying ${words}`)
}

describe('endwell', () => {
  it('says what it can do', async () => {
    const program = runProgram(['--help'])
    expect(await program.ended()).toBe(0)
    expect(program.out).toContain('Usage: endwell <command>')
  })

  it('has help for each command, and refuses what it does not know', async () => {
    const [help, stray] = [runProgram(['dev', '--help']), runProgram(['devv'])]
    expect(await help.ended()).toBe(0)
    expect(help.out).toContain('Usage: endwell dev [FILE] [options]')
    expect(await stray.ended()).toBe(2)
    expect(stray.errors).toContain("There is no command 'devv'")
  })
})

describe('endwell dev', { timeout: 60_000 }, () => {
  it('answers calls with the agent of a file, and ends well when it is told to', async () => {
    const program = runProgram(clinic)
    const url = await program.url()
    const page = new TypingPage(url)
    await page.until(() => page.sound > 1_000)
    const { sessions } = await get<{ sessions: SessionSummary[] }>(`${url}/api/sessions`)
    const session = `${url}/api/sessions/${sessions[0]!.id}`
    page.type('when are you open')
    await untilSaying(session, /We are open/)
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

  it('runs the program of the README: it tells the time, and hangs up when it is told goodbye', async () => {
    const program = runProgram(['dev', 'examples/clock.ts', '--json', '--port', '0'])
    const url = await program.url()
    const page = new TypingPage(url)
    await page.until(() => page.sound > 0)
    const { sessions } = await get<{ sessions: SessionSummary[] }>(`${url}/api/sessions`)
    const session = `${url}/api/sessions/${sessions[0]!.id}`
    page.type('what time is it')
    await untilSaying(session, /"type":"spoken"[^{}]*"text":"It is /)
    page.type('goodbye')
    await page.until(() => page.gone)
    expect(page.over).toBe('ended')
    await (await fetch(`${session}/events`)).text()
    const { report } = await get<SessionDetails>(session)
    expect(report).toMatchObject({ reason: 'agent-hung-up', clean: true })
    const said = report!.transcript.flatMap((item) => (item.type === 'message' ? [item.text] : []))
    expect(said).toContainEqual(expect.stringMatching(/^It is \d{1,2}:\d\d [AP]M\.$/))
    expect(said.at(-1)).toBe('Goodbye!')
    program.signal('SIGINT')
    expect(await program.ended()).toBe(0)
  })

  it('ends the calls that go on before it ends itself', async () => {
    const program = runProgram(clinic)
    const page = new TypingPage(await program.url())
    await page.until(() => page.sound > 500)
    program.signal('SIGTERM')
    await page.until(() => page.gone)
    expect(page.over).toBe('ended')
    expect(await program.ended()).toBe(0)
  })

  it('tells of each call as it comes and ends, and of what fails in it', async () => {
    const program = runProgram(['dev', 'test/fixtures/agents/broken.ts', '--json', '--port', '0'])
    const url = await program.url()
    const call = async (): Promise<TypingPage> => {
      const page = new TypingPage(url)
      await page.until(() => page.gone)
      return page
    }
    expect((await call()).over).toBe('ended')
    expect((await call()).over).toBe('unanswered')
    program.signal('SIGINT')
    expect(await program.ended()).toBe(0)
    const [, began, ...lines] = program.lines
    const session = began!['session']
    const error = { name: 'Error', message: 'no voice is installed' }
    expect(began).toEqual({ session: expect.any(String), from: 'browser' })
    expect(lines).toContainEqual({
      level: 'error',
      message: expect.any(String),
      session,
      where: 'start',
      error,
    })
    expect(lines).toContainEqual({
      session,
      reason: 'start-failed',
      clean: false,
      took: expect.any(Number),
      error,
    })
    expect(lines).toContainEqual({
      level: 'warn',
      message: 'a call could not be answered',
      call: expect.not.stringContaining(String(session)),
      error: { name: 'TypeError', message: 'nobody is at the desk' },
    })
  })

  it('asks the agent’s file what belongs to one call alone: its recording', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'endwell-recordings-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const agent = 'test/fixtures/agents/recorded.ts'
    const program = runProgram(['dev', agent, '--json', '--port', '0'], { env: { RECORDINGS: folder } })
    const url = await program.url()
    for (const ms of [200, 400]) {
      const page = new TypingPage(url)
      await page.until(() => page.sound > ms)
      page.hangUp()
      await page.until(() => page.gone)
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

  it('keeps its calls when nobody reads any more what it says', async () => {
    const program = runProgram(clinic)
    const url = await program.url()
    program.closeOutput()
    for (let call = 0; call < 3; call++) {
      const page = new TypingPage(url)
      await page.until(() => page.sound > 100)
      page.hangUp()
      await page.until(() => page.gone)
      expect(page.over).toBe('hung-up')
    }
    program.signal('SIGINT')
    expect(await program.ended()).toBe(0)
  })

  it('ends when whoever started it is gone', async () => {
    const parent = `
      import { Program } from './test/program.ts'
      const program = Program.command(${JSON.stringify(clinic)})
      await program.url()
      console.log(program.out)`
    const starter = new Program(['--import', 'tsx', '--input-type=module', '--eval', parent])
    const url = await starter.url()
    const events = await fetch(`${url}/api/events`)
    starter.signal('SIGKILL')
    // The stream ends with the program.
    await events.text().catch(() => '')
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  it('says what is wrong with a file, or a port', async () => {
    const missing = runProgram(['dev', 'nobody.ts', '--json'])
    expect(await missing.ended()).toBe(1)
    expect(missing.lines).toMatchObject([{ error: { code: 'AGENT_FILE' } }])
    const first = runProgram(clinic)
    const { port } = new URL(await first.url())
    const second = runProgram(['dev', 'examples/clinic/agent.ts', '--json', '--port', port])
    expect(await second.ended()).toBe(1)
    expect(second.lines).toMatchObject([{ error: { code: 'PORT_IN_USE' } }])
    first.signal('SIGINT')
    await first.ended()
  })

  it('lets nobody in without the secret, once there is one', async () => {
    const program = runProgram(clinic, { env: { ENDWELL_SECRET: 'a secret of thirty characters!!' } })
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
