import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TurnMachine } from './turn-machine.ts'
import type { CommitCommand, TurnCommand, TurnEvent, TurnTimer } from './turn-events.ts'
import type { TurnOptions } from './turn-options.ts'
import { newState, type TurnState } from './turn-state.ts'
import { countWords } from './turn-words.ts'

// ── the witness ──

/** What somebody knows who sees only events and commands. */
interface Seen {
  ending: boolean
  goodbye: boolean
  speaking: boolean
  /** The words of this voice were discarded: it may be anything. */
  loose: boolean
  /** What there may be to be committed: texts of one word each, typed text, telephone keys. */
  words: number
  typed: boolean
  keys: boolean
  /** How often somebody ended a turn by hand. */
  hand: number
  /** Anything since the user was last called idle. */
  stir: boolean
  thinking: 'no' | 'yes' | 'firm'
  sound: 'no' | 'yes' | 'firm' | 'interrupted'
  paused: boolean
  tool: boolean
  preempt: string | undefined
  user: string
  timers: TurnState['timers']
}

const nothingSeen = (): Seen => ({
  ending: false,
  goodbye: false,
  speaking: false,
  loose: false,
  words: 0,
  typed: false,
  keys: false,
  hand: 0,
  stir: true,
  thinking: 'no',
  sound: 'no',
  paused: false,
  tool: false,
  preempt: undefined,
  user: 'silent',
  timers: newState().timers,
})

/** Believes nothing: throws at the first command that must not be. */
class Witness {
  readonly seen: Seen
  readonly #options: TurnOptions

  constructor(options: TurnOptions, seen: Seen = nothingSeen()) {
    this.#options = options
    this.seen = { ...seen, timers: { ...seen.timers } }
  }

  /** What happens is seen before what the machine makes of it. */
  event(event: TurnEvent): void {
    const { seen } = this
    if (event.type !== 'timer' && event.type !== 'live' && event.type !== 'judged') seen.stir = true
    switch (event.type) {
      case 'user-started':
        seen.speaking = true
        seen.loose = false
        break
      case 'user-stopped':
        seen.speaking = false
        break
      case 'interim':
      case 'final':
        if (event.text !== '') seen.words += 1
        break
      case 'typed':
        seen.typed = true
        break
      case 'digit':
        seen.keys = true
        break
      case 'commit':
        seen.hand += 1
        break
      case 'agent-thinking':
        seen.thinking = !event.thinking ? 'no' : event.interruptible === false ? 'firm' : 'yes'
        break
      case 'agent-started':
        seen.sound = event.interruptible ? 'yes' : 'firm'
        break
      case 'agent-stopped':
        seen.sound = 'no'
        seen.paused = false
        break
      case 'tool':
        seen.tool = event.running
        break
      case 'ending':
        seen.goodbye = event.bargeIn === true
        break
      case 'timer':
        seen.timers[event.timer] = undefined
        break
      case 'live':
        seen.ending = false
        seen.goodbye = false
        break
      case 'discard':
        seen.loose = true
        break
      case 'end-of-turn':
      case 'judged':
      case 'barge-in':
        break
    }
  }

  commands(commands: readonly TurnCommand[], event: TurnEvent): void {
    for (const command of commands) this.#command(command, event.at)
    // The ending itself may still settle what is open.
    if (event.type === 'ending') this.seen.ending = true
    if (!this.seen.ending) return
    must(this.seen.preempt === undefined, 'an answer is left open at the end')
    must(!this.seen.paused, 'the agent is left paused at the end')
    const { 'barge-in': bargeIn, ...others } = this.seen.timers
    const left = Object.values(this.seen.goodbye ? others : { bargeIn, ...others })
    must(
      left.every((due) => due === undefined),
      'timers are left at the end',
    )
  }

