import { silence, type AudioFrame } from '../../src/audio/index.ts'
import type { RealtimeEvents, RealtimeModel, RealtimeSetup, Usage } from '../../src/parts/index.ts'
import { GeminiLive, type GeminiLiveOptions } from '../../src/providers/gemini/index.ts'
import { partContext, soundOf, textOf, type TestPartContext, type World } from '../../src/testing/index.ts'
import {
  GeminiLiveServer,
  type GeminiClientMessage,
  type GeminiLiveServerOptions,
  type GeminiServerMessage,
} from '../../src/testing/servers/index.ts'

export const KEY = 'gemini-secret-0123456789'

export interface Talk {
  readonly server: GeminiLiveServer
  readonly context: TestPartContext
  readonly model: RealtimeModel
  /** Everything that was told, a line each; of words and sound see `said` and `heard`. */
  readonly told: string[]
  readonly used: Usage[]
  /** The words of the answers, and those in their sound. */
  readonly said: () => string
  readonly heard: () => string
  /** The caller's voice, and silence. */
  readonly says: (text: string) => void
  readonly quiet: (ms: number) => void
  /** The server says this over its open connections. */
  readonly tells: (...messages: readonly GeminiServerMessage[]) => void
  /** The keys of what the service was sent over one connection, audio left out. */
  readonly sent: (connection?: number) => string[]
}

export interface TalkOptions {
  readonly options?: GeminiLiveOptions
  readonly server?: GeminiLiveServerOptions
  readonly setup?: Partial<RealtimeSetup>
}

/** A conversation in virtual time with nobody but the server. */
export async function talk(world: World, options: TalkOptions = {}): Promise<Talk> {
  const server = new GeminiLiveServer({
    clock: world.clock,
    apiKey: KEY,
    answers: () => [],
    ...options.server,
  })
  world.network.serve = server.serve
  const context = partContext(world)
  const told: string[] = []
  const used: Usage[] = []
  const frames: AudioFrame[] = []
  const words: string[] = []
  const realtime = new GeminiLive({ apiKey: KEY, ...options.options })
  const setup = { instructions: 'Be brief.', tools: [], messages: [], takesTurns: true, ...options.setup }
  const model = await realtime
    .open(context, setup, {
      ...recorder(told, words, frames),
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
    told,
    used,
    said: () => words.join(''),
    heard: () => textOf(frames),
    says: (text) => model.push(soundOf(text, 16_000, 50)),
    quiet: (ms) => model.push(silence(ms, 16_000)),
    tells: (...messages) => {
      for (const message of messages)
        for (const { connection } of server.open) connection.send(JSON.stringify(message))
    },
    sent: (connection = 0) => (server.sessions[connection]?.received ?? []).flatMap(lineOf),
  }
}

function recorder(told: string[], words: string[], frames: AudioFrame[]): RealtimeEvents {
  return {
    userStarted: () => told.push('user started'),
    userStopped: () => told.push('user stopped'),
    userInterim: (text) => told.push(`interim ${text}`),
    userFinal: (text) => told.push(`final ${text}`),
    responseStarted: (response, asked) => told.push(`${response} begins${asked ? ', asked' : ''}`),
    audio: (_, frame) => frames.push(frame),
    text: (_, text) => words.push(text),
    toolCall: (response, { id, name, input }) => told.push(`${response} calls ${id} ${name} ${input}`),
    toolCancelled: (id) => told.push(`${id} cancelled`),
    responseEnded: (response, how, error) =>
      told.push(`${response} ${how}${error instanceof Error ? `: ${error.message}` : ''}`),
    usage: () => {},
    failed: (error) => told.push(`failed ${String(error)}`),
  }
}

/** One message of the client in a few words. */
export function lineOf(message: GeminiClientMessage): string[] {
  const { setup, clientContent, toolResponse, realtimeInput } = message
  if (setup) return [`setup ${setup.sessionResumption?.handle ?? 'anew'}`]
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

/** The only content there is to interrupt with. */
export const STOP = 'content wait'

/** The outputs of tools that have reached the server. */
export const toolOutputs = ({ sessions }: GeminiLiveServer): string[] =>
  sessions
    .flatMap(({ received }) => received)
    .flatMap(({ toolResponse }) => toolResponse?.functionResponses ?? [])
    .map(({ response }) => String(response?.['output']))
