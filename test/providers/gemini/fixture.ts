import { pcm, silence, type AudioFrame } from '../../../src/audio/index.ts'
import type { RealtimeEvents, RealtimeModel, RealtimeSetup, Usage } from '../../../src/parts/index.ts'
import { GeminiLive, type GeminiLiveOptions } from '../../../src/providers/gemini/index.ts'
import { partContext, soundOf, textOf, type TestPartContext, type World } from '../../../src/testing/index.ts'
import type {
  GeminiClientMessage,
  GeminiServerMessage,
} from '../../../src/testing/servers/gemini-messages.ts'
import { GeminiLiveServer, type GeminiLiveServerOptions } from '../../../src/testing/servers/index.ts'

export const KEY = 'gemini-secret-0123456789'

export const find = {
  name: 'find',
  description: 'Finds a slot',
  parameters: { type: 'object', properties: {} },
}
/** Another agent. */
export const billing = { instructions: 'You do the bills.', tools: [] }

export interface Talk {
  readonly server: GeminiLiveServer
  readonly context: TestPartContext
  readonly model: RealtimeModel
  /** The events, one line each, except text and audio: see `said` and `heard`. */
  readonly log: string[]
  readonly used: Usage[]
  /** The transcript of all answers. */
  readonly said: () => string
  /** The text in the audio of all answers. */
  readonly heard: () => string
  /** Pushes audio of this text. */
  readonly says: (text: string) => void
  /** Pushes silence. */
  readonly quiet: (ms: number) => void
  /** Makes the server send these messages over its open connections. */
  readonly serverSends: (...messages: readonly GeminiServerMessage[]) => void
  /** What the server received over one connection, one line per message, without audio. */
  readonly sent: (connection?: number) => string[]
}

export interface TalkOptions {
  readonly options?: GeminiLiveOptions
  readonly server?: GeminiLiveServerOptions
  readonly setup?: Partial<RealtimeSetup>
}

/** Opens a conversation with the server in virtual time, without a session. */
export async function talk(world: World, options: TalkOptions = {}): Promise<Talk> {
  const server = new GeminiLiveServer({
    clock: world.clock,
    apiKey: KEY,
    answers: () => [],
    ...options.server,
  })
  world.network.serve = server.serve
  const context = partContext(world)
  const log: string[] = []
  const used: Usage[] = []
  const frames: AudioFrame[] = []
  const words: string[] = []
  const realtime = new GeminiLive({ apiKey: KEY, ...options.options })
  const setup = {
    hears: pcm(16_000),
    speaks: pcm(24_000),
    instructions: 'Be brief.',
    tools: [],
    messages: [],
    takesTurns: true,
    ...options.setup,
  }
  const model = await realtime
    .open(context, setup, {
      ...recorder(log, words, frames),
      usage: (usage) => used.push(usage),
    })
    .catch(async (error: unknown) => {
      await context.scope.close()
      throw error
    })
  return {
    server,
    context,
    model,
    log,
    used,
    said: () => words.join(''),
    heard: () => textOf(frames),
    says: (text) => model.push(soundOf(text, 16_000, 50)),
    quiet: (ms) => model.push(silence(ms, 16_000)),
    serverSends: (...messages) => {
      for (const message of messages)
        for (const { connection } of server.open) connection.send(JSON.stringify(message))
    },
    sent: (connection = 0) => (server.sessions[connection]?.received ?? []).flatMap(lineOf),
  }
}

function recorder(log: string[], words: string[], frames: AudioFrame[]): RealtimeEvents {
  return {
    userStarted: () => log.push('user started'),
    userStopped: () => log.push('user stopped'),
    userInterim: (text) => log.push(`interim ${text}`),
    userFinal: (text) => log.push(`final ${text}`),
    responseStarted: (response, asked) => log.push(`${response} begins${asked ? ', asked' : ''}`),
    audio: (_, frame) => frames.push(frame),
    text: (_, text) => words.push(text),
    toolCall: (response, { id, name, input }) => log.push(`${response} calls ${id} ${name} ${input}`),
    toolCancelled: (id) => log.push(`${id} cancelled`),
    responseEnded: (response, how, error) =>
      log.push(`${response} ${how}${error instanceof Error ? `: ${error.message}` : ''}`),
    usage: () => {},
    failed: (error) => log.push(`failed ${String(error)}`),
  }
}

/** Describes a message of the client. */
export function lineOf(message: GeminiClientMessage): string[] {
  const { setup, clientContent, toolResponse, realtimeInput } = message
  if (setup) return [`setup ${setup.sessionResumption?.handle ?? 'new'}`]
  if (clientContent) {
    const turns = (clientContent.turns ?? []).map(({ role, parts }) => `${role}: ${JSON.stringify(parts)}`)
    return [`content ${[...turns, clientContent.turnComplete ? 'answer' : 'wait'].join(', ')}`]
  }
  if (toolResponse)
    return (toolResponse.functionResponses ?? []).map(
      ({ id, response }) => `result ${id} ${JSON.stringify(response)}`,
    )
  return Object.keys(realtimeInput ?? message).filter((key) => key !== 'audio')
}

/** Content that asks for an answer to nothing new. */
export const PROMPT = 'content user: [{"text":"."}], answer'

/** Switches to another agent in a new connection. Newer models do it in place. */
export const OLDER = { model: 'gemini-3.1-flash-live-preview' }

/** The tool outputs that the server received, as results or as content. */
export const toolOutputs = ({ sessions }: GeminiLiveServer): string[] =>
  sessions
    .flatMap(({ received }) => received)
    .flatMap(({ toolResponse, clientContent }) => [
      ...(toolResponse?.functionResponses ?? []),
      ...(clientContent?.turns ?? [])
        .flatMap(({ parts = [] }) => parts)
        .flatMap(({ functionResponse }) => functionResponse ?? []),
    ])
    .map(({ response }) => String(response?.['output']))
