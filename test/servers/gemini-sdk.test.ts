import {
  ActivityHandling,
  GoogleGenAI,
  Modality,
  type LiveConnectConfig,
  type LiveServerMessage,
  type Session,
} from '@google/genai'
import { describe, expect, it } from 'vitest'
import { bytesFromSamples, samplesFromBytes, silence } from '../../src/audio/index.ts'
import { callTool, soundOf, textOf } from '../../src/testing/index.ts'
import {
  GeminiLiveServer,
  LoopbackServer,
  type GeminiLiveServerOptions,
} from '../../src/testing/servers/index.ts'

interface Sdk {
  readonly server: GeminiLiveServer
  readonly connect: (config: LiveConnectConfig) => Promise<Talk>
}

interface Talk {
  readonly session: Session
  readonly messages: LiveServerMessage[]
  readonly closed: Promise<{ code: number; reason: string }>
  /** Waits for the first message that matches. Removes it and all messages before it. */
  readonly next: (has: (message: LiveServerMessage) => unknown) => Promise<LiveServerMessage>
}

/** Runs a test with the vendor's SDK and our server on a real socket. */
async function withSdk(options: GeminiLiveServerOptions, test: (sdk: Sdk) => Promise<void>): Promise<void> {
  const server = new GeminiLiveServer({ apiKey: 'test', ...options })
  await using loopback = await LoopbackServer.listen({ serve: server.serve })
  const baseUrl = loopback.url.replace('ws', 'http')
  const genai = new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl } })
  await test({ server, connect: (config) => talk(genai, config) })
  await loopback.whenIdle()
  expect(server.open).toEqual([])
}

async function talk(genai: GoogleGenAI, config: LiveConnectConfig): Promise<Talk> {
  const messages: LiveServerMessage[] = []
  let check = (): void => {}
  let close: (end: { code: number; reason: string }) => void
  const closed = new Promise<{ code: number; reason: string }>((resolve) => (close = resolve))
  const session = await genai.live.connect({
    model: 'gemini-live',
    config,
    callbacks: {
      onmessage: (message) => {
        messages.push(message)
        check()
      },
      onclose: ({ code, reason }) => close({ code, reason }),
    },
  })
  const next: Talk['next'] = (has) =>
    new Promise((resolve) => {
      check = () => {
        const index = messages.findIndex(has)
        if (index < 0) return
        check = () => {}
        resolve(messages.splice(0, index + 1).at(-1)!)
      }
      check()
    })
  return { session, messages, closed, next }
}

const sound = (samples: Int16Array) => ({
  audio: {
    data: Buffer.from(bytesFromSamples(samples)).toString('base64'),
    mimeType: 'audio/pcm;rate=16000',
  },
})

const spoken: LiveConnectConfig = {
  responseModalities: [Modality.AUDIO],
  inputAudioTranscription: {},
  outputAudioTranscription: {},
  systemInstruction: 'Be kind.',
  sessionResumption: {},
  contextWindowCompression: { slidingWindow: {} },
  realtimeInputConfig: { activityHandling: ActivityHandling.START_OF_ACTIVITY_INTERRUPTS },
  tools: [{ functionDeclarations: [{ name: 'weather' }] }],
}

describe("Google's SDK and our server", () => {
  it('have a conversation with audio and a tool call, and resume it', () =>
    withSdk(
      {
        answers: [[callTool('weather', { city: 'Rome' })], 'It is sunny.', 'You are welcome.'],
        speed: 100,
        msPerCharacter: 5,
        handleAfter: 1,
      },
      async ({ server, connect }) => {
        const first = await connect(spoken)
        expect(server.sessions[0]?.setup).toMatchObject({
          model: 'models/gemini-live',
          generationConfig: { responseModalities: ['AUDIO'] },
        })
        first.session.sendRealtimeInput(sound(soundOf('how is the weather', 16_000, 50).samples))
        first.session.sendRealtimeInput(sound(silence(600, 16_000).samples))
        const heard = await first.next(({ serverContent }) => serverContent?.inputTranscription)
        expect(heard.serverContent?.inputTranscription?.text).toBe('how ')
        const { toolCall } = await first.next((message) => message.toolCall)
        const [call] = toolCall!.functionCalls!
        expect(call).toMatchObject({ name: 'weather', args: { city: 'Rome' } })
        first.session.sendToolResponse({
          functionResponses: { id: call!.id!, name: 'weather', response: { output: 'sun' } },
        })
        const samples: Int16Array[] = []
        for (;;) {
          const { serverContent } = await first.next((message) => message.serverContent)
          const data = serverContent?.modelTurn?.parts?.[0]?.inlineData?.data
          if (data) samples.push(samplesFromBytes(Buffer.from(data, 'base64')))
          if (serverContent?.turnComplete) break
        }
        expect(textOf(samples.map((each) => ({ samples: each, sampleRate: 24_000 })))).toBe('It is sunny.')
        const { sessionResumptionUpdate } = await first.next(
          (message) => message.sessionResumptionUpdate?.resumable,
        )
        first.session.close()
        await first.closed

        const handle = sessionResumptionUpdate!.newHandle!
        const second = await connect({ ...spoken, sessionResumption: { handle } })
        second.session.sendClientContent({ turns: 'thank you' })
        const done = await second.next(({ serverContent }) => serverContent?.turnComplete)
        expect(done.usageMetadata?.totalTokenCount).toBeGreaterThan(0)
        expect(server.transcript).toEqual([
          'user: how is the weather',
          'model: weather({"city":"Rome"})',
          'user: {"output":"sun"}',
          'model: It is sunny.',
          'user: thank you',
          'model: You are welcome.',
        ])
        second.session.close()
        await second.closed
      },
    ))

  it('have a manual turn, and end after goAway', () =>
    withSdk({ answers: ['Yes.'], speed: Infinity, msPerCharacter: 1 }, async ({ server, connect }) => {
      const { session, next, closed } = await connect({
        responseModalities: [Modality.AUDIO],
        realtimeInputConfig: { automaticActivityDetection: { disabled: true } },
      })
      session.sendRealtimeInput({ activityStart: {} })
      session.sendRealtimeInput(sound(soundOf('hello', 16_000, 50).samples))
      session.sendRealtimeInput({ activityEnd: {} })
      await next(({ serverContent }) => serverContent?.turnComplete)
      expect(server.transcript).toEqual(['user: hello', 'model: Yes.'])
      server.goAway(20)
      const { goAway } = await next((message) => message.goAway)
      expect(goAway?.timeLeft).toBe('0.02s')
      expect(await closed).toMatchObject({ code: 1011 })
    }))
})
