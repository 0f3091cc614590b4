// Answers a caller with a voice of Inworld. The caller interrupts. Prints what the caller heard.
//
//   npx tsx examples/providers/inworld.ts VOICE         needs INWORLD_API_KEY, and the id of a voice
//   npx tsx examples/providers/inworld.ts --loopback    needs neither: uses a local stand-in server
import { Agent, Session } from 'endwell'
import { InworldTts } from 'endwell/providers/inworld'
import { systemClock } from 'endwell/scope'
import { ScriptedLlm, TestLine } from 'endwell/testing'
import { InworldServer, LoopbackServer } from 'endwell/testing/servers'

const [voice = ''] = process.argv.slice(2)
const server =
  voice === '--loopback' ? await LoopbackServer.listen({ serve: new InworldServer().serve }) : undefined
const tts = new InworldTts({ voice, ...(server ? { url: server.url, apiKey: 'any' } : {}) })

const session = new Session({
  agent: new Agent({ name: 'clock', instructions: 'You tell the time.' }),
  models: { llm: new ScriptedLlm(), tts },
  line: new TestLine(),
})
await session.start()
const speech = session.say('It is a quarter past nine. The next train leaves in ten minutes.')
systemClock.after(2_000, 'the caller has to run', () => speech.interrupt())
const { how, heard } = await speech.waitForPlayout()
console.log(`${how} after '${heard}'`)

const { clean } = await session.close()
console.log(`the session ${clean ? 'ended' : 'did not end'} well`)
await server?.close()
