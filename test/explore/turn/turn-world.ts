import type { TurnCommand, TurnEvent, TurnTimer } from '../../../src/session/hearing/turn-events.ts'
import { TurnMachine } from '../../../src/session/hearing/turn-machine.ts'
import {
  turnSettings,
  type TurnOptions,
  type TurnSettings,
} from '../../../src/session/hearing/turn-options.ts'
import type { TurnState } from '../../../src/session/hearing/turn-state.ts'
import { countWords } from '../../../src/session/hearing/turn-words.ts'
import { TurnChecker, assertRule, copyTimers } from './turn-checker.ts'

/** A turn machine with its checker, in virtual time. Can be forked to look at several futures. */
export class TurnWorld {
  readonly options: TurnOptions
  readonly machine: TurnMachine
  readonly checker: TurnChecker
  now = 0
  readonly #settings: TurnSettings
  /** Whether this fork has already committed what the original still had to commit. */
  #committed = false

  constructor(options: TurnOptions, origin?: TurnWorld) {
    this.options = options
    this.#settings = origin ? origin.#settings : turnSettings(options)
    this.machine = new TurnMachine(this.#settings, origin && copyState(origin.machine.state))
    this.checker = new TurnChecker(options, origin?.checker.seen)
    if (origin) this.now = origin.now
  }

  fork(): TurnWorld {
    return new TurnWorld(this.options, this)
  }

  get state(): Readonly<TurnState> {
    return this.machine.state
  }

  handle(event: TurnEvent): TurnCommand[] {
    const { machine, checker } = this
    checker.observe(event, machine.pendingWords.text, machine.isInTurn)
    const commands = machine.handle(event)
    const { text } = machine.pendingWords
    checker.check(commands, event, text, machine.isInTurn)
    const { preempt, speaking } = checker.seen
    const isCurrent = !speaking && preempt === text
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

/** Written out, because exploring copies states most of the time, and the spread of an object with many shapes is slow. */
function copyState(state: Readonly<TurnState>): TurnState {
  const { voice, turn, held, agent, timers } = state
  const { sound } = agent
  return {
    now: state.now,
    ending: state.ending,
    bargeInWhileEnding: state.bargeInWhileEnding,
    user: state.user,
    voice: voice && { since: voice.since, committed: voice.committed, pausedInVain: voice.pausedInVain },
    turn: turn && {
      said: turn.said,
      interim: turn.interim,
      awaiting: turn.awaiting,
      voiced: turn.voiced,
      stopped: turn.stopped,
      changed: turn.changed,
      finalAt: turn.finalAt,
      ended: turn.ended,
      byHand: turn.byHand,
      maybeEnded: turn.maybeEnded,
      asked: turn.asked,
      score: turn.score,
      preempts: turn.preempts,
    },
    held: held && {
      text: held.text,
      from: held.from,
      stopped: held.stopped,
      decided: held.decided,
      finished: held.finished,
      weak: held.weak,
    },
    staleTextUntil: state.staleTextUntil,
    agent: {
      thinking: agent.thinking,
      sound: sound && {
        since: sound.since,
        interruptible: sound.interruptible,
        paused: sound.paused,
        interrupted: sound.interrupted,
      },
      tool: agent.tool,
    },
    preempted: state.preempted,
    averagePause: state.averagePause,
    lastStopped: state.lastStopped,
    digits: state.digits,
    digitAt: state.digitAt,
    filledAt: state.filledAt,
    quietSince: state.quietSince,
    idleReported: state.idleReported,
    timers: copyTimers(timers),
  }
}