  #command(command: TurnCommand, now: number): void {
    const { seen } = this
    if (seen.ending) this.#afterEnding(command)
    switch (command.type) {
      case 'set-timer':
        must(command.at > now, 'a timer is set for the past')
        must(seen.timers[command.timer] !== command.at, 'a timer is set again for the same time')
        seen.timers[command.timer] = command.at
        break
      case 'clear-timer':
        must(seen.timers[command.timer] !== undefined, 'a timer is cleared that is not set')
        seen.timers[command.timer] = undefined
        break
      case 'preempt':
        must(seen.preempt === undefined, 'a second answer is begun')
        must(countWords(command.text) > 0, 'an answer is begun to nothing')
        seen.preempt = command.text
        break
      case 'discard-preempt':
        must(seen.preempt !== undefined, 'an answer is discarded that was not begun')
        seen.preempt = undefined
        break
      case 'commit':
        this.#commit(command)
        break
      case 'interrupt':
        must(seen.sound === 'yes' || seen.thinking === 'yes', 'nothing is there to be interrupted')
        if (seen.sound === 'yes') seen.sound = 'interrupted'
        if (seen.thinking === 'yes') seen.thinking = 'no'
        seen.paused = false
        break
      case 'pause':
        must(seen.sound === 'yes' && !seen.paused, 'nothing is there to be paused')
        seen.paused = true
        break
      case 'resume':
        must(seen.paused, 'nothing is there to be resumed')
        seen.paused = false
        break
      case 'user-state':
        must(command.state !== seen.user, 'the state of the user is told twice')
        seen.user = command.state
        break
      case 'user-idle':
        must(seen.stir, 'the user is idle twice')
        must(!seen.speaking && seen.sound === 'no' && seen.thinking === 'no', 'somebody who is busy is idle')
        must(!seen.tool && seen.preempt === undefined, 'the user is idle with something in flight')
        seen.stir = false
        break
      case 'judge':
        must(countWords(command.text) > 0, 'the detector is asked about nothing')
        break
      case 'flush-stt':
      case 'digits':
        break
    }
  }

  #commit({ text, from, preempted }: CommitCommand): void {
    const { seen } = this
    const { mode, wordless = false } = this.#options
    const typed = /(^| )[bt#1]/.test(text)
    const said = text.split(' ').filter((each) => /^[aw]/.test(each)).length
    must(!typed || seen.typed || seen.keys, 'nobody typed what is committed')
    must(said <= seen.words, 'nobody said what is committed, or it was committed before')
    must(said > 0 || typed || wordless, 'nothing is committed')
    must(said === 0 || mode !== 'realtime', 'a turn of the model is committed')
    const mayCutOff = typed || mode === 'stt' || mode === 'manual' || seen.hand > 0 || seen.loose
    must(!seen.speaking || mayCutOff, 'the user is cut off')
    must(typed || mode !== 'manual' || wordless || seen.hand > 0, 'a commit that nobody asked for')
    must(from === (typed && said === 0 && !wordless ? 'text' : 'speech') || wordless, 'it came another way')
    seen.words -= said
    if (/(^| )[bt]/.test(text)) seen.typed = false
    // The keys of an entry that is not complete are left for the next turn.
    if (/(^| )[#1]/.test(text)) seen.keys = seen.timers.digits !== undefined
    if (seen.hand > 0) seen.hand -= 1
    must(seen.sound === 'no' || seen.sound === 'interrupted', 'a commit, and the agent speaks on')
    must(seen.thinking === 'no', 'a commit, and the old answer is still made')
    must(seen.preempt === (preempted ? text : undefined), 'an answer is neither used nor thrown away')
    seen.preempt = undefined
  }

  #afterEnding(command: TurnCommand): void {
    const barge =
      command.type === 'interrupt' || (command.type === 'set-timer' && command.timer === 'barge-in')
    must(command.type === 'clear-timer' || (this.seen.goodbye && barge), `${command.type} after the end`)
  }
}

class Broken extends Error {}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Broken(what)
}

// ── a world: a machine, its witness, and time ──

class World {
  readonly options: TurnOptions
  readonly machine: TurnMachine
  readonly witness: Witness
  now: number
  /** Whether it has committed already what the world it comes from still had to. */
  #said = false
  #state: Readonly<TurnState> | undefined

  constructor(options: TurnOptions, state?: Readonly<TurnState>, seen?: Seen, now = 0) {
    this.options = options
    this.machine = new TurnMachine(options, state ?? newState())
    this.witness = new Witness(options, seen)
    this.now = now
  }

  fork(): World {
    return new World(this.options, this.state, this.witness.seen, this.now)
  }

