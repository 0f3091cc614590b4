// Answers a caller with a voice of Rime. The caller interrupts. Prints what the caller heard.
//
//   npx tsx examples/providers/rime.ts VOICE         needs RIME_API_KEY, and the name of a voice
//   npx tsx examples/providers/rime.ts --loopback    needs neither: uses a local stand-in server
import { Agent, Session } from 'endwell'
import { RimeTts } from 'endwell/providers/rime'
import { systemClock } from 'endwell/scope'
import { ScriptedLlm, TestLine } from 'endwell/testing'
import { LoopbackServer, RimeServer } from 'endwell/testing/servers'

const [voice = ''] = process.argv.slice(2)
const server =
  voice === '--loopback' ? await LoopbackServer.listen({ serve: new RimeServer().serve }) : undefined
const tts = new RimeTts({ voice, language: 'en', ...(server ? { url: server.url, apiKey: 'any' } : {}) })

const session = new Session({
  agent: new Agent({ name: 'guide', instructions: 'You give directions.' }),
  models: { llm: new ScriptedLlm(), tts },
  line: new TestLine(),
})
await session.start()
const speech = session.say('Take the second street on the left. Then walk on to the bridge.')
systemClock.after(2_000, 'the caller knows the way', () => speech.interrupt())
const { how, heard } = await speech.waitForPlayout()
console.log(`${how} after '${heard}'`)

const { clean } = await session.close()
console.log(`the session ${clean ? 'ended' : 'did not end'} well`)
await server?.close()
