import { createRequire } from 'node:module'
import { connect, type Socket } from 'node:net'
import type * as CartesiaSdk from '@cartesia/cartesia-js'
import { DeepgramClient, type Deepgram } from '@deepgram/sdk'
import {
  AssemblyAI,
  type BeginEvent,
  type ErrorEvent,
  type SpeechStartedEvent,
  type StreamingOperationMessage,
  type TerminationEvent,
  type TurnEvent,
} from 'assemblyai'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { bytesFromSamples, silence } from '../../src/audio/index.ts'
import { soundOf } from '../../src/testing/index.ts'
import type {
  AssemblyAIBegin,
  AssemblyAIControl,
  AssemblyAIError,
  AssemblyAISpeechStarted,
  AssemblyAITermination,
  AssemblyAITurn,
} from '../../src/testing/servers/assemblyai-events.ts'
import type { InkControl, InkEvent } from '../../src/testing/servers/cartesia-ink-events.ts'
import type {
  FluxConnected,
  FluxControl,
  FluxError,
  FluxTurnInfo,
} from '../../src/testing/servers/deepgram-flux-events.ts'
import {
  AssemblyAIServer,
  CartesiaInkServer,
  DeepgramFluxServer,
  LoopbackServer,
} from '../../src/testing/servers/index.ts'

// Imported as an ES module, the SDK does not find its WebSocket.
const { Cartesia } = createRequire(import.meta.url)('@cartesia/cartesia-js') as typeof CartesiaSdk

