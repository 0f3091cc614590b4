import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LinkCommand, LinkEvent, LinkTimer } from './link-events.ts'
import { LinkMachine } from './link-machine.ts'
import { settle, type LinkSettings } from './link-settings.ts'
import type { EndClass } from './link-end.ts'
import type { Protocol } from './protocol.ts'

// ── the witness ──

/** As `expect`, which would take most of the time here. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}

/** Sees only events and commands, believes nothing, and throws at the first command that must not be. */
class Witness {
  readonly machine: LinkMachine
  readonly settings: LinkSettings
  readonly timers = new Map<LinkTimer, number>()
  /** Sockets that were dialled and have neither ended nor been cut. */
  readonly standing = new Set<number>()
  readonly fenced = new Set<number>()
  readonly told: LinkCommand[] = []
  now = 0
  dials = 0
  /** Dials that cost nothing: the first, rollovers, wakes, expired sessions. */
  free = 1
  closing = false
  over: LinkCommand | undefined
  serving: number | undefined

  constructor(settings: LinkSettings) {
    this.settings = settings
    this.machine = new LinkMachine(settings)
  }

  tell(event: LinkEvent): LinkCommand[] {
    if (event.type === 'intent' || event.type === 'close' || event.type === 'abort') this.closing = true
    if (event.type === 'roll-over' || event.type === 'wake') this.free++
    if (event.type === 'timer' && event.timer === 'roll-over') this.free++
    if (event.type === 'ended' && event.end.class === 'expired') this.free++
    if (event.type === 'ended' && !event.standing) this.standing.delete(event.generation)
    const commands = this.machine.handle(event)
    for (const command of commands) this.#see(command)
    const calls = commands.findIndex(({ type }) => type === 'lost' || type === 'over')
    must(calls < 0 || calls === commands.length - 1, 'more to do after the protocol was told')
    this.#look()
    return commands
  }

  #see(command: LinkCommand): void {
    must(!this.over, `${command.type} after the end`)
    this.told.push(command)
    switch (command.type) {
      case 'set-timer':
        // A rollover can have been due before the connection was ready.
        must(command.at >= this.now || command.timer === 'roll-over', `${command.timer} is late`)
        this.timers.set(command.timer, command.at)
        break
      case 'clear-timer':
        this.timers.delete(command.timer)
        break
      case 'dial':
        must(!this.closing, 'dials although it is closing')
        must(command.generation === ++this.dials, 'skips a generation')
        must(this.settings.order === 'new-first' || this.standing.size === 0, 'dials beside the old one')
        this.standing.add(command.generation)
        break
      case 'serve':
        must(this.standing.has(command.generation), 'serves what has ended')
        must(!this.fenced.has(command.generation), 'serves what is fenced')
        this.serving = command.generation
        break
      case 'hold':
        this.serving = undefined
        break
      case 'fence':
        this.fenced.add(command.generation)
        break
      case 'cut':
        this.standing.delete(command.generation)
        break
      case 'close':
      case 'send-ending':
        must(this.standing.has(command.generation), `${command.type} over what has ended`)
        break
      case 'lost':
        break
      case 'over':
        this.over = command
        break
    }
  }

  /** What must hold whenever everything was carried out. */
  #look(): void {
    const { state, phase } = this.machine
    const { retries, lifetimeRetries } = this.settings
    must(state.failures <= retries && state.retries <= lifetimeRetries, 'more retries than there are')
    must(this.dials <= this.free + state.retries, 'dials that nobody counted')
    // The one in use, the next one, the last one.
    must(this.standing.size <= 3, 'sockets pile up')
    must((phase === 'closed') === (this.over !== undefined), 'is not closed when it is over')
    if (this.over) {
      must(this.standing.size === 0, `sockets after the end: ${[...this.standing].join(' ')}`)
      must(this.timers.size === 0, `timers after the end: ${[...this.timers.keys()].join(' ')}`)
      return
    }
    const waits = this.dials > 0 && phase !== 'ready' && phase !== 'idle' && phase !== 'closing'
    must(!waits || this.timers.size > 0, `${phase} without a bound`)
    must(phase !== 'ready' || this.serving === state.serving?.generation, 'ready, and serves another')
    must(!state.closing?.asked || this.timers.size === 1, 'closing without a bound')
  }

  /** Lets the next timer fire. */
  fire(chance: number): boolean {
    const [next] = [...this.timers].toSorted(([, one], [, two]) => one - two)
    if (!next) return false
    const [timer, due] = next
    this.timers.delete(timer)
    this.now = Math.max(this.now, due)
    this.tell({ type: 'timer', at: this.now, timer, due, chance })
    return true
  }
}

// ── random lives ──

const classes: EndClass[] = ['idle', 'expired', 'dropped', 'refused', 'fatal']

interface Step {
  readonly what: LinkEvent['type'] | 'fire'
  /** Which generation, counted back from the last. */
  readonly back: number
  readonly class: EndClass
  readonly flag: boolean
  readonly chance: number
  readonly wait: number
}

const stepOf = (what: Step['what'][]): fc.Arbitrary<Step> =>
  fc.record({
    what: fc.constantFrom(...what),
    back: fc.constantFrom(0, 0, 0, 0, 1, 2, -1),
    class: fc.constantFrom(...classes),
    flag: fc.boolean(),
    chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
    wait: fc.constantFrom(0, 0, 1, 100, 20_000),
  })

