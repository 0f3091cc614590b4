// Greets a caller and transcribes what the caller says, with Deepgram.
//
//   npx tsx examples/providers/deepgram.ts call.wav      needs DEEPGRAM_API_KEY, and a recording
//   npx tsx examples/providers/deepgram.ts --loopback    needs neither: uses a local stand-in server
import { readFileSync } from 'node:fs'
import { Agent, Session } from 'endwell'
import { Resampler, asSampleRate, decodeWav, type AudioFrame } from 'endwell/audio'
import { DeepgramStt, DeepgramTts } from 'endwell/providers/deepgram'
import { ScriptedLlm, ScriptedVad, TestLine } from 'endwell/testing'
import { DeepgramServer, DeepgramSpeakServer, LoopbackServer } from 'endwell/testing/servers'

const [file] = process.argv.slice(2)
const loopback = file === '--loopback'
const [ears, voice] = [new DeepgramServer(), new DeepgramSpeakServer()]
const serve: LoopbackServer['serve'] = (request) =>
  request.url.includes('/speak') ? voice.serve(request) : ears.serve(request)
const server = loopback ? await LoopbackServer.listen({ serve }) : undefined
const local = server ? { url: server.url, apiKey: 'any' } : {}
const stt = new DeepgramStt({ language: 'en', ...local })
const tts = new DeepgramTts({ model: 'aura-2-thalia-en', ...local })

// At the other end of the line, a simulated caller speaks; after its greeting the agent only listens.
const line = new TestLine()
const session = new Session({
  agent: new Agent({ name: 'clerk', instructions: 'You transcribe what is said.' }),
  models: { stt, vad: new ScriptedVad(), llm: new ScriptedLlm(), tts },
  turns: { mode: 'manual' },
  line,
})
session.on('hearing', ({ text }) => console.log(`… ${text}`))
await session.start()
console.log(await session.say('Good morning.').waitForPlayout())
await line.caller.says(loopback ? 'I would like to book a room' : soundIn(file ?? 'call.wav'))

// The close waits for words that are still being transcribed, so the report has the last words.
const { transcript, connections, clean } = await session.close()
for (const item of transcript) if (item.type === 'message') console.log(`${item.role}: ${item.text}`)
console.log(connections.at(-1), clean ? 'ended well' : 'did not end well')
await server?.close()

function soundIn(path: string): AudioFrame[] {
  const { channels, sampleRate } = decodeWav(readFileSync(path))
  const resampler = new Resampler({ from: asSampleRate(sampleRate), to: line.hears.sampleRate })
  return [{ samples: resampler.push(channels[0]!), sampleRate: line.hears.sampleRate }]
}
