import type { AudioFrame } from '../../src/audio/index.ts'
import type { RealtimeEvents, RealtimeModel, RealtimeSetup } from '../../src/parts/index.ts'
import { OpenAIRealtime, type OpenAIRealtimeOptions } from '../../src/providers/openai/index.ts'
import { partContext, textOf, type Peer, type TestPartContext, type World } from '../../src/testing/index.ts'
import {
  OpenAIRealtimeServer,
  type OpenAIClientEvent,
  type OpenAIRealtimeServerOptions,
} from '../../src/testing/servers/index.ts'

export const KEY = 'sk-secret-0123456789'

/** Sees what a client sends before the server does, which does not see it at all if this returns true. */
export type Meddles = (event: OpenAIClientEvent, peer: Peer) => boolean

export interface TalkOptions extends OpenAIRealtimeServerOptions {
  readonly setup?: Partial<RealtimeSetup>
  readonly openai?: OpenAIRealtimeOptions
  readonly meddles?: Meddles
}

export interface Talking {
  readonly server: OpenAIRealtimeServer
  readonly context: TestPartContext
  readonly model: RealtimeModel
  /** What was told, one line an event; sound is left out. */
  readonly told: string[]
  /** The names of the answers, in order. */
  readonly answers: string[]
  readonly warnings: { readonly fields: object; readonly message: string }[]
  /** The words in the sound of an answer. */
  readonly heard: (response: string) => string
  /** What a connection was sent, without its sound: the newest unless said. */
  readonly sent: (connection?: number) => OpenAIClientEvent[]
}

export const find = { name: 'find', description: 'Finds a slot', parameters: { type: 'object' } }

/** A conversation with a server in virtual time, and everything that is told of it. */
export async function talk(world: World, options: TalkOptions = {}): Promise<Talking> {
  const { setup, openai, meddles, ...manners } = options
  const server = serve(world, manners, meddles)
  const warnings: Talking['warnings'] = []
  const logger = {
    debug() {},
    info() {},
    warn: (fields: object, message: string) => warnings.push({ fields, message }),
    error() {},
  }
  const context = partContext(world, { logger })
  const { told, answers, heard, events } = listener()
  const opening = new OpenAIRealtime({ apiKey: KEY, ...openai }).open(
    context,
    { instructions: 'Be brief.', tools: [find], messages: [], takesTurns: true, ...setup },
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
  return { server, context, model, told, answers, warnings, heard, sent }
}

/** Puts a server into the network. */
export function serve(
  { clock, network }: World,
  options: OpenAIRealtimeServerOptions,
  meddles: Meddles = () => false,
): OpenAIRealtimeServer {
  const server = new OpenAIRealtimeServer({ clock, apiKey: KEY, ...options })
  network.serve = (request) => {
    const manners = server.serve(request)
    return {
      ...manners,
      message: (peer, data) => {
        if (!meddles(JSON.parse(String(data)) as OpenAIClientEvent, peer)) manners.message?.(peer, data)
      },
    }
  }
  return server
}

function listener() {
  const told: string[] = []
  const answers: string[] = []
  const sounds = new Map<string, AudioFrame[]>()
  const events: RealtimeEvents = {
    userStarted: () => told.push('user starts'),
    userStopped: () => told.push('user stops'),
    userInterim: (text) => told.push(`interim ${text}`),
    userFinal: (text) => told.push(`final ${text}`),
    responseStarted: (response, asked) => {
      answers.push(response)
      told.push(asked ? 'answer, asked' : 'answer')
    },
    audio: (response, frame) => sounds.set(response, [...(sounds.get(response) ?? []), frame]),
    text: (_, text) => told.push(`text ${text}`),
    toolCall: (_, { id, name, input }) => told.push(`call ${id} ${name} ${input}`),
    toolCancelled: (id) => told.push(`cancelled ${id}`),
    responseEnded: (_, how, error) => told.push(error instanceof Error ? `${how}: ${error.message}` : how),
    usage: ({ inputTokens, outputTokens, cachedTokens }) =>
      told.push(`usage ${inputTokens} ${outputTokens} ${cachedTokens}`),
    failed: (error) => told.push(`failed ${String(error)}`),
  }
  const heard = (response: string): string => textOf(sounds.get(response) ?? [])
  return { told, answers, heard, events }
}

/** What was told, without usage and what is said in so many words. */
export const plot = (told: readonly string[]): string[] =>
  told.filter((line) => !/^(usage|text|interim)/.test(line))

export const typesOf = (events: readonly OpenAIClientEvent[]): string[] => events.map(({ type }) => type)

/** An error about an event of the client. */
export const refusal = (code: string, event_id?: string): string =>
  JSON.stringify({
    type: 'error',
    error: { type: 'invalid_request_error', code, message: `Not so: ${code}.`, event_id },
  })
