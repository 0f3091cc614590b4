import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sine } from '../../src/audio/index.ts'
import { TwilioCarrier, type TwilioPersonOptions } from '../../src/testing/servers/index.ts'
import { freePort } from '../free-port.ts'
import { productionFolder, startHost } from './production.ts'
import { runCommand } from './run-command.ts'
import { runProgram } from './run-program.ts'

const PERSON = '+4930123456'
const ANOTHER = '+4930654321'
const OURS = '+15550100'

/** An agent that says what it knows about the call, and hangs up. Its folder has the ids of the processes that serve it. */
const agent = `
import { appendFileSync } from 'node:fs'
appendFileSync('pids', process.argv[1] + ' ' + process.pid + '\\n')
import { Agent } from 'endwell'
import { ScriptedLlm, ScriptedTts } from 'endwell/testing'
export default {
  name: 'Caller',
  agent: ({ direction, to, parameters }) => new Agent({
    instructions: '',
    onEnter: ({ session }) => void session.hangUp({ say: direction + ' ' + to + ' ' + parameters.order }),
  }),
  models: () => ({ llm: new ScriptedLlm(), tts: new ScriptedTts({ msPerCharacter: 10 }) }),
}
`

/** An agent that leaves a message with a machine. */
const messenger = agent.replace(
  /onEnter: .*/,
  `onEnter: async ({ session }) => {
      const { by } = await session.answeredBy()
      if (by === 'machine') await session.leaveMessage('Please call us back.')
    },`,
)

async function calling(person: TwilioPersonOptions, more: readonly string[] = [], file = agent) {
  const carrier = await TwilioCarrier.listen()
  onTestFinished(() => carrier.close())
  const callee = carrier.person(PERSON, { answersAfter: 100, ...person })
  const port = await freePort()
  const folder = productionFolder({ 'agent.js': file })
  const url = `http://127.0.0.1:${port}`
  const args = ['call', PERSON, '--agent', 'agent.js', '--port', String(port), '--json', ...more]
  const env = {
    TWILIO_AUTH_TOKEN: carrier.authToken,
    TWILIO_ACCOUNT_SID: carrier.accountSid,
    TWILIO_API_URL: carrier.url,
    PUBLIC_URL: url,
  }
  return { carrier, callee, args, options: { cwd: folder, env, toOwnServers: true }, url }
}

async function called(person: TwilioPersonOptions, more?: readonly string[], file?: string) {
  const { carrier, callee, args, options } = await calling(person, more, file)
  return { carrier, callee, ...(await runCommand(args, options)) }
}

/** A host with two workers, and a carrier whose requests reach either. */
async function hostWith(person: TwilioPersonOptions) {
  const carrier = await TwilioCarrier.listen()
  onTestFinished(() => carrier.close())
  const callee = carrier.person(PERSON, { answersAfter: 100, ...person })
  const url = `http://127.0.0.1:${await freePort()}`
  const folder = productionFolder({ 'agent.js': agent })
  const env = {
    TWILIO_AUTH_TOKEN: carrier.authToken,
    TWILIO_ACCOUNT_SID: carrier.accountSid,
    TWILIO_API_URL: carrier.url,
    PUBLIC_URL: url,
    ENDWELL_SECRET: 'a secret with enough characters',
  }
  const args = ['--workers', '2', '--dial-rate', '100', '--port', new URL(url).port]
  const host = startHost(folder, args, env)
  await host.url()
  const own = { ENDWELL_SECRET: env.ENDWELL_SECRET }
  const asks = (to: string) => ['call', to, '--from', OURS, '--url', url, '--json']
  const call = (to: string, ...more: string[]) =>
    runProgram([...asks(to), ...more], { cwd: folder, env: own })
  const command = (given = own) => runCommand(asks(PERSON), { cwd: folder, env: given })
  return { carrier, callee, host, call, command, folder, url, secret: env.ENDWELL_SECRET }
}