  get state(): Readonly<TurnState> {
    return (this.#state ??= this.machine.state)
  }

  tell(event: TurnEvent): TurnCommand[] {
    this.#state = undefined
    this.witness.event(event)
    const commands = this.machine.handle(event)
    this.witness.commands(commands, event)
    const { preempt, speaking } = this.witness.seen
    const isCurrent = !speaking && preempt === this.machine.pendingWords.text
    must(preempt === undefined || isCurrent, 'an answer is made to what the user did not say')
    return commands
  }

  /** The timer that fires next. */
  due(): [TurnTimer, number] | undefined {
    let next: [TurnTimer, number] | undefined
    for (const [timer, due] of Object.entries(this.witness.seen.timers) as [TurnTimer, number | undefined][])
      if (due !== undefined && (!next || due < next[1])) next = [timer, due]
    return next
  }

  /** Lets time pass until then, and nothing else happen. Gives every command. */
  pass(until: number): TurnCommand[] {
    const commands: TurnCommand[] = []
    for (let fired = 0; ; fired++) {
      const next = this.due()
      if (!next || next[1] > until) break
      must(fired < 100, 'timers set each other for ever')
      const [timer, due] = next
      this.now = Math.max(this.now, due)
      commands.push(...this.tell({ type: 'timer', timer, due, at: this.now }))
    }
    this.now = Math.max(this.now, until)
    return commands
  }

  /** What must hold wherever one looks. */
  check(): void {
    const { state } = this
    must(same(state.timers, this.witness.seen.timers), 'the machine believes in other timers than it has set')
    const stale: TurnEvent = { type: 'timer', timer: 'endpoint', due: -0.5, at: this.now }
    must(this.machine.handle(stale).length === 0, 'a stale timer is believed')
    must(
      this.fork().tell({ type: 'judged', text: '', at: state.now }).length === 0,
      'something was left to do',
    )
    this.#everythingPasses()
  }

  #everythingPasses(): void {
    const { seen } = this.witness
    const takesTurns = this.options.mode === undefined || this.options.mode === 'stt'
    const words = countWords(this.machine.pendingWords.text) > 0
    if (takesTurns && !seen.ending && !seen.speaking && words) {
      const alone = seen.sound === 'no' || seen.sound === 'interrupted'
      const free = alone && seen.thinking !== 'firm'
      const anyWord = (this.options.bargeIn?.minWords ?? 0) <= 1
      const overruled = seen.sound === 'yes' && seen.thinking !== 'firm' && anyWord
      if (free || overruled) this.#commits(this.fork())
      this.#commits(this.#silenced())
    }
    const rest = this.fork()
    const commands = rest.pass(Number.MAX_SAFE_INTEGER)
    must(rest.due() === undefined, 'a timer outlives everything')
    must(!rest.witness.seen.paused, 'the agent stays paused')
    must(commands.length < 30, 'time alone causes too much')
    must(rest.machine.state.user !== 'finishing' || !takesTurns || rest.isHeld, 'the user finishes for ever')
  }

  get isHeld(): boolean {
    const { seen } = this.witness
    return seen.ending || seen.sound !== 'no' || seen.thinking === 'firm'
  }

  #commits(world: World): void {
    const maxDelay = this.options.endpointing?.maxDelay ?? 3_000
    must(
      world.#said || world.pass(this.now + maxDelay).some(({ type }) => type === 'commit'),
      'what the user said is not committed in time',
    )
  }

  #silenced(): World {
    const world = this.fork()
    const commands = [
      ...world.tell({ type: 'agent-stopped', how: 'finished', at: this.now }),
      ...world.tell({ type: 'agent-thinking', thinking: false, at: this.now }),
    ]
    world.#said = commands.some(({ type }) => type === 'commit')
    return world
  }
}

const same = (a: TurnState['timers'], b: TurnState['timers']): boolean =>
  (Object.keys(a) as TurnTimer[]).every((timer) => a[timer] === b[timer])

// ── every sequence of events ──

/** What may happen next; undefined where it cannot. Times are small whole numbers. */
type Move = (world: World) => TurnEvent | undefined

