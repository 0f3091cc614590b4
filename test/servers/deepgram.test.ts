import { DeepgramClient, type Deepgram } from '@deepgram/sdk'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { bytesFromSamples, silence } from '../../src/audio/index.ts'
import { soundOf } from '../../src/testing/index.ts'
import type {
  DeepgramControl,
  DeepgramMetadata,
  DeepgramResults,
  DeepgramSpeechStarted,
  DeepgramUtteranceEnd,
} from '../../src/testing/servers/deepgram-events.ts'
import { DeepgramServer, LoopbackServer } from '../../src/testing/servers/index.ts'

type Socket = Awaited<ReturnType<DeepgramClient['listen']['v1']['connect']>>
type Message = Parameters<NonNullable<Parameters<Socket['on']>[1]>>[0]

const KEY = 'secret'

describe("Deepgram's SDK", () => {
  it('completes a session with our server', async () => {
    const deepgram = new DeepgramServer({ key: KEY })
    await using server = await LoopbackServer.listen({ serve: deepgram.serve })
    const client = new DeepgramClient({ apiKey: KEY, baseUrl: server.url })
    const socket = await client.listen.v1.connect({
      Authorization: `Token ${KEY}`,
      model: 'nova-3',
      encoding: 'linear16',
      sample_rate: 16_000,
      interim_results: 'true',
      vad_events: 'true',
      utterance_end_ms: 1_000,
      reconnectAttempts: 0,
    })
    const messages: Message[] = []
    const closed = new Promise<number>((resolve) => socket.on('close', ({ code }) => resolve(code)))
    socket.on('message', (message) => messages.push(message))
    socket.on('error', () => {})
    socket.connect()
    await socket.waitForOpen()
    const media = (samples: Int16Array): void => socket.sendMedia(bytesFromSamples(samples))
    media(soundOf('Good ', 16_000, 50).samples)
    media(soundOf('morning.', 16_000, 50).samples)
    socket.sendKeepAlive({ type: 'KeepAlive' })
    media(silence(1_200, 16_000).samples)
    media(soundOf('Bye', 16_000, 50).samples)
    socket.sendFinalize({ type: 'Finalize' })
    socket.sendCloseStream({ type: 'CloseStream' })
    expect(await closed).toBe(1000)
    socket.close()

    const finals = messages.flatMap((message) =>
      isResults(message) && message.is_final ? [message.channel.alternatives[0]?.transcript] : [],
    )
    expect(finals).toEqual(['Good morning.', 'Bye', ''])
    expect(messages.map((message) => typeOf(message))).toEqual([
      'SpeechStarted',
      'Results',
      'Results',
      'Results',
      'UtteranceEnd',
      'SpeechStarted',
      'Results',
      'Results',
      'Results',
      'Metadata',
    ])
    expect(deepgram.sessions[0]?.controls).toEqual(['KeepAlive', 'Finalize', 'CloseStream'])
    await server.whenIdle()
  })

  it('has types that match every message of our server', () => {
    expectTypeOf<DeepgramResults>().toExtend<Deepgram.listen.ListenV1Results>()
    expectTypeOf<DeepgramMetadata>().toExtend<Deepgram.listen.ListenV1Metadata>()
    expectTypeOf<DeepgramUtteranceEnd>().toExtend<Deepgram.listen.ListenV1UtteranceEnd>()
    expectTypeOf<DeepgramSpeechStarted>().toExtend<Deepgram.listen.ListenV1SpeechStarted>()
  })

  it('has types that match every message our server reads', () => {
    expectTypeOf<DeepgramControl>().toExtend<
      | Deepgram.listen.ListenV1Finalize
      | Deepgram.listen.ListenV1CloseStream
      | Deepgram.listen.ListenV1KeepAlive
    >()
  })
})

function typeOf(message: unknown): unknown {
  return (message as { readonly type?: unknown }).type
}

function isResults(message: unknown): message is Deepgram.listen.ListenV1Results {
  return typeOf(message) === 'Results'
}
