import { describe, expect, it } from 'vitest'
import { pcm } from '../../src/audio/index.ts'
import { noSttEvents, type PartContext, type Tts } from '../../src/parts/index.ts'
import { AiSdkLlm } from '../../src/providers/ai-sdk/index.ts'
import { AssemblyAIStt } from '../../src/providers/assemblyai/index.ts'
import { CartesiaStt, CartesiaTts } from '../../src/providers/cartesia/index.ts'
import { DeepgramFluxStt, DeepgramStt, DeepgramTts } from '../../src/providers/deepgram/index.ts'
import { ElevenLabsStt, ElevenLabsTts } from '../../src/providers/elevenlabs/index.ts'
import { InworldTts } from '../../src/providers/inworld/index.ts'
import { RimeTts } from '../../src/providers/rime/index.ts'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import { OpenAILive, OpenAIRealtime, OpenAIStt } from '../../src/providers/openai/index.ts'
import { XaiRealtime } from '../../src/providers/xai/index.ts'
import { inVirtualTime, partContext } from '../../src/testing/index.ts'
import { RealtimeRecorder } from '../../src/testing/conformance/realtime-recorder.ts'

const apiKey = 'key'
const extra = { model: 'other', labels: { team: 'desk' } }
const inAddress = { labels: ['team', 'desk'] }
const setup = {
  hears: pcm(24_000),
  speaks: pcm(24_000),
  instructions: '',
  tools: [],
  messages: [],
  takesTurns: true,
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

type Open = (context: PartContext) => Promise<unknown>

function speaks(tts: Tts): Open {
  return async (context) => {
    const voice = await tts.open(context, { format: tts.speaks[0]! })
    for await (const _ of voice.speak(once('Hello.'), context.scope.signal));
  }
}

const providers: Record<string, Open> = {
  deepgram: (context) => new DeepgramStt({ apiKey, extra: inAddress }).open(context, noSttEvents),
  'deepgram flux': (context) => new DeepgramFluxStt({ apiKey, extra: inAddress }).open(context, noSttEvents),
  assemblyai: (context) => new AssemblyAIStt({ apiKey, extra: inAddress }).open(context, noSttEvents),
  'cartesia ink': (context) => new CartesiaStt({ apiKey, extra: inAddress }).open(context, noSttEvents),
  scribe: (context) => new ElevenLabsStt({ apiKey, extra: inAddress }).open(context, noSttEvents),
  'deepgram tts': (context) => new DeepgramTts({ apiKey, extra: inAddress }).open(context),
  elevenlabs: (context) => new ElevenLabsTts({ apiKey, voice: 'any', extra: inAddress }).open(context),
  'openai stt': (context) => new OpenAIStt({ apiKey, extra }).open(context, noSttEvents),
  'openai realtime': (context) =>
    new OpenAIRealtime({ apiKey, extra }).open(context, setup, new RealtimeRecorder()),
  'openai live': (context) => new OpenAILive({ apiKey, extra }).open(context, setup, new RealtimeRecorder()),
  'xai realtime': (context) =>
    new XaiRealtime({ apiKey, extra }).open(context, setup, new RealtimeRecorder()),
  gemini: (context) => new GeminiLive({ apiKey, extra }).open(context, setup, new RealtimeRecorder()),
  cartesia: speaks(new CartesiaTts({ apiKey, voice: 'any', extra })),
  inworld: speaks(new InworldTts({ apiKey, voice: 'any', extra })),
  rime: speaks(new RimeTts({ apiKey, voice: 'any', extra })),
}

describe('extra fields for a vendor', () => {
  it.each(Object.entries(providers))('[PT7] are sent by every provider: %s', (_, open) =>
    inVirtualTime(async (world) => {
      const sent: string[] = []
      world.network.serve = ({ url }) => {
        sent.push(url)
        return {
          opened: (peer) => {
            for (const ready of ['{"type":"session.created"}', '{"ready":{"protocol":1}}']) peer.send(ready)
          },
          message: (_peer, data) => void sent.push(String(data)),
        }
      }
      const context = partContext(world)
      open(context).catch(() => {})
      await world.clock.elapse(100)
      expect(sent.join('\n')).toMatch(/labels":\{"team":"desk"|labels=team&labels=desk/)
      await context.scope.close()
    }),
  )

  it('[PT7] are sent by every provider: ai-sdk', () =>
    inVirtualTime(async (world) => {
      const calls: unknown[] = []
      const model = {
        specificationVersion: 'v2',
        provider: 'test',
        modelId: 'test',
        supportedUrls: {},
        doGenerate: () => Promise.reject(new Error('not used')),
        doStream: (call: unknown) => {
          calls.push(call)
          return Promise.reject(new Error('not answered'))
        },
      }
      const context = partContext(world)
      const llm = new AiSdkLlm(model as never, { temperature: 1, extra: { temperature: 0.5, seed: 7 } })
      const client = await llm.open(context)
      const request = { instructions: '', messages: [], tools: [] }
      const answer = client.generate(request, new AbortController().signal)
      await expect(answer[Symbol.asyncIterator]().next()).rejects.toThrow()
      expect(calls).toMatchObject([{ temperature: 0.5, seed: 7 }])
      await context.scope.close()
    }))
})
