// An agent on GPT-Live, which listens and speaks at the same time: the caller is answered, a tool is called by the model
// behind it, and the service confirms the end of the session.
//
//   npx tsx examples/openai-live.ts    needs nothing: without OPENAI_API_KEY it uses a local stand-in server
import { Agent, Session, tool } from 'endwell'
import { pcm } from 'endwell/audio'
import { OpenAILive } from 'endwell/providers/openai'
import { TestLine, callTool } from 'endwell/testing'
import { LoopbackServer, OpenAILiveServer } from 'endwell/testing/servers'
import { z } from 'zod'

const vendor = new OpenAILiveServer({
  answers: [['Let me look. ', callTool('findSlot', { day: 'Monday' })], 'Monday at ten is free.'],
})
const key = process.env['OPENAI_API_KEY']
const server = key ? undefined : await LoopbackServer.listen({ serve: vendor.serve })
const realtime = new OpenAILive(server ? { url: server.url, apiKey: 'any' } : { voice: 'cedar' })

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
line.caller.types('Is there a free appointment on Monday?')
const { connections, usage, clean } = await session.drain()
console.log(connections.at(-1), usage, clean ? 'ended well' : 'did not end well')
await server?.close()
