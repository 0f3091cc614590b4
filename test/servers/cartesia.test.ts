import { createRequire } from 'node:module'
import { connect, type Socket } from 'node:net'
import type * as Sdk from '@cartesia/cartesia-js'
import type {
  GenerationRequest,
  WebsocketClientEvent,
  WebsocketResponse,
} from '@cartesia/cartesia-js/resources/tts'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { samplesFromBytes, type AudioFrame } from '../../src/audio/index.ts'
import { textOf } from '../../src/testing/index.ts'
import type {
  CartesiaChunk,
  CartesiaDone,
  CartesiaFailure,
  CartesiaFlushDone,
  CartesiaGeneration,
  CartesiaRequest,
  CartesiaTimestamps,
} from '../../src/testing/servers/cartesia-events.ts'
import { CartesiaServer, LoopbackServer } from '../../src/testing/servers/index.ts'

// Imported as an ES module, the SDK does not find its WebSocket.
const { Cartesia } = createRequire(import.meta.url)('@cartesia/cartesia-js') as typeof Sdk

const KEY = 'secret'
const voice = {
  model_id: 'sonic-3.5',
  voice: { mode: 'id', id: 'any' },
  output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
} as const

describe("Cartesia's SDK", () => {
  it('completes a session with our server', async () => {
    const cartesia = new CartesiaServer({ key: KEY, every: 1 })
    await using server = await LoopbackServer.listen({ serve: cartesia.serve })
    const { port } = new URL(server.url)
    const client = new Cartesia({ apiKey: KEY, baseURL: server.url.replace('ws', 'http') })
    // The SDK always uses TLS, which the loopback server does not have.
    const createConnection = (): Socket => connect(Number(port), '127.0.0.1')
    const socket = await client.tts.websocket({ createConnection })

    // Without a listener, errors of contexts would end the process.
    socket.on('error', () => {})
    const one = socket.context({ ...voice, add_timestamps: true })
    const two = socket.context(voice)
    await one.push({ transcript: 'Good ' })
    await two.push({ transcript: 'Never mind' })
    await one.push({ transcript: 'morning.', flush: true })
    await one.no_more_inputs()
    const events = await take(one.receive())
    expect(spoken(events)).toBe('Good morning.')
    expect(words(events)).toEqual(['Good', 'morning.'])
    const types = new Set(events.map(({ type }) => type))
    expect([...types].toSorted()).toEqual(['chunk', 'done', 'flush_done', 'timestamps'])

    await two.cancel()
    const three = socket.context({ ...voice, model_id: '' })
    await three.send({ transcript: 'Yes', continue: false })
    await expect(take(three.receive())).rejects.toThrow('model_id is missing')

    socket.close()
    await server.whenIdle()
    expect(cartesia.sessions).toHaveLength(1)
    expect(cartesia.sessions[0]?.requests.at(-2)).toEqual({ context_id: two.contextId, cancel: true })
  })

  it('has types that match every message of our server', () => {
    expectTypeOf<CartesiaChunk>().toExtend<WebsocketResponse.Chunk>()
    expectTypeOf<CartesiaTimestamps>().toExtend<WebsocketResponse.Timestamps>()
    expectTypeOf<CartesiaFlushDone>().toExtend<WebsocketResponse.FlushDone>()
    expectTypeOf<CartesiaDone>().toExtend<WebsocketResponse.Done>()
    expectTypeOf<CartesiaFailure>().toExtend<WebsocketResponse.Error>()
  })

  it('has types that match every message our server reads', () => {
    expectTypeOf<CartesiaRequest>().toExtend<WebsocketClientEvent>()
    expectTypeOf<keyof CartesiaGeneration>().toExtend<keyof GenerationRequest>()
  })
})

async function take<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const each of source) all.push(each)
  return all
}

function spoken(events: readonly WebsocketResponse[]): string {
  return textOf(
    events.flatMap((event): AudioFrame[] =>
      event.type === 'chunk'
        ? [{ samples: samplesFromBytes(Buffer.from(event.data, 'base64')), sampleRate: 16_000 }]
        : [],
    ),
  )
}

function words(events: readonly WebsocketResponse[]): string[] {
  return events.flatMap((event) => (event.type === 'timestamps' ? (event.word_timestamps?.words ?? []) : []))
}
