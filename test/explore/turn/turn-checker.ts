import type { CommitCommand, TurnCommand, TurnEvent } from '../../../src/session/hearing/turn-events.ts'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import { newState, type TurnState } from '../../../src/session/hearing/turn-state.ts'
import { countWords } from '../../../src/session/hearing/turn-words.ts'

/** What can be known about a turn machine from its events and commands alone. */
export interface Seen {
  ending: boolean
  bargeIn: boolean
  speaking: boolean
  /** The words of this voice were discarded: its rest may be committed while the user speaks. */
  discarded: boolean
  /** What may be committed besides the words of the user: typed text, telephone keys. */
  typed: boolean
  keys: boolean
  /** The application has ended a turn since there was last none. */
  byHand: boolean
  /** Whether anything has happened since the user was last reported idle. */
  active: boolean
  thinking: 'no' | 'yes' | 'uninterruptible'
  sound: 'no' | 'yes' | 'uninterruptible' | 'interrupted'
  paused: boolean
  tool: boolean
  preempt: string | undefined
  user: string
  timers: TurnState['timers']
}

const newSeen = (): Seen => ({
  ending: false,
  bargeIn: false,
  speaking: false,
  discarded: false,
  typed: false,
  keys: false,
  byHand: false,
  active: true,
  thinking: 'no',
  sound: 'no',
  paused: false,
  tool: false,
  preempt: undefined,
  user: 'silent',
  timers: newState().timers,
})

const copySeen = (seen: Seen): Seen => ({
  ending: seen.ending,
  bargeIn: seen.bargeIn,
  speaking: seen.speaking,
  discarded: seen.discarded,
  typed: seen.typed,
  keys: seen.keys,
  byHand: seen.byHand,
  active: seen.active,
  thinking: seen.thinking,
  sound: seen.sound,
  paused: seen.paused,
  tool: seen.tool,
  preempt: seen.preempt,
  user: seen.user,
  timers: copyTimers(seen.timers),
})

export const copyTimers = (timers: TurnState['timers']): TurnState['timers'] => ({
  endpoint: timers.endpoint,
  'barge-in': timers['barge-in'],
  'false-interruption': timers['false-interruption'],
  stable: timers.stable,
  idle: timers.idle,
  digits: timers.digits,
})

/** Checks every command of a turn machine. Throws at the first command that breaks a rule. */
export class TurnChecker {
  readonly seen: Seen
  readonly #options: TurnOptions
  /** How many words may be committed in response to the current event. */
  #words = 0

  constructor(options: TurnOptions, seen: Seen = newSeen()) {
    this.#options = options
    this.seen = copySeen(seen)
  }

  /** Observes an event, which the machine handles next. `pending` are the words that it has not committed. */
  observe(event: TurnEvent, pending: string, isInTurn: boolean): void {
    const { seen } = this
    this.#words = saidWords(pending)
    if (event.type !== 'timer' && event.type !== 'live' && event.type !== 'judged') seen.active = true
    switch (event.type) {
      case 'user-started':
        seen.speaking = true
        seen.discarded = false
        break
      case 'user-stopped':
        seen.speaking = false
        break
      case 'interim':
      case 'final':
        if (event.text !== '') this.#words += 1
        break
      case 'typed':
        if (!seen.ending) seen.typed = true
        break
      case 'digit':
        seen.keys = true
        break
      case 'commit':
        seen.byHand ||= isInTurn || pending !== ''
        break
      case 'agent-thinking':
        seen.thinking = !event.thinking ? 'no' : event.interruptible === false ? 'uninterruptible' : 'yes'
        break
      case 'agent-started':
        seen.sound = event.interruptible ? 'yes' : 'uninterruptible'
        break
      case 'agent-stopped':
        seen.sound = 'no'
        seen.paused = false
        break
      case 'tool':
        seen.tool = event.running
        break
      case 'ending':
        seen.bargeIn = event.bargeIn === true
        break
      case 'timer':
        seen.timers[event.timer] = undefined
        break
      case 'live':
        seen.ending = false
        seen.bargeIn = false
        break
      case 'discard':
        seen.discarded = seen.speaking
        break
      case 'stt-started':
      case 'maybe-end-of-turn':
      case 'turn-resumed':
      case 'end-of-turn':
      case 'judged':
      case 'barge-in':
        break
    }
  }

