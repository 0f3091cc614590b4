// The same call with four vendors whose speech-to-text decides itself when the caller has finished.
//
//   npx tsx examples/stt-turns.ts    needs no key: uses local stand-in servers
//
// With keys, leave out `url` and `apiKey`: the variables DEEPGRAM_API_KEY, ASSEMBLYAI_API_KEY, CARTESIA_API_KEY and
// ELEVENLABS_API_KEY are read.
import { Agent, Session } from 'endwell'
import type { Stt } from 'endwell/parts'
import { AssemblyAIStt } from 'endwell/providers/assemblyai'
import { CartesiaStt } from 'endwell/providers/cartesia'
import { DeepgramFluxStt } from 'endwell/providers/deepgram'
import { ElevenLabsStt } from 'endwell/providers/elevenlabs'
import { ScriptedLlm, ScriptedTts, TestLine } from 'endwell/testing'
import {
  AssemblyAIServer,
  CartesiaInkServer,
  DeepgramFluxServer,
  ElevenLabsScribeServer,
  LoopbackServer,
} from 'endwell/testing/servers'

const apiKey = 'any'
const vendors: readonly [server: { serve: LoopbackServer['serve'] }, stt: (url: string) => Stt][] = [
  [new DeepgramFluxServer(), (url) => new DeepgramFluxStt({ url, apiKey, eagerThreshold: 0.5 })],
  [new AssemblyAIServer(), (url) => new AssemblyAIStt({ url, apiKey })],
  [new CartesiaInkServer(), (url) => new CartesiaStt({ url, apiKey })],
  [new ElevenLabsScribeServer(), (url) => new ElevenLabsStt({ url, apiKey })],
]

for (const [vendor, stt] of vendors) {
  const server = await LoopbackServer.listen({ serve: vendor.serve })
  const line = new TestLine()
  const session = new Session({
    agent: new Agent({ name: 'clerk', instructions: 'You take bookings.' }),
    models: {
      stt: stt(server.url),
      llm: new ScriptedLlm({ answers: () => 'For how many nights?' }),
      tts: new ScriptedTts(),
    },
    // No VAD and no turn detector: the agent answers when the STT says so.
    turns: { mode: 'stt' },
    line,
  })
  const answered = new Promise((resolve) => session.on('spoken', resolve))
  await session.start()
  await line.caller.says('I would like to book a room')
  await answered
  const { transcript, connections } = await session.close()
  for (const item of transcript) if (item.type === 'message') console.log(`${item.role}: ${item.text}`)
  for (const { name, how } of connections) console.log(`${name}: ${how}`)
  await server.close()
}
