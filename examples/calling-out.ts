import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, Scope, Session, formatSession } from 'endwell'
import { TwilioCalls } from 'endwell/lines/twilio'
import { ScriptedLlm, ScriptedTts, noLeaks } from 'endwell/testing'
import { TwilioCarrier } from 'endwell/testing/servers'

const nothingLeft = noLeaks()
const person = '+4930123456'
const menu = '+4930999999'
const ours = '+15550100'

const agent = new Agent({
  name: 'caller',
  instructions: 'You call about an order.',
  onEnter: async ({ session, close }) => {
    await session.say('This is Bright Dental, about your order.').waitForPlayout()
    await session.press('1w2')
    await close({ reason: 'agent-hung-up' })
  },
})

// The phone company, and our server.
const carrier = await TwilioCarrier.listen()
const scope = new Scope('server')
const server = createServer((request, response) => {
  if (!calls.request(request, response)) response.writeHead(404).end()
})
server.on('upgrade', (request, socket, head) => calls.upgrade(request, socket, head))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const sessions: Session[] = []
const calls = new TwilioCalls({
  scope,
  authToken: carrier.authToken,
  accountSid: carrier.accountSid,
  api: carrier.url,
  publicUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  onCall: (line) => {
    const models = { llm: new ScriptedLlm(), tts: new ScriptedTts({ msPerCharacter: 10 }) }
    // The hook is the whole conversation.
    const session = new Session({ id: line.id, agent, models, line, hookTimeout: 20_000 })
    sessions.push(session)
    return session.start()
  },
})

// Nobody is at home.
carrier.person(person, { outcome: 'busy', answersAfter: 100 })
// #region dial
const attempt = calls.dial({ to: person, from: ours, key: 'order 17', parameters: { order: '17' } })
const { outcome } = await attempt.report
// #endregion
console.log(`${person}: ${outcome}`)

const answers = carrier.person(menu, { answersAfter: 100 })
// #region keys
const second = calls.dial({ to: menu, from: ours, keys: 'carrier' })
// #endregion
console.log(`${menu}: ${(await second.report).outcome}`)
await carrier.until(() => answers.calls[0]?.over === true)
const report = await sessions[0]!.closed
const keys = answers.calls[0]!.events.find(({ type }) => type === 'hears-keys')
console.log(formatSession(report, { transcript: true }))
console.log('the menu has heard', keys)

await scope.close()
await carrier.close()
await new Promise((resolve) => server.close(resolve))
nothingLeft()
if (outcome !== 'busy' || !report.clean || !keys) process.exitCode = 1