  /** Checks what the machine answers. `pending` are the words that it has not committed now. */
  check(commands: readonly TurnCommand[], event: TurnEvent, pending: string, isInTurn: boolean): void {
    for (const command of commands) this.#check(command, event.at)
    assertRule(saidWords(pending) <= this.#words, 'words are pending that were not said')
    if (!isInTurn && pending === '') this.seen.byHand = false
    // The commands for the ending itself may still close what is open.
    if (event.type === 'ending') this.seen.ending = true
    if (!this.seen.ending) return
    assertRule(this.seen.preempt === undefined, 'a reply begun early is left when the session is ending')
    assertRule(!this.seen.paused, 'the agent is left paused when the session is ending')
    const { 'barge-in': bargeIn, ...others } = this.seen.timers
    const left = Object.values(this.seen.bargeIn ? others : { bargeIn, ...others })
    assertRule(
      left.every((due) => due === undefined),
      'timers are left when the session is ending',
    )
  }

  #check(command: TurnCommand, now: number): void {
    const { seen } = this
    if (seen.ending) this.#afterEnding(command)
    switch (command.type) {
      case 'set-timer':
        assertRule(command.at > now, 'a timer is set for the past')
        assertRule(seen.timers[command.timer] !== command.at, 'a timer is set again for the same time')
        seen.timers[command.timer] = command.at
        break
      case 'clear-timer':
        assertRule(seen.timers[command.timer] !== undefined, 'a timer that is not set is cleared')
        seen.timers[command.timer] = undefined
        break
      case 'preempt':
        assertRule(seen.preempt === undefined, 'a second reply is begun early')
        assertRule(countWords(command.text) > 0, 'a reply is begun to a text without words')
        seen.preempt = command.text
        break
      case 'discard-preempt':
        assertRule(seen.preempt !== undefined, 'a reply that was not begun is discarded')
        seen.preempt = undefined
        break
      case 'commit':
        this.#commit(command)
        break
      case 'interrupt':
        assertRule(seen.sound === 'yes' || seen.thinking === 'yes', 'there is nothing to interrupt')
        if (seen.sound === 'yes') seen.sound = 'interrupted'
        if (seen.thinking === 'yes') seen.thinking = 'no'
        seen.paused = false
        break
      case 'pause':
        assertRule(seen.sound === 'yes' && !seen.paused, 'there is nothing to pause')
        seen.paused = true
        break
      case 'resume':
        assertRule(seen.paused, 'there is nothing to resume')
        seen.paused = false
        break
      case 'user-state':
        assertRule(command.state !== seen.user, 'the same user state is reported twice')
        seen.user = command.state
        break
      case 'user-idle':
        assertRule(seen.active, 'the user is reported idle twice')
        assertRule(
          !seen.speaking && seen.sound === 'no' && seen.thinking === 'no',
          'the user is reported idle although the user is speaking or the agent is active',
        )
        assertRule(
          !seen.tool && seen.preempt === undefined,
          'the user is reported idle with something in flight',
        )
        seen.active = false
        break
      case 'judge':
        assertRule(countWords(command.text) > 0, 'the detector is asked about a text without words')
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
    const said = saidWords(text)
    assertRule(!typed || seen.typed || seen.keys, 'text is committed that was not typed')
    assertRule(said <= this.#words, 'words are committed that were not said, or were committed before')
    assertRule(said > 0 || typed || wordless, 'a turn without words is committed')
    assertRule(said === 0 || mode !== 'realtime', 'a turn of a realtime model is committed')
    const mayCutOff = typed || mode === 'stt' || mode === 'manual' || seen.byHand || seen.discarded
    assertRule(!seen.speaking || mayCutOff, 'the user is cut off')
    assertRule(
      typed || mode !== 'manual' || wordless || seen.byHand,
      'a turn is committed without the application',
    )
    assertRule(
      from === (typed && said === 0 && !wordless ? 'text' : 'speech') || wordless,
      'a commit has the wrong origin',
    )
    this.#words -= said
    if (/(^| )[bt]/.test(text)) seen.typed = false
    // The keys of an incomplete entry belong to the next turn.
    if (/(^| )[#1]/.test(text)) seen.keys = seen.timers.digits !== undefined
    assertRule(
      seen.sound === 'no' || seen.sound === 'interrupted',
      'a turn is committed and the agent keeps speaking',
    )
    assertRule(seen.thinking === 'no', 'a turn is committed and the previous reply goes on')
    assertRule(
      seen.preempt === (preempted ? text : undefined),
      'a reply begun early is neither used nor discarded',
    )
    seen.preempt = undefined
  }

  #afterEnding(command: TurnCommand): void {
    const isBargeIn =
      command.type === 'interrupt' || (command.type === 'set-timer' && command.timer === 'barge-in')
    assertRule(
      command.type === 'clear-timer' || (this.seen.bargeIn && isBargeIn),
      `${command.type} while the session is ending`,
    )
  }
}

/** How many words of a text were said, not typed or keyed in. */
const saidWords = (text: string): number =>
  text === '' ? 0 : text.split(' ').filter((word) => /^[aw]/.test(word)).length

export class RuleViolation extends Error {}

export function assertRule(holds: boolean, rule: string): void {
  if (!holds) throw new RuleViolation(rule)
}
