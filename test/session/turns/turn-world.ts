import type { TurnCommand, TurnEvent, TurnTimer } from '../../../src/session/hearing/turn-events.ts'
import { TurnMachine } from '../../../src/session/hearing/turn-machine.ts'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import { newState, type TurnState } from '../../../src/session/hearing/turn-state.ts'
import { countWords } from '../../../src/session/hearing/turn-words.ts'
import { TurnChecker, assertRule, type Seen } from './turn-checker.ts'

/** A turn machine with its checker, in virtual time. Can be forked to look at several futures. */
export class TurnWorld {
  readonly options: TurnOptions
  readonly machine: TurnMachine
  readonly checker: TurnChecker
  now: number
  /** Whether this fork has already committed what the original still had to commit. */
  #committed = false
  #state: Readonly<TurnState> | undefined

  constructor(options: TurnOptions, state?: Readonly<TurnState>, seen?: Seen, now = 0) {
    this.options = options
    this.machine = new TurnMachine(options, state ?? newState())
    this.checker = new TurnChecker(options, seen)
    this.now = now
  }

  fork(): TurnWorld {
    return new TurnWorld(this.options, this.state, this.checker.seen, this.now)
  }

  get state(): Readonly<TurnState> {
    return (this.#state ??= this.machine.state)
  }

  handle(event: TurnEvent): TurnCommand[] {
    this.#state = undefined
    this.checker.observe(event)
    const commands = this.machine.handle(event)
    this.checker.check(commands, event)
    const { preempt, speaking } = this.checker.seen
    const isCurrent = !speaking && preempt === this.machine.pendingWords.text
    assertRule(preempt === undefined || isCurrent, 'a reply is begun to words that the user did not say')
    return commands
  }

  /** The timer that fires next. */
  due(): [TurnTimer, number] | undefined {
    let next: [TurnTimer, number] | undefined
    for (const [timer, due] of Object.entries(this.checker.seen.timers) as [TurnTimer, number | undefined][])
      if (due !== undefined && (!next || due < next[1])) next = [timer, due]
    return next
  }

  /** Lets time pass without any event but timers. Returns all commands. */
  pass(until: number): TurnCommand[] {
    const commands: TurnCommand[] = []
    for (let fired = 0; ; fired++) {
      const next = this.due()
      if (!next || next[1] > until) break
      assertRule(fired < 100, 'timers set each other forever')
      const [timer, due] = next
      this.now = Math.max(this.now, due)
      commands.push(...this.handle({ type: 'timer', timer, due, at: this.now }))
    }
    this.now = Math.max(this.now, until)
    return commands
  }

  /** Checks what must hold in every state. */
  check(): void {
    const { state } = this
    assertRule(
      same(state.timers, this.checker.seen.timers),
      'the machine has other timers in its state than it has set',
    )
    const stale: TurnEvent = { type: 'timer', timer: 'endpoint', due: -0.5, at: this.now }
    assertRule(this.machine.handle(stale).length === 0, 'a stale timer has an effect')
    assertRule(
      this.fork().handle({ type: 'judged', text: '', at: state.now }).length === 0,
      'the machine had something left to do',
    )
    this.#checkFuture()
  }

  /** Checks that time alone commits what the user said, and brings everything to rest. */
  #checkFuture(): void {
    const { seen } = this.checker
    const takesTurns = this.options.mode === undefined || this.options.mode === 'stt'
    const words = countWords(this.machine.pendingWords.text) > 0
    if (takesTurns && !seen.ending && !seen.speaking && words) {
      const alone = seen.sound === 'no' || seen.sound === 'interrupted'
      const free = alone && seen.thinking !== 'uninterruptible'
      const anyWord = (this.options.bargeIn?.minWords ?? 0) <= 1
      const overruled = seen.sound === 'yes' && seen.thinking !== 'uninterruptible' && anyWord
      if (free || overruled) this.#assertCommits(this.fork())
      this.#assertCommits(this.#silenced())
    }
    const rest = this.fork()
    const commands = rest.pass(Number.MAX_SAFE_INTEGER)
    assertRule(rest.due() === undefined, 'a timer never fires')
    assertRule(!rest.checker.seen.paused, 'the agent stays paused forever')
    assertRule(commands.length < 30, 'time alone causes too many commands')
    assertRule(
      rest.machine.state.user !== 'finishing' || !takesTurns || rest.isHeld,
      'the user is finishing forever',
    )
  }

  get isHeld(): boolean {
    const { seen } = this.checker
    return seen.ending || seen.sound !== 'no' || seen.thinking === 'uninterruptible'
  }

  #assertCommits(world: TurnWorld): void {
    const maxDelay = this.options.endpointing?.maxDelay ?? 3_000
    assertRule(
      world.#committed || world.pass(this.now + maxDelay).some(({ type }) => type === 'commit'),
      'the words of the user are not committed in time',
    )
  }

  /** A fork in which the agent falls silent now. */
  #silenced(): TurnWorld {
    const world = this.fork()
    const commands = [
      ...world.handle({ type: 'agent-stopped', how: 'finished', at: this.now }),
      ...world.handle({ type: 'agent-thinking', thinking: false, at: this.now }),
    ]
    world.#committed = commands.some(({ type }) => type === 'commit')
    return world
  }
}

const same = (a: TurnState['timers'], b: TurnState['timers']): boolean =>
  (Object.keys(a) as TurnTimer[]).every((timer) => a[timer] === b[timer])
