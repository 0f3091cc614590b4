// An agent on xAI's realtime model: it says its greeting word for word, calls a tool, and ends well.
//
//   npx tsx examples/providers/xai.ts               needs XAI_API_KEY
//   npx tsx examples/providers/xai.ts --loopback    needs no key: uses a local stand-in server
import { Agent, Session, tool } from 'endwell'
import { pcm } from 'endwell/audio'
import { XaiRealtime } from 'endwell/providers/xai'
import { TestLine, callTool } from 'endwell/testing'
import { LoopbackServer, XaiRealtimeServer } from 'endwell/testing/servers'
import { z } from 'zod'

const vendor = new XaiRealtimeServer({
  answers: [['Let me look. ', callTool('findSlot', { day: 'Monday' })], 'Monday at ten is free.'],
})
const [, , flag] = process.argv
const server = flag === '--loopback' ? await LoopbackServer.listen({ serve: vendor.serve }) : undefined
const realtime = new XaiRealtime(server ? { url: server.url, apiKey: 'any' } : { voice: 'ara' })

// At the other end of the line, a simulated caller types, and hears everything.
const line = new TestLine({ hears: pcm(24_000) })
const session = new Session({
  agent: new Agent({
    name: 'desk',
    instructions: 'You answer the phone for Bright Dental. Be brief.',
    tools: {
      findSlot: tool({
        description: 'Find a free appointment',
        input: z.object({ day: z.string() }),
        run: ({ day }) => `${day}, 10 o'clock`,
      }),
    },
  }),
  models: { realtime },
  line,
})
session.on('tool-done', ({ name, outcome }) => console.log(`${name}: ${outcome.output}`))
session.on('spoken', ({ outcome }) => console.log(`desk: ${outcome.heard}`))

await session.start()
await session.say('Bright Dental, good morning. This call is recorded.').waitForPlayout()
line.caller.types('Is there a free appointment on Monday?')
const { connections, usage, clean } = await session.drain()
console.log(connections.at(-1), usage, clean ? 'ended well' : 'did not end well')
await server?.close()
