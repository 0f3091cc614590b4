import { bytesFromSamples, samplesFromBytes, silence } from '../../src/audio/index.ts'
import { soundOf, textOf, type World } from '../../src/testing/index.ts'
import { OpenAIRealtimeServer, type OpenAIRealtimeServerOptions } from '../../src/testing/servers/index.ts'
import type { OpenAIServerEvent } from '../../src/testing/servers/openai-events.ts'
import { TestClient } from './test-client.ts'

export type OpenAIClient = TestClient<OpenAIServerEvent>

export const realtimeUrl = 'wss://api.openai.com/v1/realtime?model=gpt-realtime-2.1'
export const transcriptionUrl = 'wss://api.openai.com/v1/realtime?intent=transcription'

export interface OpenAIOpen {
  readonly server: OpenAIRealtimeServer
  readonly client: OpenAIClient
}

/** A server in virtual time, and a client that has received `session.created`. */
export async function open(
  world: World,
  options: OpenAIRealtimeServerOptions = {},
  url = realtimeUrl,
): Promise<OpenAIOpen> {
  const server = new OpenAIRealtimeServer({ clock: world.clock, ...options })
  world.network.serve = server.serve
  return { server, client: await connect(world, url) }
}

export async function connect({ network, clock }: World, url = realtimeUrl): Promise<OpenAIClient> {
  const headers = { Authorization: 'Bearer sk-test' }
  const client: OpenAIClient = new TestClient(network, { url, headers }, lineOf)
  await clock.elapse(10)
  return client
}

/** Types that are left out of the log. */
const unlogged: ReadonlySet<string> = new Set(['rate_limits.updated', 'response.output_audio.delta'])

function lineOf(event: OpenAIServerEvent): string | undefined {
  const { type } = event
  if (unlogged.has(type)) return undefined
  if (type === 'error') return `error ${event.error.code}`
  if (type === 'response.output_audio_transcript.done') return `said ${event.transcript}`
  if (type === 'conversation.item.input_audio_transcription.completed')
    return `transcript ${event.transcript}`
  if (type !== 'response.done') return type
  const { status, status_details } = event.response
  return ['response.done', status, status_details?.reason].filter(Boolean).join(' ')
}

// ── client events ──

const base64 = (samples: Int16Array): string => Buffer.from(bytesFromSamples(samples)).toString('base64')
const append = (samples: Int16Array): object => ({
  type: 'input_audio_buffer.append',
  audio: base64(samples),
})

export const words = (text: string): object => append(soundOf(text, 24_000, 50).samples)
export const quiet = (ms: number): object => append(silence(ms, 24_000).samples)
export const update = (session: object): object => ({
  type: 'session.update',
  session: { type: 'realtime', ...session },
})
export const manual = update({ audio: { input: { turn_detection: null } } })
export const create = (item: object, previous_item_id?: string): object => ({
  type: 'conversation.item.create',
  item,
  ...(previous_item_id === undefined ? {} : { previous_item_id }),
})
export const userText = (text: string, id?: string): object => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
  ...(id === undefined ? {} : { id }),
})

// ── server events ──

export function eventsOf<Type extends OpenAIServerEvent['type']>(
  { messages }: OpenAIClient,
  type: Type,
): Extract<OpenAIServerEvent, { type: Type }>[] {
  return messages.filter((event): event is Extract<OpenAIServerEvent, { type: Type }> => event.type === type)
}

/** The text in the audio received. */
export function voiceOf(client: OpenAIClient): string {
  const deltas = eventsOf(client, 'response.output_audio.delta').map(({ delta }) => delta)
  const samples = deltas.map((delta) => samplesFromBytes(Buffer.from(delta, 'base64')))
  return textOf(samples.map((each) => ({ samples: each, sampleRate: 24_000 })))
}
