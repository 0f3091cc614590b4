import { describe, expect, it, onTestFinished } from 'vitest'
import { sine } from '../../src/audio/index.ts'
import { TwilioCarrier, type TwilioPersonOptions } from '../../src/testing/servers/index.ts'
import { freePort } from '../free-port.ts'
import { productionFolder } from './production.ts'
import { runProgram } from './run-program.ts'

const PERSON = '+4930123456'
const OURS = '+15550100'

const dist = (path: string): string => JSON.stringify(new URL(`../../dist/${path}`, import.meta.url).href)

/** An agent that says what it knows about the call, and hangs up. */
const agent = `
import { Agent } from ${dist('index.js')}
import { ScriptedLlm, ScriptedTts } from ${dist('testing/index.js')}
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
  const program = runProgram(
    ['call', PERSON, '--agent', 'agent.js', '--port', String(port), '--json', ...more],
    {
      cwd: folder,
      env: {
        TWILIO_AUTH_TOKEN: carrier.authToken,
        TWILIO_ACCOUNT_SID: carrier.accountSid,
        TWILIO_API_URL: carrier.url,
        PUBLIC_URL: url,
      },
    },
  )
  return { carrier, callee, program, url }
}

async function called(person: TwilioPersonOptions, more?: readonly string[], file?: string) {
  const { carrier, callee, program } = await calling(person, more, file)
  const code = await program.ended()
  return { carrier, callee, code, lines: program.lines }
}

describe('endwell call', () => {
  it('[DI1] calls a number, and the agent knows whom and why', async () => {
    const { carrier, callee, code, lines } = await called({}, ['--from', OURS, '--parameter', 'order=17'])
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
    const { carrier, callee, program, url } = await calling({ outcome: 'never' }, ['--from', OURS])
    await carrier.until(() => callee.calls.length > 0)
    const other = carrier.call(`${url}/phone/answer`)
    await other.gone()
    callee.calls[0]!.answers()
    expect(await program.ended()).toBe(0)
    expect(program.lines.at(-1)).toMatchObject({ report: { id: callee.calls[0]!.sid } })
  })

  it('[DI1] fails if nobody answers, and says why', async () => {
    const { carrier, code, lines } = await called({ outcome: 'busy' }, ['--from', OURS])
    expect(lines).toMatchObject([{ dial: { outcome: 'busy' } }])
    expect([code, carrier.live]).toEqual([1, []])
  })

  it('says what is missing', async () => {
    const { code, lines } = await called({})
    expect(lines).toMatchObject([
      { error: { code: 'BAD_OPTION', message: expect.stringContaining('--from') } },
    ])
    expect(code).toBe(1)
  })
})
