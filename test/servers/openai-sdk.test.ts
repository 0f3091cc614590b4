import type { ClientRequest } from 'node:http'
import { connect } from 'node:net'
import OpenAI from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime'
import { describe, expect, it } from 'vitest'
import { bytesFromSamples, samplesFromBytes, silence } from '../../src/audio/index.ts'
import { callTool, soundOf, textOf } from '../../src/testing/index.ts'
import {
  LoopbackServer,
  OpenAIRealtimeServer,
  type OpenAIRealtimeServerOptions,
} from '../../src/testing/servers/index.ts'

interface Sdk {
  readonly rt: OpenAIRealtimeWS
  readonly server: OpenAIRealtimeServer
  readonly errors: unknown[]
  /** Waits for the next event of this type. Removes it and all events before it. */
  readonly next: <Type extends RealtimeServerEvent['type']>(
    type: Type,
  ) => Promise<Extract<RealtimeServerEvent, { type: Type }>>
}

type Target = { readonly model: string } | { readonly intent: 'transcription' }

/** The SDK for Node 20 has no parameter for the intent, so it is set in the request. */
const transcription = {
  model: 'any',
  finishRequest: (request: ClientRequest): void => {
    request.path = '/v1/realtime?intent=transcription'
    request.end()
  },
}

/** Runs a test with the vendor's SDK, connected to our server over a real socket. */
async function withSdk(
  options: OpenAIRealtimeServerOptions,
  target: Target,
  test: (sdk: Sdk) => Promise<void>,
): Promise<void> {
  const server = new OpenAIRealtimeServer({ apiKey: 'sk-test', ignoresClose: false, ...options })
  await using loopback = await LoopbackServer.listen({ serve: server.serve })
  const { host, port } = new URL(loopback.url)
  const openai = new OpenAI({ apiKey: 'sk-test', baseURL: `http://${host}/v1` })
  // The SDK always uses TLS, which the loopback server does not have.
  const createConnection = (() => connect(Number(port), '127.0.0.1')) as never
  const { model, ...rest } = 'intent' in target ? transcription : target
  const rt = new OpenAIRealtimeWS({ model, options: { createConnection, ...rest } }, openai)
  const events: RealtimeServerEvent[] = []
  const errors: unknown[] = []
  let check = (): void => {}
  rt.on('event', (event) => {
    events.push(event)
    check()
  })
  rt.on('error', (error) => errors.push(error))
  const next: Sdk['next'] = (type) =>
    new Promise((resolve) => {
      check = () => {
        const index = events.findIndex((event) => event.type === type)
        if (index < 0) return
        const [found] = events.splice(0, index + 1).slice(-1)
        check = () => {}
        resolve(found as never)
      }
      check()
    })
  await next('session.created')
  await test({ rt, server, errors, next })
  rt.close()
  await loopback.whenIdle()
  expect(server.open).toEqual([])
}

const append = (samples: Int16Array) =>
  ({
    type: 'input_audio_buffer.append',
    audio: Buffer.from(bytesFromSamples(samples)).toString('base64'),
  }) as const

describe("OpenAI's SDK and our server", () => {
  it('have a conversation with audio and a tool call', () =>
    withSdk(
      { answers: [[callTool('weather', { city: 'Rome' })], 'It is sunny.'], speed: 100 },
      { model: 'gpt-realtime-2.1' },
      async ({ rt, server, errors, next }) => {
        const sounds: Int16Array[] = []
        rt.on('response.output_audio.delta', ({ delta }) =>
          sounds.push(samplesFromBytes(Buffer.from(delta, 'base64'))),
        )
        rt.send({
          type: 'session.update',
          session: {
            type: 'realtime',
            instructions: 'Be kind.',
            tools: [{ type: 'function', name: 'weather', parameters: { type: 'object' } }],
            audio: { input: { transcription: { model: 'gpt-transcribe' } } },
          },
        })
        const { session } = await next('session.updated')
        expect(session).toMatchObject({ type: 'realtime', instructions: 'Be kind.' })

        rt.send(append(soundOf('how is the weather', 24_000, 50).samples))
        rt.send(append(silence(600, 24_000).samples))
        await next('input_audio_buffer.speech_started')
        await next('input_audio_buffer.committed')
        const { item } = await next('response.output_item.done')
        if (item.type !== 'function_call') throw new Error(`expected a call, got a ${item.type}`)
        expect(JSON.parse(item.arguments)).toEqual({ city: 'Rome' })
        expect(await next('response.done')).toMatchObject({ response: { status: 'completed' } })

        const output = { type: 'function_call_output', call_id: item.call_id!, output: 'sun' } as const
        rt.send({ type: 'conversation.item.create', item: output })
        rt.send({ type: 'response.create' })
        const { response } = await next('response.done')
        expect(response.usage?.total_tokens).toBeGreaterThan(0)
        expect(textOf(sounds.map((samples) => ({ samples, sampleRate: 24_000 })))).toBe('It is sunny.')

        const { id } = response.output![0]!
        const truncate = { type: 'conversation.item.truncate', item_id: id!, content_index: 0 } as const
        rt.send({ ...truncate, audio_end_ms: 250 })
        await next('conversation.item.truncated')
        expect(server.transcript).toEqual([
          'user: how is the weather',
          'function_call: weather({"city":"Rome"})',
          'function_call_output: sun',
          'assistant: It is',
        ])
        rt.send({ type: 'response.cancel' })
        await next('error')
        expect(errors).toMatchObject([{ error: { code: 'response_cancel_not_active' } }])
      },
    ))

  it('have a transcription session', () =>
    withSdk({ transcriptionAfter: 1 }, { intent: 'transcription' }, async ({ rt, next }) => {
      rt.send({
        type: 'session.update',
        session: {
          type: 'transcription',
          audio: { input: { transcription: { model: 'gpt-transcribe' }, turn_detection: null } },
        },
      })
      await next('session.updated')
      rt.send(append(soundOf('hello there', 24_000, 50).samples))
      rt.send({ type: 'input_audio_buffer.commit' })
      const { transcript } = await next('conversation.item.input_audio_transcription.completed')
      expect(transcript).toBe('hello there')
    }))

  it('end when the session expires', () =>
    withSdk({}, { model: 'gpt-realtime-2.1' }, async ({ rt, server, errors }) => {
      const closed = new Promise<unknown[]>((resolve) => {
        rt.socket.once('close', (code: number, reason: Buffer) => resolve([code, reason.toString()]))
      })
      server.expire()
      expect(await closed).toEqual([1001, 'Your session hit the maximum duration of 60 minutes.'])
      expect(errors).toMatchObject([{ error: { code: 'session_expired' } }])
    }))
})