const fire =
  (timer: TurnTimer): Move =>
  ({ now, witness }) => {
    const due = witness.seen.timers[timer]
    return due !== undefined && due <= now ? { type: 'timer', timer, due, at: now } : undefined
  }
const asked =
  (score?: number): Move =>
  ({ now, machine }) => {
    const text = machine.state.turn?.asked
    if (text === undefined) return undefined
    return { type: 'judged', at: now, text, ...(score === undefined ? {} : { score }) }
  }
/** Words are bounded, so that the number of states is. */
const word =
  (type: 'interim' | 'final' | 'typed'): Move =>
  ({ now, machine }) =>
    countWords(machine.pendingWords.text) < 2
      ? { type, at: now, text: type === 'typed' ? 'b' : 'a' }
      : undefined
const begin =
  (interruptible: boolean): Move =>
  ({ now, witness }) =>
    witness.seen.sound === 'no' || witness.seen.sound === 'interrupted'
      ? { type: 'agent-started', at: now, interruptible }
      : undefined

const moves = {
  start: ({ now }) => ({ type: 'user-started', at: now, since: now }),
  'start, noticed late': ({ now }) => ({ type: 'user-started', at: now, since: now - 1 }),
  stop: ({ now }) => ({ type: 'user-stopped', at: now, since: now }),
  'stop, noticed late': ({ now }) => ({ type: 'user-stopped', at: now, since: now - 1 }),
  interim: word('interim'),
  'interim taken back': ({ now }) => ({ type: 'interim', at: now, text: '' }),
  final: word('final'),
  'nothing final': ({ now }) => ({ type: 'final', at: now, text: '' }),
  'end of turn': ({ now }) => ({ type: 'end-of-turn', at: now }),
  'judged finished': asked(1),
  'judged unfinished': asked(0),
  'not judged': asked(),
  commit: ({ now }) => ({ type: 'commit', at: now }),
  discard: ({ now }) => ({ type: 'discard', at: now }),
  'barge in': ({ now }) => ({ type: 'barge-in', at: now }),
  type: word('typed'),
  'press 1': ({ now }) => ({ type: 'digit', at: now, digit: '1' }),
  'press #': ({ now }) => ({ type: 'digit', at: now, digit: '#' }),
  think: ({ now }) => ({ type: 'agent-thinking', at: now, thinking: true }),
  'think firmly': ({ now }) => ({ type: 'agent-thinking', at: now, thinking: true, interruptible: false }),
  'think no more': ({ now }) => ({ type: 'agent-thinking', at: now, thinking: false }),
  sound: begin(true),
  'sound firmly': begin(false),
  fall: ({ now }) => ({ type: 'agent-stopped', at: now, how: 'finished' }),
  'tool on': ({ now }) => ({ type: 'tool', at: now, running: true }),
  'tool off': ({ now }) => ({ type: 'tool', at: now, running: false }),
  end: ({ now }) => ({ type: 'ending', at: now }),
  'live again': ({ now }) => ({ type: 'live', at: now }),
  'end with a goodbye': ({ now }) => ({ type: 'ending', at: now, bargeIn: true }),
  'fire endpoint': fire('endpoint'),
  'fire barge-in': fire('barge-in'),
  'fire false-interruption': fire('false-interruption'),
  'fire stable': fire('stable'),
  'fire idle': fire('idle'),
  'fire digits': fire('digits'),
} satisfies Record<string, Move>
type MoveName = keyof typeof moves

const always: readonly MoveName[] = [
  'fire endpoint',
  'fire barge-in',
  'fire false-interruption',
  'fire stable',
  'fire idle',
  'fire digits',
]
const talk: readonly MoveName[] = ['start', 'stop', 'final', 'nothing final']
const late: readonly MoveName[] = ['start, noticed late', 'stop, noticed late']
const unsure: readonly MoveName[] = ['interim', 'interim taken back']
const speech: readonly MoveName[] = ['sound', 'fall']

/** More than a few are as good as a few: words that wait are never so many. */
const few = (count: number): number => Math.min(2, count)

/** Longer ago than any of the small delays below looks back. */
const oldest = -4

/**
 * Worlds with one key have one future. Only distances in time count, what is old is just old, and what nobody will look
 * at again does not count at all.
 */
