import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, Scope, Session, formatSession, tool } from 'endwell'
import { TwilioCalls } from 'endwell/lines/twilio'
import { ScriptedLlm, ScriptedTts, callTool, noLeaks } from 'endwell/testing'
import { TwilioCarrier } from 'endwell/testing/servers'

const nothingLeft = noLeaks()
const desk = '+4930123456'

// #region warm
const connect = tool({
  description: 'Connects the caller to a person at the front desk',
  run: (_, { transfer }) =>
    transfer({ to: desk, how: 'warm', say: 'I will see whether somebody is there. One moment, please.' }),
})
// #endregion

// #region hold
const findInvoice = tool({
  description: 'Finds the last invoice of the caller',
  timeout: 60_000,
  run: async (_, { hold }) => {
    hold({ say: 'I will look it up. Please hold the line.' })
    return await slowDatabase()
  },
})
// #endregion

const slowDatabase = (): Promise<string> => Promise.resolve('Invoice 17, over 80 euros')
const agent = new Agent({
  name: 'desk',
  instructions: 'You answer the phone for Bright Dental.',
  tools: { connect, findInvoice },
  onEnter: ({ session }) => session.say('Bright Dental. Press one for your invoice, two for a person.'),
})
// A real model understands what is said. This one knows the whole conversation, with both people, who press keys.
const llm = new ScriptedLlm({
  answers: [
    [callTool('findInvoice')],
    'It is number seventeen, over eighty euros.',
    [callTool('connect')],
    'I have a caller with a question about invoice seventeen. Press one to take the call.',
    ['Thank you. ', callTool('accept_call')],
  ],
})

// The phone company, and our server.
const carrier = await TwilioCarrier.listen()
const scope = new Scope('server')
const server = createServer((request, response) => {
  if (!calls.request(request, response)) response.writeHead(404).end()
})
server.on('upgrade', (request, socket, head) => calls.upgrade(request, socket, head))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const sessions: Session[] = []
const heard: (() => void)[] = []
const calls = new TwilioCalls({
  scope,
  authToken: carrier.authToken,
  accountSid: carrier.accountSid,
  api: carrier.url,
  publicUrl: url,
  onCall: (line) => {
    const models = { llm, tts: new ScriptedTts({ msPerCharacter: 10 }) }
    const turns = { dtmf: { as: 'text', count: 1 } } as const
    const session = new Session({ id: line.id, agent, models, line, turns })
    session.on('spoken', () => heard.shift()?.())
    sessions.push(session)
    return session.start()
  },
})

/** Waits until the caller has heard the next sentence. */
const sentence = (): Promise<void> => new Promise((resolve) => void heard.push(resolve))

const person = carrier.person(desk, { answersAfter: 200 })
const caller = carrier.call(`${url}/phone/answer`)
await sentence()
caller.press('1')
// "Please hold the line", and the answer.
await sentence()
await sentence()
caller.press('2')
await carrier.until(() => (person.calls[0]?.heardBytes ?? 0) > 0)
await person.calls[0]!.listens(300)
person.calls[0]!.press('1')
const report = await sessions[0]!.closed
console.log(formatSession(report, { transcript: true }))

// The two talk without us, until one of them hangs up.
caller.hangUp()
await carrier.until(() => carrier.live.length === 0)
await scope.close()
await carrier.close()
await new Promise((resolve) => server.close(resolve))
nothingLeft()
if (report.transfers?.[0]?.outcome !== 'answered') process.exitCode = 1
