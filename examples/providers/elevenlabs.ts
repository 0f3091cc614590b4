// Says something with ElevenLabs, and saves what the caller heard as a WAV file.
//
//   npx tsx examples/providers/elevenlabs.ts VOICE hello.wav    needs ELEVENLABS_API_KEY, and the id of a voice
//   npx tsx examples/providers/elevenlabs.ts --loopback         needs neither: uses a local stand-in server
import { writeFileSync } from 'node:fs'
import { Agent, Session } from 'endwell'
import { concat, encodeWav } from 'endwell/audio'
import { systemClock } from 'endwell/scope'
import { ElevenLabsTts } from 'endwell/providers/elevenlabs'
import { ScriptedLlm, TestLine } from 'endwell/testing'
import { ElevenLabsServer, LoopbackServer } from 'endwell/testing/servers'

const [voice = '', file] = process.argv.slice(2)
const loopback = voice === '--loopback'
const server = loopback ? await LoopbackServer.listen({ serve: new ElevenLabsServer().serve }) : undefined
const tts = new ElevenLabsTts({ voice, ...(server ? { url: server.url, apiKey: 'any' } : {}) })

// At the other end of the line, a simulated caller hears everything.
const line = new TestLine()
const session = new Session({
  agent: new Agent({ name: 'herald', instructions: 'You read announcements aloud.' }),
  models: { llm: new ScriptedLlm(), tts },
  line,
})
await session.start()
const hello = session.say('Good morning. This call will end well.')
const farewell = session.say('And this sentence is cut off before its end.')
console.log(await hello.waitForPlayout())

// Interrupted after a second. The outcome has exactly the words that were heard.
systemClock.after(1_000, 'the caller has heard enough', () => farewell.interrupt())
console.log(await farewell.waitForPlayout())

const { clean } = await session.close()
const { samples } = concat(
  line.heard.map(({ frame }) => frame),
  line.speaks.sampleRate,
)
if (file !== undefined) writeFileSync(file, encodeWav([samples], line.speaks.sampleRate))
console.log(
  `${samples.length / line.speaks.sampleRate} s were heard; the session ${clean ? 'ended' : 'did not end'} well`,
)
await server?.close()
