import { EndwellError } from '../scope/index.ts'
import { drain as drainInNextTurn } from './drain.ts'
import { SimClock } from './sim-clock.ts'
import { SimNetwork } from './sim-network.ts'
import { SimRandom } from './sim-random.ts'
import { Trace } from './trace.ts'

/** The environment of a simulation. Pass `clock`, `random` and `network` to the code under test. */
export interface World {
  readonly seed: number
  readonly clock: SimClock
  readonly random: SimRandom
  readonly network: SimNetwork
  /** Adds a line to the story. */
  readonly tell: (text: string) => void
  /** Records the violation of a rule. The simulation continues. */
  readonly violate: (rule: string, what: string) => void
}

export interface Violation {
  readonly rule: string
  readonly what: string
}

/** The result of a simulation. */
export interface Life {
  readonly seed: number
  /** Empty on success. */
  readonly violations: readonly Violation[]
  /** The same for the same seed, on every machine and in every process (SI1). */
  readonly hash: string
  readonly story: string
  readonly events: number
}

export interface SimulateOptions {
  /** The limit of events, to stop a timer that reschedules itself forever. Default: 100,000. */
  maxEvents?: number
  /** Resolves when all microtasks have run. Default: in the next turn of the event loop. */
  drain?: () => Promise<void>
}

/**
 * Runs `body` in virtual time. All its timers and sockets come from the world, so a year passes in a moment, and the same
 * seed always produces the same story. The simulation ends when no event is left. If `body` is still pending then, it
 * would hang forever, which is a violation.
 */
export async function simulate(
  seed: number,
  body: (world: World) => void | PromiseLike<void>,
  { maxEvents = 100_000, drain = drainInNextTurn }: SimulateOptions = {},
): Promise<Life> {
  const clock = new SimClock()
  const random = new SimRandom(seed)
  const trace = new Trace()
  const violations: Violation[] = []
  const tell = (text: string): void => trace.add(clock.now(), text)
  const violate = (rule: string, what: string): void => {
    violations.push({ rule, what })
    tell(`✗ ${rule}: ${what}`)
  }
  const network = new SimNetwork(clock, random, tell)
  const unhandled = (error: unknown): void => violate('SC9', `unhandled rejection: ${String(error)}`)
  const uncaught = (error: unknown): void => violate('SI2', `uncaught exception: ${String(error)}`)
  process.on('unhandledRejection', unhandled)
  process.on('uncaughtException', uncaught)
  let state = 'pending'
  let events = 0
  try {
    const world: World = { seed, clock, random, network, tell, violate }
    Promise.resolve()
      .then(() => body(world))
      .then(
        () => (state = 'done'),
        (error: unknown) => {
          state = 'failed'
          violate('life', error instanceof Error ? (error.stack ?? error.message) : String(error))
        },
      )
    for (;;) {
      await drain()
      const event = clock.step()
      if (event === undefined) break
      if (++events > maxEvents) {
        violate('SC18', `more than ${maxEvents} events: a timer seems to reschedule itself forever`)
        break
      }
    }
  } finally {
    process.off('unhandledRejection', unhandled)
    process.off('uncaughtException', uncaught)
  }
  if (state === 'pending')
    violate('SC2', 'no event is left, and the code is still waiting: it would hang forever')
  for (const left of [...clock.timers.list(), ...network.sockets.list()]) {
    violate('SC15', `left behind: ${left.kind} '${left.name}'`)
  }
  return new TracedLife(seed, violations, events, trace)
}

/** The hash and the story are made when they are read, which is rare. */
class TracedLife implements Life {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly events: number
  readonly #trace: Trace

  constructor(seed: number, violations: readonly Violation[], events: number, trace: Trace) {
    this.seed = seed
    this.violations = violations
    this.events = events
    this.#trace = trace
  }

  get hash(): string {
    return this.#trace.hash
  }

  get story(): string {
    return this.#trace.story
  }
}

/**
 * Runs a test in virtual time: nothing sleeps, and a test that would hang forever fails at once. Rejects with the error
 * that `test` throws, and also for a leftover socket, an unhandled rejection, or events that never end.
 *
 * ```ts
 * it('closes on time', () => inVirtualTime(async ({ clock }) => { … }))
 * ```
 */
export async function inVirtualTime(test: (world: World) => void | PromiseLike<void>): Promise<void> {
  let failure: { readonly error: unknown } | undefined
  const life = await simulate(0, async (world) => {
    try {
      await test(world)
    } catch (error) {
      failure = { error }
    }
  })
  if (failure) throw failure.error
  const [first] = life.violations
  if (first) throw new EndwellError('VIOLATION', `${first.rule}: ${first.what}\n\n${life.story}`)
}