const living: Step['what'][] = [
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
const anything: Step['what'][] = [...living, 'overflow', 'broken', 'intent', 'close', 'abort']

function take(witness: Witness, step: Step): void {
  if (step.what === 'fire' || step.what === 'timer') {
    witness.fire(step.chance)
    return
  }
  // Time does not pass beyond what is due.
  const due = Math.min(...witness.timers.values())
  witness.now = Math.min(witness.now + step.wait, Math.max(witness.now, due))
  const at = witness.now
  const generation = witness.dials - step.back
  const { what } = step
  switch (what) {
    case 'opened':
    case 'ready':
    case 'answered':
    case 'acknowledged':
      witness.tell({ type: what, at, generation })
      break
    case 'roll-over':
      witness.tell({ type: what, at, generation, after: step.flag ? 0 : step.wait })
      break
    case 'ended':
      // A socket ends once; its end can be announced at any time.
      if (!step.flag && !witness.standing.has(generation)) break
      witness.tell({
        type: what,
        at,
        generation,
        end: { class: step.class, code: 1006 },
        standing: step.flag,
        resumable: step.chance < 0.9,
        chance: step.chance,
      })
      break
    case 'start':
      break
    case 'wake':
    case 'overflow':
    case 'broken':
    case 'intent':
    case 'close':
    case 'abort':
      witness.tell({ type: what, at })
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

function live(protocol: Partial<Protocol>, steps: readonly Step[]): Witness {
  const witness = new Witness(settingsOf(protocol))
  witness.tell({ type: 'start', at: 0 })
  for (const step of steps) take(witness, step)
  return witness
}

describe('the machine of a link, in random lives', () => {
  it('[LK1] [LK3] never dials once it is closing, keeps to its budget, ends once and leaves nothing', () => {
    fc.assert(
      fc.property(protocols, fc.array(stepOf(anything), { maxLength: 60 }), (protocol, steps) => {
        live(protocol, steps)
      }),
      { numRuns: 3_000 },
    )
  })

  it('[LK6] once it is asked to close it does, in two waits at most, whatever happened before', () => {
    fc.assert(
      fc.property(
        protocols,
        fc.array(stepOf(living), { maxLength: 40 }),
        fc.array(stepOf(living), { maxLength: 10 }),
        (protocol, steps, meanwhile) => {
          const witness = live(protocol, steps)
          if (witness.over) return
          const dials = witness.dials
          witness.tell({ type: 'intent', at: witness.now })
          for (const step of meanwhile) take(witness, step)
          witness.tell({ type: 'close', at: witness.now })
          const asked = witness.now
          for (let wait = 0; wait < 2 && !witness.over; wait++) witness.fire(0)
          const { acknowledgeWithin, closePatience } = witness.settings
          expect(witness.over).toMatchObject({ type: 'over', error: undefined })
          expect(witness.now - asked).toBeLessThanOrEqual(acknowledgeWithin + closePatience)
          expect(witness.dials).toBe(dials)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  it('[LK5] is ready, asleep or over in bounded time if nothing but time passes', () => {
    fc.assert(
      fc.property(protocols, fc.array(stepOf(living), { maxLength: 30 }), (protocol, steps) => {
        const witness = live(protocol, steps)
        for (let wait = 0; wait < 100 && !witness.over; wait++) {
          if (!witness.fire(0.5)) break
        }
        expect(['ready', 'idle', 'closed']).toContain(witness.machine.phase)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('the machine of a link, exhaustively', () => {
  /** Every event that could come, of the last two connections. */
  const every = (witness: Witness): LinkEvent[] => {
    const at = witness.now
    const generations = [witness.dials, witness.dials - 1]
    return [
      ...generations.flatMap((generation): LinkEvent[] => [
        { type: 'opened', at, generation },
        { type: 'ready', at, generation },
        { type: 'roll-over', at, generation, after: 0 },
        { type: 'acknowledged', at, generation },
        ...(['dropped', 'idle', 'fatal'] as const).flatMap((as): LinkEvent[] =>
          [true, false]
            .filter((standing) => standing || witness.standing.has(generation))
            .map((standing) => ({
              type: 'ended',
              at,
              generation,
              end: { class: as },
              standing,
              resumable: true,
              chance: 0.5,
            })),
        ),
      ]),
      { type: 'wake', at },
      { type: 'intent', at },
      { type: 'close', at },
      { type: 'abort', at },
    ]
  }

  it.each(['new-first', 'old-first'] as const)(
    '[LK1] no five events in a row make a closing link dial, %s',
    (order) => {
      const settings = settingsOf({ rollover: { order }, ending: { frames: () => ['bye'] } })
      let lives = 0
      const explore = (past: readonly (LinkEvent | 'fire')[], depth: number): void => {
        const witness = new Witness(settings)
        witness.tell({ type: 'start', at: 0 })
        for (const event of past) {
          if (event === 'fire') witness.fire(0.5)
          else witness.tell({ ...event, at: witness.now })
        }
        lives++
        if (witness.over || depth === 0) return
        for (const event of every(witness)) explore([...past, event], depth - 1)
        if (witness.timers.size > 0) explore([...past, 'fire'], depth - 1)
      }
      explore([], 3)
      // And from the state that matters most.
      explore(
        [
          { type: 'opened', at: 0, generation: 1 },
          { type: 'ready', at: 0, generation: 1 },
        ],
        3,
      )
      expect(lives).toBeGreaterThan(10_000)
    },
  )

  it('ignores a timer that was cleared or replaced while it was on its way', () => {
    const witness = new Witness(settingsOf({}))
    witness.tell({ type: 'start', at: 0 })
    const due = witness.timers.get('open') ?? 0
    witness.tell({ type: 'opened', at: 1, generation: 1 })
    witness.tell({ type: 'ready', at: 2, generation: 1 })
    expect(witness.machine.handle({ type: 'timer', at: due, timer: 'open', due, chance: 0 })).toEqual([])
    expect(witness.machine.phase).toBe('ready')
  })
})
