import { AudioFormat, CommitStrategy, ElevenLabsClient, RealtimeEvents } from '@elevenlabs/elevenlabs-js'
import type {
  InputAudioChunk,
  ServerErrorMessage,
  WebSocketMessage,
} from '@elevenlabs/elevenlabs-js/wrapper/realtime/connection.js'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { bytesFromSamples, silence } from '../../src/audio/index.ts'
import type { AudioMessage, ScribeMessage } from '../../src/providers/elevenlabs/stt/scribe-messages.ts'
import { soundOf } from '../../src/testing/index.ts'
import type {
  ScribeAudio,
  ScribeErrorType,
  ScribeTimedTranscript,
} from '../../src/testing/servers/elevenlabs-scribe-events.ts'
import { ElevenLabsScribeServer, LoopbackServer } from '../../src/testing/servers/index.ts'

const KEY = 'secret'
const RATE = 16_000
const speech = (text: string): string =>
  Buffer.from(bytesFromSamples(soundOf(text, RATE, 50).samples)).toString('base64')
const pause = (ms: number): string =>
  Buffer.from(bytesFromSamples(silence(ms, RATE).samples)).toString('base64')

describe("ElevenLabs' SDK", () => {
  it('completes a session with our Scribe server', async () => {
    const scribe = new ElevenLabsScribeServer({ key: KEY })
    await using server = await LoopbackServer.listen({ serve: scribe.serve })
    const client = new ElevenLabsClient({ apiKey: KEY, baseUrl: server.url.replace('ws', 'http') })
    const connection = await client.speechToText.realtime.connect({
      modelId: 'scribe_v2_realtime',
      audioFormat: AudioFormat.PCM_16000,
      sampleRate: RATE,
      commitStrategy: CommitStrategy.VAD,
      includeTimestamps: true,
      keyterms: ['endwell'],
    })
    const log: string[] = []
    const when = (event: RealtimeEvents): Promise<void> =>
      new Promise((resolve) => connection.on(event, () => resolve()))
    const [started, throttled, closed] = [
      when(RealtimeEvents.SESSION_STARTED),
      when(RealtimeEvents.COMMIT_THROTTLED),
      when(RealtimeEvents.CLOSE),
    ]
    connection.on(RealtimeEvents.ERROR, () => {})
    connection.on(RealtimeEvents.PARTIAL_TRANSCRIPT, ({ text }) => log.push(`partial ${text}`))
    connection.on(RealtimeEvents.COMMITTED_TRANSCRIPT, ({ text }) => log.push(`committed ${text}`))
    connection.on(RealtimeEvents.COMMITTED_TRANSCRIPT_WITH_TIMESTAMPS, ({ words }) =>
      log.push(`words ${words?.flatMap(({ text, type }) => (type === 'word' ? text : [])).join('|')}`),
    )
    await started
    connection.send({ audioBase64: speech('Good morning. ') })
    connection.send({ audioBase64: pause(600) })
    connection.send({ audioBase64: speech('Goodbye.') })
    connection.commit()
    // There is nothing left to commit.
    connection.commit()
    await throttled
    connection.close()
    await closed
    await server.whenIdle()
    expect(log).toEqual([
      'partial Good morning.',
      'committed Good morning.',
      'words Good|morning.',
      'partial Goodbye.',
      'committed Goodbye.',
      'words Goodbye.',
    ])
    expect(scribe.sessions[0]?.query.getAll('keyterms')).toEqual(['endwell'])
  })

  it('has types that match every message', () => {
    type Received<Type> = Extract<WebSocketMessage, { readonly message_type: Type }>
    expectTypeOf<ScribeTimedTranscript>().toExtend<Received<'committed_transcript_with_timestamps'>>()
    expectTypeOf<ScribeErrorType>().toEqualTypeOf<ServerErrorMessage['message_type']>()
    expectTypeOf<ScribeAudio>().toExtend<InputAudioChunk>()
    expectTypeOf<AudioMessage>().toExtend<InputAudioChunk>()
    expectTypeOf<Received<'partial_transcript' | 'committed_transcript'>>().toExtend<ScribeMessage>()
    expectTypeOf<ServerErrorMessage>().toExtend<ScribeMessage>()
  })
})
