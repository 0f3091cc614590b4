import { pcm, type AudioFrame } from '../../../src/audio/index.ts'
import type { RealtimeEvents, RealtimeModel, RealtimeSetup } from '../../../src/parts/index.ts'
import { OpenAIRealtime, type OpenAIRealtimeOptions } from '../../../src/providers/openai/index.ts'
import {
  partContext,
  textOf,
  type Peer,
  type TestPartContext,
  type World,
} from '../../../src/testing/index.ts'
import { OpenAIRealtimeServer, type OpenAIRealtimeServerOptions } from '../../../src/testing/servers/index.ts'
import type { OpenAIClientEvent } from '../../../src/testing/servers/openai-events.ts'

export const KEY = 'sk-secret-0123456789'

/** An answer that is long enough to be interrupted. */
export const LONG = 'Good morning to you and to all of your friends.'

/** Receives each client event before the server does. If it returns true, the server never sees the event. */
export type Intercept = (event: OpenAIClientEvent, peer: Peer) => boolean

export interface TalkOptions extends OpenAIRealtimeServerOptions {
  readonly setup?: Partial<RealtimeSetup>
  readonly openai?: OpenAIRealtimeOptions
  readonly intercept?: Intercept
  /** Receives the audio of all answers. */
  readonly audio?: (frame: AudioFrame) => void
}

export interface Talking {
  readonly server: OpenAIRealtimeServer
  readonly context: TestPartContext
  readonly model: RealtimeModel
  /** The events except audio, one line each. */
  readonly log: string[]
  /** The names of the answers, in order. */
  readonly answers: string[]
  readonly warnings: { readonly fields: object; readonly message: string }[]
  /** The text in the audio of an answer. */
  readonly heard: (response: string) => string
  /** The events that a connection received, without audio. Default: the newest connection. */
  readonly sent: (connection?: number) => OpenAIClientEvent[]
}

export const find = { name: 'find', description: 'Finds a slot', parameters: { type: 'object' } }

/** Opens a conversation with the server in virtual time, without a session. */
export async function talk(world: World, options: TalkOptions = {}): Promise<Talking> {
  const { setup, openai, intercept, audio, ...manners } = options
  const server = serve(world, manners, intercept)
  const warnings: Talking['warnings'] = []
  const logger = {
    debug() {},
    info() {},
    warn: (fields: object, message: string) => warnings.push({ fields, message }),
    error() {},
  }
  const context = partContext(world, { logger })
  const { log, answers, heard, events } = recorder(audio)
  const opening = new OpenAIRealtime({ apiKey: KEY, ...openai }).open(
    context,
    {
      hears: pcm(16_000),
      speaks: pcm(24_000),
      instructions: 'Be brief.',
      tools: [find],
      messages: [],
      takesTurns: true,
      ...setup,
    },
    events,
  )
  const model = await opening.catch(async (error: unknown) => {
    await context.scope.close()
    throw error
  })
  const sent = (connection = -1): OpenAIClientEvent[] =>
    (server.sessions.at(connection)?.received ?? []).filter(
      ({ type }) => type !== 'input_audio_buffer.append',
    )
  return { server, context, model, log, answers, warnings, heard, sent }
}

/** Connects a server to the simulated network. */
export function serve(
  { clock, network }: World,
  options: OpenAIRealtimeServerOptions,
  intercept: Intercept = () => false,
): OpenAIRealtimeServer {
  const server = new OpenAIRealtimeServer({ clock, apiKey: KEY, ...options })
  network.serve = (request) => {
    const manners = server.serve(request)
    return {
      ...manners,
      message: (peer, data) => {
        if (!intercept(JSON.parse(String(data)) as OpenAIClientEvent, peer)) manners.message?.(peer, data)
      },
    }
  }
  return server
}

function recorder(audio: (frame: AudioFrame) => void = () => {}) {
  const log: string[] = []
  const answers: string[] = []
  const sounds = new Map<string, AudioFrame[]>()
  const events: RealtimeEvents = {
    userStarted: () => log.push('user starts'),
    userStopped: () => log.push('user stops'),
    userInterim: (text) => log.push(`interim ${text}`),
    userFinal: (text) => log.push(`final ${text}`),
    responseStarted: (response, asked) => {
      answers.push(response)
      log.push(asked ? 'answer, asked' : 'answer')
    },
    audio: (response, frame) => {
      sounds.set(response, [...(sounds.get(response) ?? []), frame])
      audio(frame)
    },
    text: (_, text) => log.push(`text ${text}`),
    toolCall: (_, { id, name, input }) => log.push(`call ${id} ${name} ${input}`),
    toolCancelled: (id) => log.push(`cancelled ${id}`),
    responseEnded: (_, how, error) => log.push(error instanceof Error ? `${how}: ${error.message}` : how),
    usage: ({ inputTokens, outputTokens, cachedTokens }) =>
      log.push(`usage ${inputTokens} ${outputTokens} ${cachedTokens}`),
    failed: (error) => log.push(`failed ${String(error)}`),
  }
  const heard = (response: string): string => textOf(sounds.get(response) ?? [])
  return { log, answers, heard, events }
}

/** The log without usage, text and interim transcripts. */
export const milestones = (log: readonly string[]): string[] =>
  log.filter((line) => !/^(usage|text|interim)/.test(line))

export const typesOf = (events: readonly OpenAIClientEvent[]): string[] => events.map(({ type }) => type)

/** An error message about a client event. */
export const refusal = (code: string, event_id?: string): string =>
  JSON.stringify({
    type: 'error',
    error: { type: 'invalid_request_error', code, message: `Not so: ${code}.`, event_id },
  })
