import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LinkCommand, LinkEvent, LinkTimer } from './link-events.ts'
import { LinkMachine } from './link-machine.ts'
import { settle, type LinkSettings } from './link-settings.ts'
import type { EndClass } from './link-end.ts'
import type { Protocol } from './protocol.ts'

// ── the monitor ──

/** A cheap `expect`, which would otherwise take most of the time here. */
function must(holds: boolean, violation: string): void {
  if (!holds) throw new Error(violation)
}

/** Drives a machine and throws at the first command that breaks a rule, judging by events and commands alone. */
class Monitor {
  readonly machine: LinkMachine
  readonly settings: LinkSettings
  readonly timers = new Map<LinkTimer, number>()
  /** Sockets that were dialled and have neither ended nor been cut. */
  readonly sockets = new Set<number>()
  readonly fenced = new Set<number>()
  now = 0
  dials = 0
  /** Dials that cost no retry: the first one, rollovers, wakes, expired sessions. */
  freeDials = 1
  closing = false
  closed: LinkCommand | undefined
  current: number | undefined

  constructor(settings: LinkSettings) {
    this.settings = settings
    this.machine = new LinkMachine(settings)
  }

  handle(event: LinkEvent): LinkCommand[] {
    if (event.type === 'intent' || event.type === 'close' || event.type === 'abort') this.closing = true
    if (event.type === 'roll-over' || event.type === 'wake') this.freeDials++
    if (event.type === 'timer' && event.timer === 'roll-over') this.freeDials++
    if (event.type === 'ended' && event.end.class === 'expired') this.freeDials++
    if (event.type === 'ended' && !event.socketOpen) this.sockets.delete(event.generation)
    const commands = this.machine.handle(event)
    for (const command of commands) this.#checkCommand(command)
    const call = commands.findIndex(({ type }) => type === 'lost' || type === 'closed')
    must(call < 0 || call === commands.length - 1, 'a command follows a call of the protocol')
    this.#checkState()
    return commands
  }

  #checkCommand(command: LinkCommand): void {
    must(!this.closed, `${command.type} after the end`)
    switch (command.type) {
      case 'set-timer':
        // A rollover may have been due before the connection was ready.
        must(command.at >= this.now || command.timer === 'roll-over', `${command.timer} is late`)
        this.timers.set(command.timer, command.at)
        break
      case 'clear-timer':
        this.timers.delete(command.timer)
        break
      case 'dial':
        must(!this.closing, 'dials while closing')
        must(command.generation === ++this.dials, 'skips a generation')
        must(this.settings.order === 'new-first' || this.sockets.size === 0, 'dials before the old one ended')
        this.sockets.add(command.generation)
        break
      case 'use':
        must(this.sockets.has(command.generation), 'uses a connection that has ended')
        must(!this.fenced.has(command.generation), 'uses a fenced connection')
        this.current = command.generation
        break
      case 'hold':
        this.current = undefined
        break
      case 'fence':
        this.fenced.add(command.generation)
        break
      case 'cut':
        this.sockets.delete(command.generation)
        break
      case 'close':
      case 'send-ending':
        must(this.sockets.has(command.generation), `${command.type} on a connection that has ended`)
        break
      case 'lost':
        break
      case 'closed':
        this.closed = command
        break
    }
  }

  /** Checks the invariants that hold between two events. */
  #checkState(): void {
    const { state, phase } = this.machine
    const { retries, lifetimeRetries } = this.settings
    must(state.failures <= retries && state.retries <= lifetimeRetries, 'exceeds the retry budget')
    must(this.dials <= this.freeDials + state.retries, 'dials without spending a retry')
    // Current, next and retiring.
    must(this.sockets.size <= 3, 'sockets pile up')
    must((phase === 'closed') === (this.closed !== undefined), "phase and 'closed' command disagree")
    if (this.closed) {
      must(this.sockets.size === 0, `sockets after the end: ${[...this.sockets].join(' ')}`)
      must(this.timers.size === 0, `timers after the end: ${[...this.timers.keys()].join(' ')}`)
      return
    }
    const waits = this.dials > 0 && phase !== 'ready' && phase !== 'idle' && phase !== 'closing'
    must(!waits || this.timers.size > 0, `${phase} without a bound`)
    must(
      phase !== 'ready' || this.current === state.current?.generation,
      'ready, but another connection is in use',
    )
    must(!state.closing?.asked || this.timers.size === 1, 'closing without a bound')
  }

  /** Fires the next timer. Returns false if none is set. */
  fire(jitter: number): boolean {
    const [next] = [...this.timers].toSorted(([, one], [, two]) => one - two)
    if (!next) return false
    const [timer, due] = next
    this.timers.delete(timer)
    this.now = Math.max(this.now, due)
    this.handle({ type: 'timer', at: this.now, timer, due, jitter })
    return true
  }
}

// ── random lives ──

const classes: EndClass[] = ['idle', 'expired', 'dropped', 'refused', 'fatal']

interface Step {
  readonly what: LinkEvent['type'] | 'fire'
  /** Which generation, counted back from the latest. */
  readonly back: number
  readonly class: EndClass
  readonly flag: boolean
  readonly jitter: number
  readonly wait: number
}

const stepOf = (what: Step['what'][]): fc.Arbitrary<Step> =>
  fc.record({
    what: fc.constantFrom(...what),
    back: fc.constantFrom(0, 0, 0, 0, 1, 2, -1),
    class: fc.constantFrom(...classes),
    flag: fc.boolean(),
    jitter: fc.double({ min: 0, max: 0.999, noNaN: true }),
    wait: fc.constantFrom(0, 0, 1, 100, 20_000),
  })

