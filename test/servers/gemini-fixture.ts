import { bytesFromSamples, samplesFromBytes, silence } from '../../src/audio/index.ts'
import { soundOf, textOf, type World } from '../../src/testing/index.ts'
import type { GeminiServerMessage } from '../../src/testing/servers/gemini-messages.ts'
import { GeminiLiveServer, type GeminiLiveServerOptions } from '../../src/testing/servers/index.ts'
import { TestClient } from './test-client.ts'

export type GeminiClient = TestClient<GeminiServerMessage>

const METHOD = 'ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
export const liveUrl = `wss://generativelanguage.googleapis.com/${METHOD}?key=test`

export interface GeminiOpen {
  readonly server: GeminiLiveServer
  readonly client: GeminiClient
}

/** A server in virtual time, and a client whose setup is complete. */
export async function open(
  world: World,
  options: GeminiLiveServerOptions = {},
  setup: object = {},
): Promise<GeminiOpen> {
  const server = new GeminiLiveServer({ clock: world.clock, ...options })
  world.network.serve = server.serve
  return { server, client: await connect(world, setup) }
}

export function dial({ network }: World, url = liveUrl): GeminiClient {
  return new TestClient<GeminiServerMessage>(network, { url }, lineOf)
}

export async function connect(world: World, setup: object = {}): Promise<GeminiClient> {
  const client = dial(world)
  await world.clock.elapse(2)
  client.say({ setup: { model: 'models/gemini-live', ...setup } })
  await world.clock.elapse(8)
  return client
}

function lineOf(message: GeminiServerMessage): string | undefined {
  const { serverContent, toolCall, toolCallCancellation, goAway, sessionResumptionUpdate } = message
  if (serverContent?.modelTurn) {
    const [part] = serverContent.modelTurn.parts
    return part?.text === undefined ? undefined : `text ${part.text}`
  }
  if (serverContent?.inputTranscription) return `heard ${serverContent.inputTranscription.text}`
  if (serverContent?.outputTranscription) return `said ${serverContent.outputTranscription.text}`
  if (toolCall) return `calls ${toolCall.functionCalls.map(({ id, name }) => `${id} ${name}`).join()}`
  if (toolCallCancellation) return `cancels ${toolCallCancellation.ids.join()}`
  if (goAway) return `goAway ${goAway.timeLeft}`
  if (sessionResumptionUpdate) return `handle ${sessionResumptionUpdate.newHandle}`.trim()
  return Object.keys(serverContent ?? message).join()
}

// ── client messages ──

const audio = (samples: Int16Array): object => ({
  realtimeInput: {
    audio: {
      data: Buffer.from(bytesFromSamples(samples)).toString('base64'),
      mimeType: 'audio/pcm;rate=16000',
    },
  },
})

export const words = (text: string): object => audio(soundOf(text, 16_000, 50).samples)
export const quiet = (ms: number): object => audio(silence(ms, 16_000).samples)
export const ask = (text: string): object => ({
  clientContent: { turns: [{ role: 'user', parts: [{ text }] }], turnComplete: true },
})
export const resume = (handle: string): object => ({ sessionResumption: { handle } })

// ── server messages ──

/** The text in the audio received. */
export function voiceOf({ messages }: GeminiClient): string {
  const sounds = messages.flatMap(({ serverContent }) =>
    (serverContent?.modelTurn?.parts ?? []).flatMap(({ inlineData }) => inlineData?.data ?? []),
  )
  const samples = sounds.map((data) => samplesFromBytes(Buffer.from(data, 'base64')))
  return textOf(samples.map((each) => ({ samples: each, sampleRate: 24_000 })))
}

export function lastHandle({ messages }: GeminiClient): string {
  const updates = messages.flatMap(({ sessionResumptionUpdate }) => sessionResumptionUpdate ?? [])
  return updates.findLast(({ resumable }) => resumable)?.newHandle ?? ''
}
