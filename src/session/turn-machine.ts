import { bargeIn, bargeInDue, interrupt, resume, resumeDue } from './barge-in.ts'
import { digitsDue, finishDigits, pressKey } from './digits.ts'
import { endpointDue, judge, takeJudgement } from './endpointing.ts'
import { discardPreempt, preempt, preemptDue } from './preempting.ts'
import type { PendingWords, TurnCommand, TurnEvent, TurnTimer, UserState } from './turn-events.ts'
import { settleTurns, type TurnOptions, type TurnSettings } from './turn-options.ts'
import {
  copyState,
  isComplete,
  isSpeaking,
  liveSound,
  newState,
  wholeText,
  type TurnDesk,
  type TurnState,
} from './turn-state.ts'
import { idleDue, watchIdle } from './user-idle.ts'
import {
  commitKept,
  discardTurn,
  endTurn,
  endpoint,
  hearText,
  typeText,
  voiceStarted,
  voiceStopped,
} from './user-turn.ts'

export type { PendingWords, TurnCommand, TurnEvent, TurnTimer, UserState } from './turn-events.ts'
export type { TurnMode, TurnOptions } from './turn-options.ts'

/** When each timer is wanted. They follow from the state, so none can be forgotten. */
const dues: Record<TurnTimer, (state: TurnState, settings: TurnSettings) => number | undefined> = {
  'barge-in': bargeInDue,
  endpoint: endpointDue,
  'false-interruption': resumeDue,
  stable: preemptDue,
  digits: digitsDue,
  idle: idleDue,
}
const timers = Object.keys(dues) as TurnTimer[]

/**
 * Whose turn it is. A pure machine: an event goes in, commands come out; no clock, no promise, no I/O.
 *
 *              user-started                 user-started: the same turn
 *    silent ──────────────────▶ speaking ◀─────────────────────────────┐
 *      ▲                           │ user-stopped: flush-stt           │
 *      │                           ▼                                   │
 *      └─── commit, or no words ── finishing: judge, preempt ──────────┘
 *
 * An event changes what is known. Then every rule looks at what is known and acts if its time has come; a timer
 * only lets time pass.
 *
 * @example
 * const machine = new TurnMachine({ mode: 'vad' })
 * for (const command of machine.handle({ type: 'user-started', at: now, since: now - 60 })) carryOut(command)
 */
export class TurnMachine {
  readonly #settings: TurnSettings
  readonly #state: TurnState

  /** With `state`, goes on where another machine was. */
  constructor(options: TurnOptions = {}, state: Readonly<TurnState> = newState()) {
    this.#settings = settleTurns(options)
    this.#state = copyState(state)
  }

  /** A copy of all that is known. */
  get state(): Readonly<TurnState> {
    return copyState(this.#state)
  }

  /** What the user has said, and is not committed: what the last words of a session are made of (CL6). */
  pendingWords(): PendingWords {
    const { turn, voice } = this.#state
    return {
      speaking: isSpeaking(this.#state),
      transcribing: turn !== undefined && !voice && !isComplete(turn),
      text: wholeText(this.#state),
    }
  }

  /**
   * What is to be done now that this happened. Timers come first: whoever carries out the rest may cause the next
   * event, whose timers must not be undone by those of this one.
   */
  handle(event: TurnEvent): TurnCommand[] {
    const state = this.#state
    const commands: TurnCommand[] = []
    const desk: TurnDesk = { state, settings: this.#settings, tell: (command) => commands.push(command) }
    if (event.type === 'timer') {
      // Cleared or replaced while it was on its way.
      if (state.timers[event.timer] !== event.due) return commands
      state.timers[event.timer] = undefined
    }
    // A clock may fire a little early; the timer's own time is the truth then.
    state.now = Math.max(state.now, event.at, event.type === 'timer' ? event.due : event.at)
    take(desk, event)
    act(desk)
    return [...changeTimers(desk), ...commands]
  }
}

function changeTimers({ state, settings }: TurnDesk): TurnCommand[] {
  return timers.flatMap((timer): TurnCommand[] => {
    const due = state.ending && timer !== 'barge-in' ? undefined : dues[timer](state, settings)
    // What was due and did not act has to wait for something else than time.
    const at = due !== undefined && due > state.now ? due : undefined
    if (at === state.timers[timer]) return []
    state.timers[timer] = at
    return [at === undefined ? { type: 'clear-timer', timer } : { type: 'set-timer', timer, at }]
  })
}

/** What an event says is written down. */
function take(desk: TurnDesk, event: TurnEvent): void {
  const { state, settings } = desk
  switch (event.type) {
    case 'user-started':
      return voiceStarted(desk, event.since)
    case 'user-stopped':
      return voiceStopped(desk, event.since)
    case 'interim':
    case 'final':
      return hearText(desk, event.text, event.type)
    case 'end-of-turn':
      return settings.mode === 'stt' ? endTurn(desk, 'stt') : undefined
    case 'judged':
      return takeJudgement(state, event.text, event.score)
    case 'commit':
      return settings.mode === 'realtime' || state.ending ? undefined : endTurn(desk, 'hand')
    case 'discard':
      return settings.mode === 'realtime' ? undefined : discardTurn(desk)
    case 'barge-in':
      return state.ending && !state.bargeInWhileEnding ? undefined : interrupt(desk)
    case 'typed':
      return typeText(desk, event.text)
    case 'digit':
      return pressKey(desk, event.digit)
    case 'agent-thinking':
      state.agent.thinking = !event.thinking
        ? 'no'
        : event.interruptible === false
          ? 'uninterruptible'
          : 'yes'
      return undefined
    case 'agent-started':
      state.lastStopped = undefined
      state.agent.sound = {
        since: state.now,
        interruptible: event.interruptible,
        paused: undefined,
        interrupted: false,
      }
      return undefined
    case 'agent-stopped':
      state.agent.sound = undefined
      return undefined
    case 'tool':
      state.agent.tool = event.running
      return undefined
    case 'ending':
      return end(desk, event.bargeIn === true)
    case 'live':
      // Also again: a goodbye that was cancelled leaves a session like any other.
      state.ending = false
      state.bargeInWhileEnding = false
      return undefined
    case 'timer':
      return undefined
  }
}

/** Nothing that has begun is left open: the answer that nobody asked for, and the pause that nobody would end. */
function end(desk: TurnDesk, bargeInWhileEnding: boolean): void {
  const { state, tell } = desk
  state.ending = true
  state.bargeInWhileEnding = bargeInWhileEnding
  state.digits = ''
  discardPreempt(state, tell)
  if (liveSound(state)?.paused !== undefined) interrupt(desk)
}

/** Every rule, in the order in which they depend on each other. */
function act(desk: TurnDesk): void {
  bargeIn(desk)
  if (desk.state.ending) return
  finishDigits(desk)
  endpoint(desk)
  commitKept(desk)
  resume(desk)
  judge(desk)
  preempt(desk)
  watchIdle(desk)
  tellUserState(desk)
}

function tellUserState({ state, settings, tell }: TurnDesk): void {
  const user = userState(state, settings)
  if (user === state.user) return
  state.user = user
  tell({ type: 'user-state', state: user })
}

function userState(state: TurnState, { mode }: TurnSettings): UserState {
  if (isSpeaking(state)) return 'speaking'
  if (state.kept) return 'finishing'
  if (!state.turn || mode === 'realtime') return 'silent'
  return mode === 'manual' && state.turn.ended === undefined ? 'silent' : 'finishing'
}
