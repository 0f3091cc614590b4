// An agent with the tools of an MCP server, a separate process that starts and ends with the call.
//
//   npx tsx examples/providers/mcp.ts    needs no key, but `npm install @modelcontextprotocol/sdk zod`
//
// A server with a URL works as well: mcpTools({ url: 'https://…/mcp', headers: { authorization: `Bearer ${token}` } }).
import { fileURLToPath } from 'node:url'
import { Agent } from 'endwell'
import { mcpTools } from 'endwell/providers/mcp'
import { callTool, noLeaks, rehearse } from 'endwell/testing'

const server = fileURLToPath(new URL('mcp/calendar-server.ts', import.meta.url))
const desk = new Agent({
  name: 'desk',
  instructions: 'You answer the phone for Bright Dental.',
  toolsets: [mcpTools({ name: 'calendar', command: process.execPath, args: ['--import', 'tsx', server] })],
})

// A script stands in for the model. The server is real, so the rehearsal runs in real time.
const nothingLeft = noLeaks()
const call = await rehearse(desk, {
  clock: 'real',
  answers: [[callTool('find-slot', { day: 'Monday' })], 'Monday at ten. Shall I book it?'],
})
const turn = await call.run('Do you have time on Monday?')
turn.expect
  .toolCall('find-slot', { day: 'Monday' }, 'Monday at ten is free')
  .message('Shall I book it?')
  .nothingElse()

const { connections } = await call.endsWell()
nothingLeft()
console.log(turn.toString())
console.log(connections.find(({ name }) => name === 'calendar'))
