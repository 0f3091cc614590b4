// Answers a caller whose turns AssemblyAI detects.
//
//   npx tsx examples/providers/assemblyai.ts call.wav      needs ASSEMBLYAI_API_KEY, and a recording
//   npx tsx examples/providers/assemblyai.ts --loopback    needs neither: uses a local stand-in server
import { readFileSync } from 'node:fs'
import { Agent, Session } from 'endwell'
import { Resampler, asSampleRate, decodeWav, type AudioFrame } from 'endwell/audio'
import { AssemblyAIStt } from 'endwell/providers/assemblyai'
import { ScriptedLlm, ScriptedTts, TestLine } from 'endwell/testing'
import { AssemblyAIServer, LoopbackServer } from 'endwell/testing/servers'

const [file] = process.argv.slice(2)
const loopback = file === '--loopback'
const server = loopback ? await LoopbackServer.listen({ serve: new AssemblyAIServer().serve }) : undefined
const stt = new AssemblyAIStt(server ? { url: server.url, apiKey: 'any' } : { languages: ['en'] })

// At the other end of the line, a simulated caller speaks. The STT says when it is the agent's turn.
const line = new TestLine()
const session = new Session({
  agent: new Agent({ name: 'clerk', instructions: 'You take bookings.' }),
  models: {
    stt,
    llm: new ScriptedLlm({ answers: () => 'Certainly. For how many nights?' }),
    tts: new ScriptedTts(),
  },
  turns: { mode: 'stt' },
  line,
})
session.on('hearing', ({ text }) => console.log(`… ${text}`))
const answered = new Promise((resolve) => session.on('spoken', resolve))
await session.start()
await line.caller.says(loopback ? 'I would like to book a room' : soundIn(file ?? 'call.wav'))
await answered

const { transcript, connections, clean } = await session.close()
for (const item of transcript) if (item.type === 'message') console.log(`${item.role}: ${item.text}`)
console.log(connections.at(-1), clean ? 'ended well' : 'did not end well')
await server?.close()

function soundIn(path: string): AudioFrame[] {
  const { channels, sampleRate } = decodeWav(readFileSync(path))
  const resampler = new Resampler({ from: asSampleRate(sampleRate), to: line.hears.sampleRate })
  return [{ samples: resampler.push(channels[0]!), sampleRate: line.hears.sampleRate }]
}
