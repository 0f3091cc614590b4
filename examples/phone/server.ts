// Your own agent on your own phone number. Without a number, `npx endwell phone` calls it with a recording.
//
//   npm run build && npx tsx examples/phone/server.ts
//   npx endwell phone --url http://127.0.0.1:3000 test/fixtures/speech/in-slt-what-are-your-opening-hours.wav
//
// With a number: set TWILIO_AUTH_TOKEN and PUBLIC_URL. At Twilio, set the webhook for incoming calls to
// PUBLIC_URL/phone/answer, and the one for status changes to PUBLIC_URL/phone/status.
import { createServer } from 'node:http'
import { Agent, Scope, Session } from 'endwell'
import { TwilioCalls } from 'endwell/lines/twilio'
import { LocalStt, LocalTts, LocalVad, ScriptedDialogue, hasLocalRoom } from 'endwell/providers/local'

// #region shown
const dialogue = new ScriptedDialogue({
  intents: { hours: { says: ['what are your opening hours'], answer: 'From eight to six.' } },
})
const agent = new Agent({
  instructions: 'You answer the phone for Bright Dental.',
  onEnter: ({ session }) => session.say('Bright Dental, good morning!'),
})

// Owns all calls: closing it ends them.
const scope = new Scope('server')
const calls = new TwilioCalls({
  scope,
  // Without a token, only this machine may call.
  authToken: process.env['TWILIO_AUTH_TOKEN'] || undefined,
  publicUrl: process.env['PUBLIC_URL'] || undefined,
  // Tells a caller at once that the line is busy, if this machine cannot take another call.
  hasRoom: hasLocalRoom,
  onCall: async (line) => {
    const models = {
      llm: dialogue,
      tts: new LocalTts(),
      stt: new LocalStt({ phrases: dialogue.phrases }),
      vad: new LocalVad(),
    }
    const session = new Session({ id: line.id, agent, models, line })
    session.on('closed', ({ reason, clean, error }) =>
      console.log(reason, clean ? 'ended well' : 'did not end well', error ?? ''),
    )
    await session.start()
  },
})

const server = createServer((request, response) => {
  if (!calls.request(request, response)) response.writeHead(404).end()
})
server.on('upgrade', (request, socket, head) => calls.upgrade(request, socket, head))
// #endregion

server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') console.log(`http://127.0.0.1:${address.port}`)
})
process.once('SIGINT', () => {
  scope.close().then(
    () => server.close(),
    () => {},
  )
  server.closeIdleConnections()
})