function keyOf({ options, state, witness: { seen }, now }: World): string {
  const ago = (time: number | undefined, least = oldest): number | undefined =>
    time === undefined ? undefined : Math.max(least, time - now)
  const { voice, turn, held, agent, staleTextUntil, digits } = state
  const { sound } = agent
  const learns = options.endpointing?.mode === 'dynamic'
  const hears = options.mode === 'realtime' || options.wordless === true
  const watchesText = options.preemptive !== undefined || options.vad === false
  return JSON.stringify([
    [state.ending, state.bargeInWhileEnding, state.user, state.preempted, state.averagePause],
    held && [held.text, held.from, held.weak],
    [
      staleTextUntil !== undefined && staleTextUntil >= now && staleTextUntil - now,
      learns && ago(state.lastStopped),
    ],
    [
      digits,
      digits !== '' && ago(state.digitAt),
      ago(state.filledAt),
      ago(state.quietSince),
      state.idleReported,
    ],
    voice && [ago(voice.since, sound ? -3 : -1), voice.settled, voice.pausedInVain],
    turn && [turn.said, turn.interim, turn.awaiting, turn.voiced],
    turn && [(!voice || learns) && ago(turn.stopped), watchesText && ago(turn.changed), ago(turn.ended)],
    turn && [turn.byHand, turn.asked, turn.score, turn.preempts],
    [agent.thinking, agent.tool],
    sound && [ago(sound.since, voice ? -3 : -2), ago(sound.paused), sound.interruptible, sound.interrupted],
    Object.values(state.timers).map((due) => ago(due)),
    [seen.ending, seen.goodbye, seen.speaking, seen.loose, options.idle !== undefined && seen.stir],
    [
      hears || few(seen.words),
      seen.typed,
      seen.keys,
      options.mode === 'manual' && !options.wordless && few(seen.hand),
    ],
    [seen.thinking, seen.sound, seen.paused, seen.tool, seen.preempt, seen.user],
  ])
}

interface Found {
  readonly states: number
  readonly steps: number
  readonly depth: number
  /** Whether there was nothing more to be found. */
  readonly all: boolean
}

/** Breadth first, so that what breaks is told by the shortest way there. */
function explore(options: TurnOptions, alphabet: readonly MoveName[], most = 50_000): Found {
  const parents = new Map<string, readonly [parent: string, move: string]>()
  const root = new World(options)
  root.tell({ type: 'live', at: 0 })
  let frontier: (readonly [World, string])[] = [[root, keyOf(root)]]
  parents.set(frontier[0]?.[1] ?? '', ['', ''])
  const names = [...new Set([...alphabet, ...always])]
  let steps = 0
  let depth = 0
  for (; frontier.length > 0 && parents.size < most; depth++) {
    const next: (readonly [World, string])[] = []
    for (const [world, parent] of frontier) {
      const step = (move: string, change: (child: World) => void): void => {
        const child = world.fork()
        try {
          change(child)
          steps++
          const key = keyOf(child)
          if (parents.has(key)) return
          parents.set(key, [parent, move])
          child.check()
          next.push([child, key])
        } catch (error) {
          if (!(error instanceof Broken)) throw error
          throw new Error(`${error.message}: ${[...pathTo(parents, parent), move].join(' · ')}`, {
            cause: error,
          })
        }
      }
      for (const name of names) {
        const event = moves[name](world)
        if (event) step(name, (child) => void child.tell(event))
      }
      // A timer may be late, by less than the next moment.
      const due = world.due()
      if (!due || due[1] > world.now) step('wait', (child) => void (child.now += 1))
    }
    frontier = next
  }
  return { states: parents.size, steps, depth, all: frontier.length === 0 }
}

function pathTo(parents: ReadonlyMap<string, readonly [string, string]>, key: string): string[] {
  const path: string[] = []
  for (let at = parents.get(key); at && at[1] !== ''; at = parents.get(at[0])) path.unshift(at[1])
  return path
}

const small = { endpointing: { delay: 1, maxDelay: 3 }, bargeIn: { minDuration: 2 } } as const
const pausing = { ...small, falseInterruption: { timeout: 2 } } as const
const everything: TurnOptions = {
  ...pausing,
  endpointing: { mode: 'dynamic', minDelay: 1, maxDelay: 3, detector: true },
  bargeIn: { minDuration: 2, minWords: 2 },
  preemptive: { stableFor: 1 },
  idle: 3,
  dtmf: { as: 'text', count: 2, timeout: 2 },
}

