import { pcm } from '../../../src/audio/index.ts'
import type { RealtimeModel, RealtimeSetup, Usage } from '../../../src/parts/index.ts'
import { OpenAILive, type OpenAILiveOptions } from '../../../src/providers/openai/index.ts'
import { partContext, type TestPartContext, type World } from '../../../src/testing/index.ts'
import { OpenAILiveServer, type OpenAILiveServerOptions } from '../../../src/testing/servers/index.ts'

export const KEY = 'sk-secret-0123456789'

export interface TalkOptions extends OpenAILiveServerOptions {
  readonly setup?: Partial<RealtimeSetup>
  readonly live?: OpenAILiveOptions
}

export interface Talking {
  readonly server: OpenAILiveServer
  readonly context: TestPartContext
  readonly model: RealtimeModel
  /** The events except audio, text, interim transcripts and usage, one line each. */
  readonly log: string[]
  readonly warnings: string[]
  readonly usage: Usage[]
  /** The names of the answers, in order. */
  readonly answers: string[]
  /** The words of all answers, and the milliseconds of their sound. */
  readonly said: () => string
  readonly sound: () => number
  /** The events that a connection received, without audio. Default: the newest connection. */
  readonly sent: (connection?: number) => object[]
  /** Sends an event to the client as the service would. */
  readonly sends: (event: object) => void
}

export const find = { name: 'find', description: 'Finds a slot', parameters: { type: 'object' } }

/** Opens a conversation with the server in virtual time, without a session. */
export async function talk(world: World, options: TalkOptions = {}): Promise<Talking> {
  const { setup, live, ...manners } = options
  const server = new OpenAILiveServer({ clock: world.clock, apiKey: KEY, ...manners })
  world.network.serve = server.serve
  const warnings: string[] = []
  const logger = {
    debug() {},
    info() {},
    warn: (_: object, message: string) => warnings.push(message),
    error() {},
  }
  const context = partContext(world, { logger })
  const log: string[] = []
  const usage: Usage[] = []
  const answers: string[] = []
  let words = ''
  let sound = 0
  const model = await new OpenAILive({ apiKey: KEY, ...live }).open(
    context,
    {
      hears: pcm(24_000),
      speaks: pcm(24_000),
      instructions: 'Be brief.',
      tools: [find],
      messages: [],
      takesTurns: true,
      ...setup,
    },
    {
      userStarted: () => log.push('user starts'),
      userStopped: () => log.push('user stops'),
      userInterim: () => {},
      userFinal: (text) => log.push(`final ${text}`),
      responseStarted: (response, asked) => {
        answers.push(response)
        log.push(asked ? 'answer, asked' : 'answer')
      },
      audio: (_, frame) => {
        sound += (frame.samples.length * 1_000) / frame.sampleRate
      },
      text: (_, text) => {
        words += text
      },
      toolCall: (_, { name, input }) => log.push(`call ${name} ${input}`),
      toolCancelled: (id) => log.push(`cancelled ${id}`),
      responseEnded: (_, how, error) => log.push(error instanceof Error ? `${how}: ${error.message}` : how),
      usage: (used) => usage.push(used),
      failed: (error) => log.push(`failed ${String(error)}`),
    },
  )
  const sent = (connection = -1): object[] =>
    (server.sessions.at(connection)?.received ?? []).filter(
      ({ type }) => type !== 'session.input_audio.append',
    )
  const sends = (event: object): void => server.sessions.at(-1)?.send(event)
  return {
    server,
    context,
    model,
    log,
    warnings,
    usage,
    answers,
    said: () => words,
    sound: () => sound,
    sent,
    sends,
  }
}
