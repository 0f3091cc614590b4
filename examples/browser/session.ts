// A session in a dozen lines: a realtime model answers the calls of the pages that use endwell/client.
//
//   npm run build && npx tsx examples/browser/session.ts    needs OPENAI_API_KEY
// #region shown
import { createServer } from 'node:http'
import { Agent, Scope, Session } from 'endwell'
import { WebSocketCalls } from 'endwell/lines/websocket'
import { OpenAIRealtime } from 'endwell/providers/openai'

const agent = new Agent({ instructions: 'You answer the phone for Bright Dental. Be brief.' })
const calls = new WebSocketCalls({
  scope: new Scope('calls'),
  onCall: (line) => new Session({ agent, line, models: { realtime: new OpenAIRealtime() } }).start(),
})
const server = createServer().listen(Number(process.env['PORT'] ?? 3000), 'localhost')
server.on('upgrade', (request, socket, head) => calls.upgrade(request, socket, head))
// #endregion
server.on('listening', () => console.log(server.address()))
