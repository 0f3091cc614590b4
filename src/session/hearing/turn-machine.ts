import { advance, changeTimers } from '../../scope/index.ts'
import { bargeIn, interrupt, resume } from './barge-in.ts'
import { digits, pressKey } from './digits.ts'
import { Floor, type TurnRule } from './floor.ts'
import { discardPreempt, preempt } from './preempting.ts'
import { judge, takeScore } from './turn-detection.ts'
import type { PendingWords, TurnCommand, TurnEvent, TurnTimer } from './turn-events.ts'
import type { TurnSettings } from './turn-options.ts'
import { newState, type TurnState } from './turn-state.ts'
import { idle } from './user-idle.ts'
import {
  commitHeld,
  discardTurn,
  endTurn,
  endpoint,
  hearStart,
  hearText,
  hearVoice,
  resumeTurn,
  suspectEnd,
  typeText,
} from './user-turn.ts'

/** All rules, in order of dependency. */
const rules: readonly TurnRule[] = [bargeIn, digits, endpoint, commitHeld, resume, judge, preempt, idle]

/**
 * Decides whose turn it is. A pure machine: an event goes in, commands come out.
 *
 *              user-started                 user-started: the same turn
 *    silent ──────────────────▶ speaking ◀─────────────────────────────┐
 *      ▲                           │ user-stopped: flush-stt           │
 *      │                           ▼                                   │
 *      └─── commit, or no words ── finishing: judge, preempt ──────────┘
 *
 * An event changes the state. Then every rule that is due acts; a timer event does nothing but let time pass.
 *
 * @example
 * const machine = new TurnMachine(turnSettings({ mode: 'vad' }))
 * for (const command of machine.handle({ type: 'user-started', at: now, since: now - 60 })) carryOut(command)
 */
export class TurnMachine {
  readonly #rules: readonly TurnRule[]
  readonly #floor: Floor

  /** Continues from `state`, which belongs to the machine from now on. */
  constructor(settings: TurnSettings, state: TurnState = newState()) {
    this.#rules = rules.filter(({ isUsed }) => isUsed?.(settings) ?? true)
    this.#floor = new Floor(settings, state)
  }

  get state(): Readonly<TurnState> {
    return this.#floor.state
  }

  /** Whether a turn of the user has begun and has not been committed. */
  get isInTurn(): boolean {
    return this.#floor.state.turn !== undefined
  }

  /** What the user has said that has not been committed. A close keeps it as the last words (CL6). */
  get pendingWords(): PendingWords {
    const { state, isSpeaking, isComplete, wholeText } = this.#floor
    const { turn, voice } = state
    return {
      speaking: isSpeaking,
      transcribing: turn !== undefined && !voice && !isComplete,
      text: wholeText,
    }
  }

  /**
   * Returns what is to be done now. Timer commands come first: carrying out another command may cause the next event, and
   * older timer commands must not undo newer ones.
   */
  handle(event: TurnEvent): TurnCommand[] {
    const floor = this.#floor
    const { state } = floor
    if (!advance(state, event)) return []
    floor.commands = []
    take(floor, event)
    for (const rule of this.#rules) {
      if ((state.ending && !rule.whileEnding) || (rule.whileContested && !floor.isContested)) continue
      const due = rule.due(floor)
      if (due !== undefined && due <= state.now) rule.act(floor)
    }
    const { userState } = floor
    if (!state.ending && userState !== state.user) {
      state.user = userState
      floor.commands.push({ type: 'user-state', state: userState })
    }
    const timers = new Map<TurnTimer, number>()
    for (const rule of this.#rules) {
      if (rule.timer === undefined || (state.ending && !rule.whileEnding)) continue
      if (rule.whileContested && !floor.isContested) continue
      const due = rule.due(floor)
      // A rule that was due and could not act waits for another event, not for time.
      if (due !== undefined && due > state.now) timers.set(rule.timer, due)
    }
    return [...changeTimers(state, timers), ...floor.commands]
  }
}

/** Applies an event to the state. */
function take(floor: Floor, event: TurnEvent): void {
  const { state, settings } = floor
  switch (event.type) {
    case 'user-started':
    case 'user-stopped':
      return hearVoice(floor, event.type, event.since)
    case 'interim':
    case 'final':
      return hearText(floor, event.type, event.text)
    case 'stt-started':
      return settings.mode === 'stt' && !settings.vad ? hearStart(floor) : undefined
    case 'maybe-end-of-turn':
      return settings.mode === 'stt' ? suspectEnd(floor) : undefined
    case 'turn-resumed':
      return settings.mode === 'stt' ? resumeTurn(floor) : undefined
    case 'end-of-turn':
      return settings.mode === 'stt' ? endTurn(floor, 'stt') : undefined
    case 'judged':
      return takeScore(floor, event.text, event.score)
    case 'commit':
      return settings.mode === 'realtime' || state.ending ? undefined : endTurn(floor, 'hand')
    case 'discard':
      return settings.mode === 'realtime' ? undefined : discardTurn(floor)
    case 'barge-in':
      return state.ending && !state.bargeInWhileEnding ? undefined : interrupt(floor)
    case 'typed':
      return typeText(floor, event.text)
    case 'digit':
      return pressKey(floor, event.digit)
    case 'agent-thinking': {
      const thinking = event.interruptible === false ? 'uninterruptible' : 'yes'
      state.agent.thinking = event.thinking ? thinking : 'no'
      return undefined
    }
    case 'agent-started': {
      const { interruptible } = event
      state.lastStopped = undefined
      state.agent.sound = { since: state.now, interruptible, paused: undefined, interrupted: false }
      return undefined
    }
    case 'agent-stopped':
      state.agent.sound = undefined
      return undefined
    case 'tool':
      state.agent.tool = event.running
      return undefined
    case 'ending':
      return end(floor, event.bargeIn === true)
    case 'live':
      // After a cancelled goodbye or a hold, silence counts from now.
      if (state.ending) {
        state.quietSince = undefined
        state.idleReported = false
      }
      state.ending = false
      state.bargeInWhileEnding = false
      return undefined
    case 'timer':
      return undefined
  }
}

/** Leaves no reply begun early, and no paused speech that would never resume. */
function end(floor: Floor, bargeInWhileEnding: boolean): void {
  const { state } = floor
  state.ending = true
  state.bargeInWhileEnding = bargeInWhileEnding
  state.digits = ''
  if (state.preempted !== undefined) discardPreempt(floor)
  if (floor.liveSound?.paused !== undefined) interrupt(floor)
}
