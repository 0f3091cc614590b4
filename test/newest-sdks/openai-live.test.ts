import OpenAI from 'openai'
import { LiveWS } from 'openai/resources/live/ws'
import { describe, expect, it } from 'vitest'
import { bytesFromSamples, silence } from '../../src/audio/index.ts'
import { soundOf } from '../../src/testing/index.ts'
import { LoopbackServer, OpenAILiveServer } from '../../src/testing/servers/index.ts'

// Older versions of the SDK do not know GPT-Live.
describe("OpenAI's SDK and our GPT-Live server", () => {
  it('have a conversation, and the server confirms its end', async () => {
    const server = new OpenAILiveServer({ apiKey: 'sk-test', answers: ['It is sunny.'] })
    await using loopback = await LoopbackServer.listen({ serve: server.serve })
    const baseURL = `${loopback.url.replace(/^ws/, 'http')}/v1`
    const live = new LiveWS(new OpenAI({ apiKey: 'sk-test', baseURL }))
    const received: { readonly type: string; readonly delta?: string; readonly reason?: string }[] = []
    const waiting = new Set<() => void>()
    live.on('event', (event) => {
      received.push(event as never)
      for (const check of waiting) check()
    })
    const errors: unknown[] = []
    live.on('error', (error) => errors.push(error))
    const until = (type: string): Promise<void> =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.some((event) => event.type === type)) resolve()
        }
        waiting.add(check)
        check()
      })
    const said = (type: string): string =>
      received
        .filter((event) => event.type === type)
        .map(({ delta = '' }) => delta)
        .join('')

    live.send({
      type: 'session.start',
      session: {
        model: 'gpt-live-1',
        audio: { format: { type: 'audio/pcm', rate: 16_000 }, output: { voice: 'marin' } },
      },
    })
    await until('session.started')
    for (const { samples } of [soundOf('how is the weather', 16_000, 50), silence(1_000, 16_000)]) {
      const audio = Buffer.from(bytesFromSamples(samples)).toString('base64')
      live.send({ type: 'session.input_audio.append', audio })
    }
    await until('session.output_audio.delta')
    live.send({ type: 'session.close' })
    await until('session.closed')
    expect(said('session.input_transcript.delta')).toBe('how is the weather')
    expect('It is sunny.'.startsWith(said('session.output_transcript.delta').trim())).toBe(true)
    expect(received.at(-1)).toMatchObject({ type: 'session.closed', reason: 'close_requested' })
    expect(errors).toEqual([])
    live.close()
  })
})
