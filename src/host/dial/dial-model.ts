import {
  silentLogger,
  noSttEvents,
  type PartContext,
  type Llm,
  type Realtime,
  type Stt,
  type Tts,
} from '../../parts/index.ts'
import {
  EndwellError,
  Scope,
  noop,
  systemClock,
  systemRandom,
  type Clock,
  type DialRequest,
  type SocketEnd,
} from '../../scope/index.ts'
import { watchedNetwork } from '../../link/index.ts'
import { describeDialFailure } from './dial-failure.ts'

/** A model to dial, and whose it is. */
export type DialTarget = { readonly owner?: string | undefined } & (
  | { readonly kind: 'llm'; readonly part: Llm }
  | { readonly kind: 'stt'; readonly part: Stt }
  | { readonly kind: 'tts'; readonly part: Tts }
  | { readonly kind: 'realtime'; readonly part: Realtime }
)

/** What a vendor answered. */
export interface DialledModel {
  readonly kind: DialTarget['kind']
  /** The name of the model and, if it is not the session's, of its agent. */
  readonly name: string
  readonly ok: boolean
  /** How long it took to answer, in milliseconds. */
  readonly took: number
  /** What it answered and, unless it is fine, what to do. */
  readonly text: string
}

/** How long a model may take to answer, in milliseconds. */
const TIMEOUT = 5_000
/** How long an open model is watched, in milliseconds: some vendors accept any connection, and then refuse the key. */
const SETTLE = 300

/** Opens a model for real, has it answer if opening proves nothing, and closes it. Never rejects. */
export async function dialModel(target: DialTarget, clock: Clock = systemClock): Promise<DialledModel> {
  const { kind, part, owner } = target
  const scope = new Scope<string>(`dial ${part.name}`, {
    phases: ['tasks', 'resources'],
    closeTimeout: 1_000,
    clock,
  })
  let request: DialRequest | undefined
  let refused: (end: SocketEnd) => void = noop
  const network = watchedNetwork({
    dialled: (dialled) => (request ??= dialled),
    // A link would dial again.
    ended: (end) => end.how === 'refused' && refused(end),
  })
  const context: PartContext = {
    scope,
    network,
    random: systemRandom,
    logger: silentLogger,
    ended: noop,
    used: noop,
  }
  const stop = new AbortController()
  const began = clock.now()
  const result = (ok: boolean, text: string): DialledModel => ({
    kind,
    name: owner === undefined ? part.name : `${part.name} of ${owner}`,
    ok,
    took: Math.round(clock.now() - began),
    text,
  })
  try {
    return await new Promise<DialledModel>((resolve, reject) => {
      scope.after(TIMEOUT, 'time limit', () => reject(new NoAnswer()))
      refused = reject
      const answered = (): void => {
        const success = result(true, `answered in ${Math.round(clock.now() - began)} ms`)
        if (scope.state === 'live') scope.after(SETTLE, 'failures', () => resolve(success))
      }
      answer(target, context, () => request !== undefined, stop.signal, reject).then(answered, reject)
    })
  } catch (error) {
    if (error instanceof NoAnswer) return result(false, error.message)
    const end = isEnd(error) ? error : undefined
    const vendor = 'provider' in part ? part.provider : undefined
    return result(false, describeDialFailure({ error, end, request, vendor }))
  } finally {
    stop.abort()
    await scope.close({ reason: 'dialled' })
  }
}

class NoAnswer extends EndwellError {
  constructor() {
    super(
      'PART_TIMEOUT',
      `no answer within ${TIMEOUT / 1_000} s: check the network, the proxy and the vendor's status page`,
    )
  }
}

/** Resolves when the model has proven that it works. */
async function answer(
  target: DialTarget,
  context: PartContext,
  hasDialled: () => boolean,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): Promise<void> {
  switch (target.kind) {
    case 'stt': {
      const setup = { format: target.part.hears[0]!, keyTerms: [] }
      await target.part.open(context, { ...noSttEvents, failed }, setup)
      return
    }
    case 'realtime': {
      const { part } = target
      const setup = {
        hears: part.hears[0]!,
        speaks: part.speaks[0]!,
        instructions: '',
        tools: [],
        messages: [],
        takesTurns: true,
      }
      const ignored = {
        userStarted: noop,
        userStopped: noop,
        userInterim: noop,
        userFinal: noop,
        responseStarted: noop,
        audio: noop,
        text: noop,
        toolCall: noop,
        toolCancelled: noop,
        responseEnded: noop,
        usage: noop,
      }
      await part.open(context, setup, { ...ignored, failed })
      return
    }
    case 'llm': {
      const client = await target.part.open(context)
      const messages = [{ role: 'user', text: 'Say ok.' } as const]
      return first(client.generate({ instructions: '', messages, tools: [] }, signal))
    }
    case 'tts': {
      const voice = await target.part.open(context, { format: target.part.speaks[0]! })
      // A voice that has no connection of its own sends requests: only one of them tells whether it works.
      if (!hasDialled()) return first(voice.speak(once('Ok.'), signal))
    }
  }
}

/** Resolves at the first chunk. */
async function first(chunks: AsyncIterable<unknown>): Promise<void> {
  for await (const chunk of chunks) if (chunk !== undefined) return
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

function isEnd(value: unknown): value is { how: 'refused'; status?: number; reason?: string } {
  return typeof value === 'object' && value !== null && 'how' in value && !(value instanceof Error)
}
