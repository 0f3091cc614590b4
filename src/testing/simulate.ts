import { EndwellError } from '../scope/index.ts'
import { drain } from './drain.ts'
import { SimClock } from './sim-clock.ts'
import { SimNetwork } from './sim-network.ts'
import { SimRandom } from './sim-random.ts'
import { Trace } from './trace.ts'

/** Everything a simulated life can touch. Pass `clock`, `random` and `network` to the code under test. */
export interface World {
  readonly seed: number
  readonly clock: SimClock
  readonly random: SimRandom
  readonly network: SimNetwork
  /** Writes a line into the story. */
  readonly tell: (text: string) => void
  /** Writes down that a rule does not hold. The life goes on. */
  readonly violate: (rule: string, what: string) => void
}

export interface Violation {
  readonly rule: string
  readonly what: string
}

export interface Life {
  readonly seed: number
  /** Empty if all went well. */
  readonly violations: readonly Violation[]
  /** The same for the same seed, on every machine and in every process (SI1). */
  readonly hash: string
  readonly story: string
  readonly events: number
}

export interface SimulateOptions {
  /** More events than this are a runaway: 100,000 unless set. */
  maxEvents?: number
}

/**
 * Lives one life in virtual time. Every timer and socket of `life` comes from the world, so a year passes in a moment
 * and the same seed always tells the same story. It ends when nothing is left to happen; a promise still pending then
 * would have hung for ever, and is a violation.
 */
export async function simulate(
  seed: number,
  life: (world: World) => void | PromiseLike<void>,
  { maxEvents = 100_000 }: SimulateOptions = {},
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
      .then(() => life(world))
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
        violate('SC18', `more than ${maxEvents} events: it never comes to rest`)
        break
      }
    }
  } finally {
    process.off('unhandledRejection', unhandled)
    process.off('uncaughtException', uncaught)
  }
  if (state === 'pending')
    violate('SC2', 'nothing is left to happen, and the life still waits: it would hang for ever')
  for (const left of [...clock.timers.list(), ...network.sockets.list()]) {
    violate('SC15', `left behind: ${left.kind} '${left.name}'`)
  }
  return {
    seed,
    violations,
    events,
    get hash() {
      return trace.hash
    },
    get story() {
      return trace.story
    },
  }
}

/**
 * Runs one test in virtual time: nothing sleeps, and a promise that would hang for ever fails at once. What `test`
 * throws is thrown; a socket left behind and an unhandled rejection fail, too.
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
