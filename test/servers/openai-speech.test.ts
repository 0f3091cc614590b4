import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { SampleReader } from '../../src/audio/index.ts'
import { textOf } from '../../src/testing/index.ts'
import { LoopbackServer, OpenAISpeechServer, type SpeechManners } from '../../src/testing/servers/index.ts'

const speech = { model: 'gpt-4o-mini-tts', voice: 'marin', response_format: 'pcm' } as const

/** Runs a test with the vendor's SDK and our server. */
async function withClient(
  options: { apiKey?: string; manners?: readonly SpeechManners[]; speed?: number },
  test: (client: OpenAI, speaker: OpenAISpeechServer, server: LoopbackServer) => Promise<void>,
): Promise<void> {
  const { apiKey = 'sk-test', manners = [], speed = Infinity } = options
  const speaker = new OpenAISpeechServer({ apiKey: 'sk-test', speed }).treats(...manners)
  await using server = await LoopbackServer.listen({ http: speaker.http })
  await test(new OpenAI({ apiKey, baseURL: speaker.urlAt(server), maxRetries: 0 }), speaker, server)
}

/** Reads the text in the audio of a body until it ends or breaks. */
async function read(body: Response['body']): Promise<{ text: string; broken: boolean }> {
  const samples: Int16Array[] = []
  const reader = new SampleReader()
  let broken = false
  try {
    for await (const bytes of body!) samples.push(reader.push(bytes))
  } catch {
    broken = true
  }
  return { text: textOf(samples.map((each) => ({ samples: each, sampleRate: 24_000 }))), broken }
}

describe('the OpenAI speech server', () => {
  it("streams audio to the vendor's SDK in chunks that split samples", () =>
    withClient({ speed: 50 }, async (client, speaker) => {
      const response = await client.audio.speech.create({ ...speech, input: 'Good morning to you.' })
      expect(response.headers.get('content-type')).toBe('audio/pcm')
      expect(await read(response.body)).toEqual({ text: 'Good morning to you.', broken: false })
      expect(speaker.requests).toMatchObject([{ input: 'Good morning to you.', how: 'answered' }])
    }))

  it('refuses all formats but PCM', () =>
    withClient({}, async (client) => {
      const mp3 = client.audio.speech.create({ ...speech, input: 'Hello.', response_format: 'mp3' })
      await expect(mp3).rejects.toMatchObject({ status: 400 })
    }))

  it('refuses a wrong key, and requests as set by treats(), with errors that the SDK reads', async () => {
    await withClient({ apiKey: 'sk-other' }, async (client) => {
      const refused = client.audio.speech.create({ ...speech, input: 'Hello.' })
      await expect(refused).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' })
    })
    const manners = [{ refuse: 429, message: 'Slow down.' }, { refuse: 500 }]
    await withClient({ manners }, async (client, speaker) => {
      const slow = client.audio.speech.create({ ...speech, input: 'Hello.' })
      await expect(slow).rejects.toMatchObject({ status: 429, message: '429 Slow down.' })
      const broken = client.audio.speech.create({ ...speech, input: 'Hello.' })
      await expect(broken).rejects.toMatchObject({ status: 500, type: 'server_error' })
      const response = await client.audio.speech.create({ ...speech, input: 'Hello.' })
      expect((await read(response.body)).text).toBe('Hello.')
      expect(speaker.requests.map(({ how }) => how)).toEqual(['refused', 'refused', 'answered'])
    })
  })

  it('breaks the connection after `dropsAfter`', () =>
    withClient({ manners: [{ dropsAfter: 250 }] }, async (client, speaker) => {
      const response = await client.audio.speech.create({ ...speech, input: 'Good morning to you.' })
      expect(await read(response.body)).toEqual({ text: 'Good ', broken: true })
      expect(speaker.requests[0]?.how).toBe('dropped')
    }))

  it('stalls after `stallsAfter` until the client aborts', () =>
    withClient({ manners: [{ stallsAfter: 250 }] }, async (client, speaker, server) => {
      const stop = new AbortController()
      const response = await client.audio.speech.create(
        { ...speech, input: 'Good morning to you.' },
        { signal: stop.signal },
      )
      const reader = response.body!.getReader()
      for (let bytes = 0; bytes < 250 * 48;) bytes += (await reader.read()).value!.length
      expect(speaker.open).toBe(1)
      stop.abort()
      await expect(reader.read()).rejects.toThrow()
      await server.whenIdle()
      expect(speaker.requests[0]?.how).toBe('left')
    }))

  it('stops when the client cancels the body', () =>
    withClient({ speed: 1 }, async (client, speaker, server) => {
      const response = await client.audio.speech.create({ ...speech, input: 'Good morning to you.' })
      const reader = response.body!.getReader()
      await reader.read()
      await reader.cancel()
      await server.whenIdle()
      expect(speaker.requests[0]?.how).toBe('left')
    }))

  it('hangs before the headers until the client aborts', () =>
    withClient({ manners: ['hangs'] }, async (client, speaker, server) => {
      const stop = new AbortController()
      const request = client.audio.speech.create({ ...speech, input: 'Hello.' }, { signal: stop.signal })
      const failed = expect(request).rejects.toThrow('aborted')
      await speaker.until(() => speaker.open === 1)
      stop.abort()
      await failed
      await server.whenIdle()
      expect(speaker.requests[0]?.how).toBe('left')
    }))
})