const liveSteps: Step['what'][] = [
  'opened',
  'opened',
  'opened',
  'ready',
  'ready',
  'ready',
  'answered',
  'ended',
  'roll-over',
  'wake',
  'acknowledged',
  'fire',
  'fire',
]
const allSteps: Step['what'][] = [...liveSteps, 'overflow', 'invalid', 'broken', 'intent', 'close', 'abort']

function take(monitor: Monitor, step: Step): void {
  if (step.what === 'fire' || step.what === 'timer') {
    monitor.fire(step.jitter)
    return
  }
  // Time does not pass beyond the next timer.
  const due = Math.min(...monitor.timers.values())
  monitor.now = Math.min(monitor.now + step.wait, Math.max(monitor.now, due))
  const at = monitor.now
  const generation = monitor.dials - step.back
  const { what } = step
  switch (what) {
    case 'opened':
    case 'ready':
    case 'answered':
    case 'acknowledged':
      monitor.handle({ type: what, at, generation })
      break
    case 'roll-over':
      monitor.handle({ type: what, at, generation, after: step.flag ? 0 : step.wait })
      break
    case 'ended':
      // A socket ends once, but its end can be announced at any time.
      if (!step.flag && !monitor.sockets.has(generation)) break
      monitor.handle({
        type: what,
        at,
        generation,
        end: { class: step.class, code: 1006 },
        socketOpen: step.flag,
        resumable: step.jitter < 0.9,
        jitter: step.jitter,
      })
      break
    case 'start':
      break
    case 'invalid':
      monitor.handle({ type: what, at, problem: 'not a URL' })
      break
    case 'wake':
    case 'overflow':
    case 'broken':
    case 'intent':
    case 'close':
    case 'abort':
      monitor.handle({ type: what, at })
      break
  }
}

const protocols: fc.Arbitrary<Partial<Protocol>> = fc.record({
  rollover: fc.record(
    {
      order: fc.constantFrom('new-first' as const, 'old-first' as const),
      maxAge: fc.constantFrom(50, 5_000),
    },
    { requiredKeys: ['order'] },
  ),
  ending: fc.constantFrom({}, { frames: () => ['bye'] }),
  timing: fc.record({
    retries: fc.nat(4),
    lifetimeRetries: fc.nat(8),
    healthyAfter: fc.constantFrom(0, 100),
  }),
})

const settingsOf = (protocol: Partial<Protocol>): LinkSettings =>
  settle({ name: 'x', request: () => ({ url: 'ws://x' }), message() {}, failed() {}, ...protocol })

function run(protocol: Partial<Protocol>, steps: readonly Step[]): Monitor {
  const monitor = new Monitor(settingsOf(protocol))
  monitor.handle({ type: 'start', at: 0 })
  for (const step of steps) take(monitor, step)
  return monitor
}

describe('a link machine given random events', () => {
  it('[LK1] [LK3] never dials while closing, keeps its retry budget, closes once and leaves nothing behind', () => {
    fc.assert(
      fc.property(protocols, fc.array(stepOf(allSteps), { maxLength: 60 }), (protocol, steps) => {
        run(protocol, steps)
      }),
      { numRuns: 3_000 },
    )
  })

  it('[LK6] closes after at most two timers once it is asked to, whatever happened before', () => {
    fc.assert(
      fc.property(
        protocols,
        fc.array(stepOf(liveSteps), { maxLength: 40 }),
        fc.array(stepOf(liveSteps), { maxLength: 10 }),
        (protocol, steps, meanwhile) => {
          const monitor = run(protocol, steps)
          if (monitor.closed) return
          const dials = monitor.dials
          monitor.handle({ type: 'intent', at: monitor.now })
          for (const step of meanwhile) take(monitor, step)
          monitor.handle({ type: 'close', at: monitor.now })
          const asked = monitor.now
          for (let wait = 0; wait < 2 && !monitor.closed; wait++) monitor.fire(0)
          const { acknowledgeWithin, closePatience } = monitor.settings
          expect(monitor.closed).toMatchObject({ type: 'closed', error: undefined })
          expect(monitor.now - asked).toBeLessThanOrEqual(acknowledgeWithin + closePatience)
          expect(monitor.dials).toBe(dials)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  it('[LK5] becomes ready, idle or closed in bounded time when only timers fire', () => {
    fc.assert(
      fc.property(protocols, fc.array(stepOf(liveSteps), { maxLength: 30 }), (protocol, steps) => {
        const monitor = run(protocol, steps)
        for (let wait = 0; wait < 100 && !monitor.closed; wait++) {
          if (!monitor.fire(0.5)) break
        }
        expect(['ready', 'idle', 'closed']).toContain(monitor.machine.phase)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('a link machine', () => {
  it('ignores a timer that was cleared or replaced just before it fired', () => {
    const monitor = new Monitor(settingsOf({}))
    monitor.handle({ type: 'start', at: 0 })
    const due = monitor.timers.get('open') ?? 0
    monitor.handle({ type: 'opened', at: 1, generation: 1 })
    monitor.handle({ type: 'ready', at: 2, generation: 1 })
    expect(monitor.machine.handle({ type: 'timer', at: due, timer: 'open', due, jitter: 0 })).toEqual([])
    expect(monitor.machine.phase).toBe('ready')
  })
})