describe('whatever happens in whatever order, however often', () => {
  it.each<[string, TurnOptions, readonly MoveName[]]>([
    ['turns by silence', small, [...talk, ...late, ...unsure, 'end']],
    ['turns that somebody ends or types', small, [...talk, 'interim', 'commit', 'discard', 'type', 'end']],
    ['barge-in', small, [...talk, ...speech, 'sound firmly', 'think', 'think no more', 'end']],
    ['false interruptions', pausing, [...talk, 'interim', ...speech, 'end with a goodbye', 'live again']],
    [
      'false interruptions and murmurs',
      { ...pausing, bargeIn: { minDuration: 2, minWords: 2 } },
      [...talk, 'interim', ...speech, 'end'],
    ],
    [
      'preemptive answers',
      { ...small, preemptive: { stableFor: 1, attempts: 2 } },
      [...talk, ...unsure, 'type', 'discard', 'end', 'live again'],
    ],
    ['turns by the STT', { ...small, mode: 'stt' }, [...talk, 'end of turn', ...speech, 'end']],
    [
      'turns by an STT alone',
      { ...small, mode: 'stt', vad: false },
      ['interim', 'final', 'nothing final', 'end of turn', ...speech, 'end'],
    ],
    [
      'turns by hand',
      { ...small, mode: 'manual' },
      ['start', 'stop', 'interim', 'final', 'commit', 'sound firmly', 'fall', 'end'],
    ],
    [
      'turns by hand, of a model that hears',
      { ...small, mode: 'manual', wordless: true },
      ['start', 'stop', 'final', 'commit', 'type', 'sound firmly', 'fall', 'end'],
    ],
    [
      'turns of a realtime model',
      { ...small, mode: 'realtime' },
      ['start', 'stop', 'final', 'type', ...speech, 'sound firmly', 'end with a goodbye'],
    ],
    [
      'idle users and telephone keys',
      { ...small, idle: 3, dtmf: { as: 'text', count: 2, timeout: 2 } },
      ['press 1', 'press #', 'start', 'stop', ...speech, 'tool on', 'tool off', 'end'],
    ],
  ])('%s break no rule', (_, options, alphabet) => {
    expect(explore(options, alphabet)).toMatchObject({ all: true })
  })

  it('turns that a detector judges break no rule, as far as one looked', () => {
    const alphabet: MoveName[] = [...talk, 'judged finished', 'judged unfinished', 'not judged', 'end']
    const { endpointing } = everything
    const found = explore({ ...small, ...(endpointing && { endpointing }) }, alphabet, 5_000)
    expect(found.depth).toBeGreaterThan(8)
  })

  it('everything at once breaks no rule, as far as one looked', () => {
    expect(explore(everything, Object.keys(moves) as MoveName[], 5_000).depth).toBeGreaterThan(3)
  })
})

// ── random times ──

const happening = fc.record({
  name: fc.constantFrom(...(Object.keys(moves) as MoveName[]).filter((name) => !name.startsWith('end '))),
  wait: fc.oneof(fc.nat(300), fc.nat(6_000), fc.constantFrom(0, 200, 500, 2_000, 3_000)),
  /** How long it took to notice a voice. */
  ago: fc.oneof(fc.constant(0), fc.nat(900)),
  /** Whether the timers that are due have fired before it. */
  punctual: fc.boolean(),
})
const anyOptions: fc.Arbitrary<TurnOptions> = fc
  .record(
    {
      mode: fc.constantFrom('vad', 'stt', 'manual', 'realtime'),
      endpointing: fc.constantFrom(
        { delay: 0, maxDelay: 0 },
        { mode: 'dynamic' },
        { mode: 'dynamic', detector: true },
      ),
      bargeIn: fc.record({ minDuration: fc.constantFrom(0, 300, 5_000), minWords: fc.nat(3) }),
      falseInterruption: fc.record({ timeout: fc.nat(4_000), pauseAfter: fc.nat(600) }),
      preemptive: fc.record({ stableFor: fc.nat(400), attempts: fc.integer({ min: 1, max: 3 }) }),
      idle: fc.nat(5_000),
      dtmf: fc.record({ as: fc.constantFrom('text', 'event'), count: fc.integer({ min: 1, max: 3 }) }),
    },
    { requiredKeys: [] },
  )
  .map((options) => options as TurnOptions)

