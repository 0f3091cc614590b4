// An agent whose LLM is a model of the Vercel AI SDK. It calls a tool.
//
//   npx tsx examples/providers/ai-sdk.ts gpt-5.4-mini     needs OPENAI_API_KEY, and `npm install @ai-sdk/openai`
//   npx tsx examples/providers/ai-sdk.ts --loopback     needs no key: uses a local stand-in server
//
// Any other model of the AI SDK works as well: anthropic('…'), google('…'), or a local server that speaks OpenAI's protocol.
import { createOpenAI } from '@ai-sdk/openai'
import { Agent, Session, tool } from 'endwell'
import { AiSdkLlm } from 'endwell/providers/ai-sdk'
import { ScriptedTts, TestLine } from 'endwell/testing'
import { ChatServer, LoopbackServer } from 'endwell/testing/servers'
import { z } from 'zod'

const [model = 'gpt-5.4-mini'] = process.argv.slice(2)
const chat = new ChatServer().answers(
  ['Let me look. ', { call: 'findSlot', id: 'call-1', input: '{"day":"Monday"}' }],
  ['Monday at ten is free.'],
)
const server = model === '--loopback' ? await LoopbackServer.listen({ http: chat.http }) : undefined
const openai = createOpenAI(server ? { baseURL: chat.urlAt(server), apiKey: 'any' } : {})

const line = new TestLine()
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
  models: { llm: new AiSdkLlm(openai.chat(model)), tts: new ScriptedTts() },
  line,
})
session.on('user', ({ text }) => console.log(`user: ${text}`))
session.on('tool-done', ({ name, outcome }) => console.log(`${name}: ${outcome.output}`))
session.on('spoken', ({ outcome }) => console.log(`desk: ${outcome.heard}`))
session.on('error', ({ where, error }) => {
  console.error(`${where} failed:`, error)
  process.exitCode = 1
})

await session.start()
line.caller.types('Is there a free appointment on Monday?')
// Lets the turn in flight finish, its tools and its answer included.
const { clean, usage } = await session.drain()
console.log(usage, clean ? 'ended well' : 'did not end well')
await server?.close()
