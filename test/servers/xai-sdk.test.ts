import { connect } from 'node:net'
import OpenAI from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import { describe, expect, it } from 'vitest'
import { bytesFromSamples, silence } from '../../src/audio/index.ts'
import { callTool, soundOf } from '../../src/testing/index.ts'
import { LoopbackServer, XaiRealtimeServer } from '../../src/testing/servers/index.ts'

// xAI has no SDK for its realtime API and names OpenAI's as a client of it. `@ai-sdk/xai` maps the events, but needs Node 22.
describe("OpenAI's SDK and our xAI server", () => {
  it('have a conversation with audio, a tool call and words to say', async () => {
    const server = new XaiRealtimeServer({
      apiKey: 'xai-test',
      answers: [[callTool('weather', { city: 'Rome' })], 'It is sunny.'],
      speed: 100,
    })
    await using loopback = await LoopbackServer.listen({ serve: server.serve })
    const { host, port } = new URL(loopback.url)
    const client = new OpenAI({ apiKey: 'xai-test', baseURL: `http://${host}/v1` })
    // The SDK always uses TLS, which the loopback server does not have.
    const createConnection = (() => connect(Number(port), '127.0.0.1')) as never
    const rt = new OpenAIRealtimeWS({ model: 'grok-voice-latest', options: { createConnection } }, client)
    const received: { type: string; transcript?: string; delta?: string }[] = []
    const waiting = new Set<() => void>()
    rt.on('event', (event) => {
      received.push(event)
      for (const check of waiting) check()
    })
    const errors: unknown[] = []
    rt.on('error', (error) => errors.push(error))
    /** Waits until this many events of a type have arrived. */
    const until = (type: string, count = 1): Promise<void> =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.filter((event) => event.type === type).length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      })
    const send = (event: object): void => rt.send(event as never)
    const append = (samples: Int16Array): void =>
      send({
        type: 'input_audio_buffer.append',
        audio: Buffer.from(bytesFromSamples(samples)).toString('base64'),
      })

    await until('conversation.created')
    send({
      type: 'session.update',
      session: {
        voice: 'ara',
        turn_detection: { type: 'server_vad' },
        audio: { input: { format: { type: 'audio/pcm', rate: 16_000 }, transcription: {} } },
      },
    })
    await until('session.updated')
    append(soundOf('how is the weather', 16_000, 50).samples)
    append(silence(600, 16_000).samples)
    await until('response.function_call_arguments.done')
    await until('response.done')
    const of = (suffix: string): (string | undefined)[] =>
      received
        .filter(({ type }) => type === `conversation.item.input_audio_transcription.${suffix}`)
        .map(({ transcript }) => transcript)
    expect(of('updated')).toEqual(['how', 'how is', 'how is the', 'how is the weather'])
    expect(of('completed')).toEqual(['how is the', 'how is the', 'how is the weather'])

    const item = { type: 'function_call_output', call_id: 'call-1', output: 'sun' }
    send({ type: 'conversation.item.create', item })
    send({ type: 'response.create' })
    await until('response.done', 2)
    const content = [{ type: 'output_text', text: 'Goodbye.' }]
    send({ type: 'conversation.item.create', item: { type: 'force_message', content } })
    await until('response.done', 3)
    expect(server.transcript).toEqual([
      'user: how is the weather',
      'function_call: weather({"city":"Rome"})',
      'function_call_output: sun',
      'assistant: It is sunny.',
      'assistant: Goodbye.',
    ])
    expect(errors).toEqual([])
    send({ type: 'input_audio_buffer.commit' })
    await until('error')
    rt.close()
    await loopback.whenIdle()
    expect(server.open).toEqual([])
  })
})
