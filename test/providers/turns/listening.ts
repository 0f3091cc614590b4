import { silence } from '../../../src/audio/index.ts'
import {
  noSttEvents,
  type Stt,
  type SttEvents,
  type SttSetup,
  type SttStream,
  type TranscriptDetails,
} from '../../../src/parts/index.ts'
import {
  partContext,
  soundOf,
  type Manners,
  type TestPartContext,
  type World,
} from '../../../src/testing/index.ts'
import type { DialRequest } from '../../../src/scope/index.ts'

/** An open stream on a simulated network. */
export interface Listening {
  readonly context: TestPartContext
  readonly stream: SttStream
  /** All events as text, except usage. */
  readonly log: string[]
  readonly details: (TranscriptDetails | undefined)[]
  /** Seconds of audio that were charged. */
  readonly charged: () => number
  /** Pushes speech, in frames of 20 ms. */
  readonly say: (text: string) => void
  readonly quiet: (ms: number) => void
}

/** Opens an STT against a vendor's server. */
export async function listen(
  world: World,
  server: { readonly serve: (request: DialRequest) => Manners },
  stt: Stt,
  setup: Partial<SttSetup> = {},
): Promise<Listening> {
  world.network.serve = server.serve
  const context = partContext(world)
  const log: string[] = []
  const details: (TranscriptDetails | undefined)[] = []
  let charged = 0
  const events: SttEvents = {
    ...noSttEvents,
    started: () => log.push('started'),
    interim: (text) => log.push(`interim ${text}`),
    final: (text, more) => {
      log.push(`final ${text}`)
      details.push(more)
    },
    maybeEndOfTurn: () => log.push('maybe end of turn'),
    resumed: () => log.push('resumed'),
    endOfTurn: () => log.push('end of turn'),
    usage: ({ audioSeconds = 0 }) => void (charged += audioSeconds),
    failed: (error) => {
      const { code, end } = error as { code: string; end?: { code?: number; reason?: string } }
      log.push(`failed ${code} ${end?.code ?? ''} ${end?.reason ?? ''}`.trim())
    },
  }
  const format = setup.format ?? stt.hears[0]!
  const stream = await stt
    .open(context, events, { keyTerms: [], ...setup, format })
    .catch(async (error: unknown) => {
      await context.scope.close()
      throw error
    })
  const push = (samples: Int16Array): void => {
    const size = format.sampleRate / 50
    for (let at = 0; at < samples.length; at += size)
      stream.push({ samples: samples.slice(at, at + size), sampleRate: format.sampleRate })
  }
  return {
    context,
    stream,
    log,
    details,
    charged: () => charged,
    say: (text) => push(soundOf(text, format.sampleRate, 50).samples),
    quiet: (ms) => push(silence(ms, format.sampleRate).samples),
  }
}