/** Everything that is said has a word of its own. */
function live(
  options: TurnOptions,
  life: readonly (typeof happening extends fc.Arbitrary<infer T> ? T : never)[],
): { world: World; commands: TurnCommand[]; said: string[] } {
  const world = new World(options)
  const commands: TurnCommand[] = world.tell({ type: 'live', at: 0 })
  const said: string[] = []
  for (const { name, wait, ago, punctual } of life) {
    if (punctual) commands.push(...world.pass(world.now + wait))
    else world.now += wait
    const event = moves[name](world)
    if (!event) continue
    commands.push(...world.tell(spoken(event, ago, said)))
    world.check()
  }
  return { world, commands, said }
}

function spoken(event: TurnEvent, ago: number, said: string[]): TurnEvent {
  if (event.type === 'user-started' || event.type === 'user-stopped')
    return { ...event, since: event.at - ago }
  if ((event.type !== 'final' && event.type !== 'typed') || event.text === '') return event
  const text = `${event.type === 'typed' ? 't' : 'w'}-${said.length}`
  said.push(text)
  return { ...event, text }
}

const wordsOf = (commands: readonly TurnCommand[]): string[] =>
  commands.flatMap((command) => (command.type === 'commit' ? command.text.split(' ') : []))

describe('at random times', () => {
  it('no rule is broken, timers late or not', () => {
    fc.assert(
      fc.property(anyOptions, fc.array(happening, { maxLength: 40 }), (options, life) => {
        live(options, life)
      }),
      { numRuns: 500 },
    )
  })

  it('every final and typed word is committed or pending, once and in order', () => {
    const lossless = happening.filter(({ name }) => !/interim|discard|press|end/.test(name))
    const modes = fc.constantFrom<TurnOptions['mode'][]>('vad', 'stt', 'manual')
    fc.assert(
      fc.property(anyOptions, modes, fc.array(lossless, { maxLength: 40 }), (options, mode, life) => {
        const { world, commands, said } = live({ ...options, mode: mode ?? 'vad' }, life)
        const { text } = world.machine.pendingWords
        const words = [...wordsOf(commands), ...text.split(' ').filter((each) => each !== '')]
        expect(words.toSorted()).toEqual(said.toSorted())
        if (!life.some(({ name }) => name === 'type')) expect(words).toEqual(said)
      }),
      { numRuns: 500 },
    )
  })

  it('turns by silence are those that a simple reckoning gives', () => {
    const stretch = fc.record({ gap: fc.nat(1_500), length: fc.nat(2_000), text: fc.nat(2_500) })
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 12 }), (stretches) => {
        const world = new World({})
        const found: string[] = []
        const note = (commands: readonly TurnCommand[]): void => {
          for (const each of commands) if (each.type === 'commit') found.push(`${each.stopped} ${each.text}`)
        }
        const expected: string[] = []
        let words: string[] = []
        let at = 0
        let stopped = 0
        for (const [index, { gap, length, text }] of stretches.entries()) {
          const start = at + gap
          // Half a second after the end of speech nobody waits any more, unless the text is still to come.
          if (words.length > 0 && start >= stopped + 500) {
            expected.push(`${stopped} ${words.join(' ')}`)
            words = []
          }
          stopped = start + length
          at = stopped + text
          words.push(`w-${index}`)
          note(world.pass(start))
          note(world.tell({ type: 'user-started', at: start, since: start }))
          note(world.pass(stopped))
          note(world.tell({ type: 'user-stopped', at: stopped, since: stopped }))
          note(world.pass(at))
          note(world.tell({ type: 'final', at, text: `w-${index}` }))
        }
        if (words.length > 0) expected.push(`${stopped} ${words.join(' ')}`)
        note(world.pass(Number.MAX_SAFE_INTEGER))
        expect(found).toEqual(expected)
      }),
    )
  })
})
