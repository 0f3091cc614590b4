// Your own page, which calls your own agent. It needs no key.
//
//   npm run build && npx tsx examples/browser/server.ts    then open the address that it prints, and press Call
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { Agent, Scope, Session } from 'endwell'
import { WebSocketCalls } from 'endwell/lines/websocket'
import { LocalStt, LocalTts, LocalVad, ScriptedDialogue, hasLocalRoom } from 'endwell/providers/local'

// #region shown
const dialogue = new ScriptedDialogue({
  intents: { hours: { says: ['when are you open'], answer: 'From eight to six.' } },
})
const agent = new Agent({
  instructions: 'You answer the phone for Bright Dental.',
  onEnter: ({ session }) => session.say('Bright Dental, good morning!'),
})

// Owns all calls: closing it ends them.
const scope = new Scope('server')
const calls = new WebSocketCalls({
  scope,
  // Without a secret, only pages on this machine may call.
  secret: process.env['CALL_SECRET'] || undefined,
  // Tells a caller at once that the line is busy, if this machine cannot take another call.
  hasRoom: hasLocalRoom,
  onCall: async (line) => {
    const models = {
      llm: dialogue,
      tts: new LocalTts(),
      stt: new LocalStt({ phrases: dialogue.phrases }),
      vad: new LocalVad(),
    }
    const session = new Session({ agent, models, line })
    session.on('closed', ({ reason, clean, error }) =>
      console.log(reason, clean ? 'ended well' : 'did not end well', error ?? ''),
    )
    await session.start()
  },
})

// The client consists of plain modules, served here as they are in the package.
const client = new URL('../', import.meta.resolve('endwell/client'))
const server = createServer(({ url = '/' }, response) => {
  const [, module] = /^\/endwell\/((client\/(dom\/)?)?[\w-]+\.js)$/.exec(url) ?? []
  // Your server decides who may call: require a login here.
  if (url === '/token') response.end(process.env['CALL_SECRET'] ? calls.token() : '')
  else if (module) send(new URL(module, client), 'text/javascript')
  else send(new URL('page.html', import.meta.url), 'text/html')

  function send(file: URL, type: string): void {
    readFile(file).then(
      (body) => response.setHeader('content-type', type).end(body),
      () => response.writeHead(404).end(),
    )
  }
})
server.on('upgrade', (request, socket, head) => calls.upgrade(request, socket, head))
// #endregion

server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') console.log(`http://localhost:${address.port}`)
})
process.once('SIGINT', () => {
  scope.close().then(
    () => server.close(),
    () => {},
  )
  server.closeIdleConnections()
})
