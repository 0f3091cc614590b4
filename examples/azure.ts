// A call on Azure OpenAI, with tokens of Entra ID. Each connection gets a new token, because tokens expire during a call.
//
//   npx tsx examples/azure.ts    needs nothing: uses a local stand-in server, and tokens of its own
//
// With a resource on Azure, set AZURE_OPENAI_ENDPOINT (https://NAME.openai.azure.com) and AZURE_OPENAI_DEPLOYMENT, leave out
// `url`, and get the tokens from `@azure/identity`:
//
//   const token = getBearerTokenProvider(new DefaultAzureCredential(), 'https://ai.azure.com/.default')
//   const realtime = new OpenAIRealtime({ auth: 'entra-id', apiKey: token, model: process.env['AZURE_OPENAI_DEPLOYMENT']! })
import { Agent, Session } from 'endwell'
import { pcm } from 'endwell/audio'
import { OpenAIRealtime } from 'endwell/providers/openai'
import { TestLine } from 'endwell/testing'
import { LoopbackServer, OpenAIRealtimeServer } from 'endwell/testing/servers'

const vendor = new OpenAIRealtimeServer({ answers: ['Good morning.', 'Are you still there?'] })
const server = await LoopbackServer.listen({ serve: vendor.serve })

let tokens = 0
const token = async (): Promise<string> => `token-${++tokens}`
const realtime = new OpenAIRealtime({
  url: `${server.url}/openai/v1`,
  auth: 'entra-id',
  apiKey: token,
  model: 'voice',
})

const line = new TestLine({ hears: pcm(24_000) })
const agent = new Agent({ name: 'desk', instructions: 'You answer the phone for Bright Dental. Be brief.' })
const session = new Session({ agent, models: { realtime }, line })
session.on('spoken', ({ outcome }) => console.log(`desk: ${outcome.heard}`))
await session.start()
await session.reply().waitForPlayout()

// The connection breaks. The conversation goes on over another one, with another token.
vendor.drop()
await server.until(() => vendor.open.length === 1)
await session.reply().waitForPlayout()

const { connections, clean } = await session.close()
for (const { url, headers } of vendor.dials) console.log(new URL(url).search, headers?.['authorization'])
console.log(connections.at(-1), clean ? 'ended well' : 'did not end well')
await server.close()
