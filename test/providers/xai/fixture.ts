import { pcm } from '../../../src/audio/index.ts'
import type { RealtimeModel, RealtimeSetup } from '../../../src/parts/index.ts'
import { XaiRealtime, type XaiRealtimeOptions } from '../../../src/providers/xai/index.ts'
import { partContext, type Peer, type TestPartContext, type World } from '../../../src/testing/index.ts'
import { XaiRealtimeServer, type XaiRealtimeServerOptions } from '../../../src/testing/servers/index.ts'

export const KEY = 'xai-secret-0123456789'

export interface TalkOptions extends XaiRealtimeServerOptions {
  readonly setup?: Partial<RealtimeSetup>
  readonly xai?: XaiRealtimeOptions
}

export interface Talking {
  readonly server: XaiRealtimeServer
  readonly context: TestPartContext
  readonly model: RealtimeModel
  /** The events except audio, text and usage, one line each. */
  readonly log: string[]
  readonly warnings: string[]
  /** The names of the answers, in order. */
  readonly answers: string[]
  /** The words of all answers. */
  readonly said: () => string
  /** The events that a connection received, without audio. Default: the newest connection. */
  readonly sent: (connection?: number) => Record<string, unknown>[]
  /** Sends an event to the client as the service would. */
  readonly sends: (event: object) => void
}

export const find = { name: 'find', description: 'Finds a slot', parameters: { type: 'object' } }

/** Opens a conversation with the server in virtual time, without a session. */
export async function talk(world: World, options: TalkOptions = {}): Promise<Talking> {
  const { setup, xai, ...manners } = options
  const server = new XaiRealtimeServer({ clock: world.clock, apiKey: KEY, ...manners })
  let newest: Peer | undefined
  world.network.serve = (request) => {
    const served = server.serve(request)
    return {
      ...served,
      opened: (peer) => {
        newest = peer
        served.opened?.(peer)
      },
    }
  }
  const warnings: string[] = []
  const logger = {
    debug() {},
    info() {},
    warn: (_: object, message: string) => warnings.push(message),
    error() {},
  }
  const context = partContext(world, { logger })
  const log: string[] = []
  const answers: string[] = []
  let words = ''
  const model = await new XaiRealtime({ apiKey: KEY, ...xai }).open(
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
      userInterim: (text) => log.push(`interim ${text}`),
      userFinal: (text) => log.push(`final ${text}`),
      responseStarted: (response, asked) => {
        answers.push(response)
        log.push(asked ? 'answer, asked' : 'answer')
      },
      audio: () => {},
      text: (_, text) => {
        words += text
      },
      toolCall: (_, { name, input }) => log.push(`call ${name} ${input}`),
      toolCancelled: (id) => log.push(`cancelled ${id}`),
      responseEnded: (_, how, error) => log.push(error instanceof Error ? `${how}: ${error.message}` : how),
      usage: () => {},
      failed: (error) => log.push(`failed ${String(error)}`),
    },
  )
  const sent = (connection = -1): Record<string, unknown>[] =>
    (server.sessions.at(connection)?.received ?? []).filter(
      ({ type }) => type !== 'input_audio_buffer.append',
    )
  const sends = (event: object): void => newest?.send(JSON.stringify(event))
  return { server, context, model, log, warnings, answers, said: () => words, sent, sends }
}

/** The log without interim transcripts. */
export const milestones = (log: readonly string[]): string[] =>
  log.filter((line) => !line.startsWith('interim'))