describe('endwell call', () => {
  it('[DI1] calls a number, and the agent knows whom and why', async () => {
    const more = ['--from', OURS, '--parameter', 'order=17']
    const { carrier, callee, args, options } = await calling({}, more)
    const program = runProgram(args, options)
    const code = await program.ended()
    const { lines } = program
    expect(lines[0]).toMatchObject({ dial: { outcome: 'answered', id: callee.calls[0]!.sid } })
    expect(lines[1]).toMatchObject({
      report: { reason: 'agent-hung-up', transcript: [{ text: `outbound ${PERSON} 17` }] },
    })
    expect([code, carrier.live]).toEqual([0, []])
  })

  it('[MD3] [MD7] leaves a message with a machine that the carrier has found out', async () => {
    const greeting = sine(200, { sampleRate: 8_000, duration: 800 })
    const more = ['--from', OURS, '--machines', 'tell']
    const { carrier, code, lines } = await called({ machine: { greeting } }, more, messenger)
    expect(lines[0]).toMatchObject({ dial: { outcome: 'answered' } })
    expect(lines[1]).toMatchObject({
      report: {
        reason: 'agent-hung-up',
        answered: { by: 'machine' },
        messages: [{ heard: true, after: 'beep' }],
      },
    })
    expect([code, carrier.live]).toEqual([0, []])
  })

  it('[DI1] reports the call that it has made, not another one that came in meanwhile', async () => {
    const { carrier, callee, args, options, url } = await calling({ outcome: 'never' }, ['--from', OURS])
    const ended = runCommand(args, options)
    await carrier.until(() => callee.calls.length > 0)
    const other = carrier.call(`${url}/phone/answer`)
    await other.gone()
    callee.calls[0]!.answers()
    const { code, lines } = await ended
    expect(code).toBe(0)
    expect(lines.at(-1)).toMatchObject({ report: { id: callee.calls[0]!.sid } })
  })

  it('[DI1] fails if nobody answers, and says why', async () => {
    const { carrier, code, lines } = await called({ outcome: 'busy' }, ['--from', OURS])
    expect(lines).toMatchObject([{ dial: { outcome: 'busy' } }])
    expect([code, carrier.live]).toEqual([1, []])
  })

  it('[DI2] [DI4] [DI5] [DI6] has a running host call, once for each key, and reports the call, or says why there is none', async () => {
    const { carrier, callee, host, call, command } = await hostWith({})
    const programs = [1, 2, 3].map(() => call(PERSON, '--key', 'order 17', '--parameter', 'order=17'))
    const codes = await Promise.all(programs.map((program) => program.ended()))
    const [made] = callee.calls
    for (const { lines } of programs) {
      expect(lines[0]).toMatchObject({ dial: { key: 'order 17', outcome: 'answered', id: made!.sid } })
      expect(lines[1]).toMatchObject({
        report: { reason: 'agent-hung-up', transcript: [{ text: `outbound ${PERSON} 17` }] },
      })
    }
    expect([codes, callee.calls.length, carrier.live]).toEqual([[0, 0, 0], 1, []])

    const silent = carrier.person(ANOTHER, { outcome: 'never' })
    const interrupted = call(ANOTHER)
    await carrier.until(() => silent.calls[0]?.state === 'ringing')
    interrupted.signal('SIGINT')
    expect(await interrupted.ended()).toBe(1)
    expect(interrupted.lines).toMatchObject([{ dial: { outcome: 'cancelled' } }])
    expect(carrier.live).toEqual([])

    const stranger = await command({ ENDWELL_SECRET: 'another secret of some length' })
    expect(stranger).toMatchObject({ code: 1, lines: [{ error: { code: 'WRONG_SECRET' } }] })
    host.signal('SIGTERM')
    expect(await host.ended()).toBe(0)
    expect(await command()).toMatchObject({ code: 1, lines: [{ error: { code: 'HOST_UNREACHABLE' } }] })
    expect(callee.calls).toHaveLength(1)
  })

  it('[DI4] [DI5] a call whose worker is killed while it rings is ended when it is answered, and never dialled again', async () => {
    const { carrier, callee, host, folder, url, secret } = await hostWith({ outcome: 'never' })
    const headers = { authorization: `Bearer ${secret}`, connection: 'close' }
    const body = JSON.stringify({ to: PERSON, from: OURS, key: 'a' })
    const call = async () => await (await fetch(`${url}/api/calls`, { method: 'POST', headers, body })).json()
    expect(await call()).toEqual({ key: 'a' })
    await carrier.until(() => callee.calls[0]?.state === 'ringing')
    const workers = readFileSync(join(folder, 'pids'), 'utf8').matchAll(/call-worker\S* (\d+)/g)
    for (const [, pid] of workers) process.kill(Number(pid), 'SIGKILL')
    await host.prints(/a worker is replaced/)
    const [made] = callee.calls
    // The carrier asks until a worker is there again.
    made!.answers()
    await made!.gone()
    expect(carrier.live).toEqual([])
    const attempt = (await call()) as { outcome: string }
    expect(attempt).toMatchObject({ key: 'a', why: 'the process that called is gone' })
    expect(['unknown', 'cancelled']).toContain(attempt.outcome)
    expect(callee.calls).toHaveLength(1)
    host.signal('SIGTERM')
    await host.ended()
  })

  it('says what is missing', async () => {
    const { code, lines } = await called({})
    expect(lines).toMatchObject([
      { error: { code: 'BAD_OPTION', message: expect.stringContaining('--from') } },
    ])
    expect(code).toBe(1)
  })
})