const KEY = 'secret'
const RATE = 16_000
const speech = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(bytesFromSamples(soundOf(text, RATE, 50).samples))
const pause = (ms: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(bytesFromSamples(silence(ms, RATE).samples))

describe("Deepgram's SDK", () => {
  it('completes a session with our Flux server', async () => {
    const flux = new DeepgramFluxServer({ key: KEY })
    await using server = await LoopbackServer.listen({ serve: flux.serve })
    const client = new DeepgramClient({ apiKey: KEY, baseUrl: server.url })
    const socket = await client.listen.v2.connect({
      Authorization: `Token ${KEY}`,
      model: 'flux-general-en',
      encoding: 'linear16',
      sample_rate: RATE,
      eager_eot_threshold: 0.5,
      reconnectAttempts: 0,
    })
    const messages: { readonly type: string; readonly event?: string; readonly transcript?: string }[] = []
    const closed = new Promise<number>((resolve) => socket.on('close', ({ code }) => resolve(code)))
    socket.on('message', (message) => messages.push(message))
    socket.on('error', () => {})
    socket.connect()
    await socket.waitForOpen()
    socket.sendConfigure({ type: 'Configure', keyterms: ['endwell'] })
    for (const text of ['Good ', 'morning. ']) {
      socket.sendMedia(speech(text))
      socket.sendMedia(pause(200))
    }
    socket.sendMedia(pause(400))
    socket.sendMedia(speech('Bye'))
    socket.sendCloseStream({ type: 'CloseStream' })
    expect(await closed).toBe(1000)
    socket.close()

    expect(messages.map(({ type, event }) => event ?? type)).toEqual([
      'Connected',
      'ConfigureSuccess',
      'StartOfTurn',
      'Update',
      'EagerEndOfTurn',
      'TurnResumed',
      'Update',
      'EagerEndOfTurn',
      'EndOfTurn',
      'StartOfTurn',
      'Update',
      'EndOfTurn',
    ])
    const ends = messages.filter(({ event }) => event === 'EndOfTurn')
    expect(ends.map(({ transcript }) => transcript)).toEqual(['Good morning.', 'Bye'])
    await server.whenIdle()
  })

  it('has types that match every message of our Flux server', () => {
    expectTypeOf<FluxConnected>().toExtend<Deepgram.listen.ListenV2Connected>()
    expectTypeOf<FluxTurnInfo>().toExtend<Deepgram.listen.ListenV2TurnInfo>()
    expectTypeOf<FluxError>().toExtend<Deepgram.listen.ListenV2FatalError>()
    expectTypeOf<Deepgram.listen.ListenV2ForceEndTurn>().toExtend<FluxControl>()
  })
})

describe("AssemblyAI's SDK", () => {
  it.each([
    [
      'universal-3-5-pro',
      ['speechStarted', 'Good morning.', 'end: Good morning.', 'speechStarted', 'Bye', 'end: Bye'],
    ],
    [
      'universal-streaming-english',
      [
        'good morning',
        'good morning',
        'end: good morning',
        'formatted: Good morning.',
        'bye',
        'end: bye',
        'formatted: Bye',
      ],
    ],
  ] as const)('completes a session with our server, with %s', async (speechModel, expected) => {
    const assembly = new AssemblyAIServer({ key: KEY })
    await using server = await LoopbackServer.listen({ serve: assembly.serve })
    const client = new AssemblyAI({ apiKey: KEY })
    const log: string[] = []
    const transcriber = client.streaming.transcriber({
      websocketBaseUrl: `${server.url.replace('ws', 'wss')}/v3/ws`,
      sampleRate: RATE,
      encoding: 'pcm_s16le',
      speechModel,
      formatTurns: true,
    })
    // The SDK always uses TLS, which the loopback server does not have.
    const { connectionUrl } = transcriber as unknown as { connectionUrl: () => URL }
    const plainUrl = (): URL => new URL(connectionUrl.call(transcriber).href.replace('wss', 'ws'))
    Object.assign(transcriber, { connectionUrl: plainUrl })
    // Missing in the types of `on`.
    transcriber.on('speechStarted' as 'close', () => log.push('speechStarted'))
    transcriber.on('turn', ({ end_of_turn: end, turn_is_formatted: formatted, transcript }) => {
      const kind =
        end && formatted && speechModel !== 'universal-3-5-pro' ? 'formatted: ' : end ? 'end: ' : ''
      log.push(`${kind}${transcript}`)
    })
    await transcriber.connect()
    transcriber.sendAudio(speech('Good morning. ').buffer)
    transcriber.sendAudio(pause(500).buffer)
    transcriber.sendAudio(speech('Bye').buffer)
    transcriber.forceEndpoint()
    transcriber.updateConfiguration({ keyterms_prompt: ['endwell'] })
    await transcriber.close()
    expect(log).toEqual(expected)
    await server.whenIdle()
  })

  it('has types that match every message of our server', () => {
    expectTypeOf<AssemblyAIBegin>().toExtend<BeginEvent>()
    expectTypeOf<AssemblyAISpeechStarted>().toExtend<SpeechStartedEvent>()
    expectTypeOf<AssemblyAITurn>().toExtend<TurnEvent>()
    expectTypeOf<AssemblyAITermination>().toExtend<TerminationEvent>()
    expectTypeOf<AssemblyAIError>().toExtend<ErrorEvent>()
    expectTypeOf<AssemblyAIControl['type']>().toEqualTypeOf<StreamingOperationMessage['type']>()
  })
})

describe("Cartesia's SDK", () => {
  it('completes a session with our Ink server', async () => {
    const ink = new CartesiaInkServer({ key: KEY })
    await using server = await LoopbackServer.listen({ serve: ink.serve })
    const { port } = new URL(server.url)
    const client = new Cartesia({ apiKey: KEY, baseURL: server.url.replace('ws', 'http') })
    // The SDK always uses TLS, which the loopback server does not have.
    const createConnection = (): Socket => connect(Number(port), '127.0.0.1')
    const socket = client.stt.autoFinalize.websocket(
      { model: 'ink-2', encoding: 'pcm_s16le', sample_rate: RATE, keyterm: ['endwell'] },
      { createConnection },
    )
    const events: string[] = []
    const connected = new Promise<void>((resolve) => socket.on('connected', () => resolve()))
    const closed = new Promise<number>((resolve) => socket.on('close', (code) => resolve(code)))
    socket.on('error', () => {})
    socket.on('event', (event) =>
      events.push('transcript' in event ? `${event.type} ${event.transcript}` : event.type),
    )
    await connected
    socket.sendRaw(speech('Good '))
    socket.sendRaw(pause(200))
    socket.sendRaw(speech('morning.'))
    socket.send({ type: 'config', turn: { end_threshold: 0.3 } })
    socket.sendRaw(pause(500))
    socket.sendRaw(speech('Bye'))
    socket.send({ type: 'close' })
    expect(await closed).toBe(1000)
    expect(events).toEqual([
      'connected',
      'turn.start',
      'turn.update Good',
      'turn.eager_end Good',
      'turn.resume',
      'turn.update Good morning.',
      'turn.eager_end Good morning.',
      'turn.end Good morning.',
      'turn.start',
      'turn.update Bye',
      'turn.end Bye',
    ])
    socket.close()
    await server.whenIdle()
  })

  it('has types that match every message of our Ink server', () => {
    type Response = CartesiaSdk.Cartesia.STT.STTAutoFinalizeWebsocketResponse
    expectTypeOf<Exclude<InkEvent, { type: 'error' }>>().toExtend<Response>()
    expectTypeOf<InkEvent['type']>().toEqualTypeOf<Response['type']>()
    expectTypeOf<InkControl>().toExtend<CartesiaSdk.Cartesia.STT.STTAutoFinalizeWebsocketRequest>()
  })
})
