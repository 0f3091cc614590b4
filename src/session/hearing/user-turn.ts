import { interrupt } from './barge-in.ts'
import type { Floor, TurnRule } from './floor.ts'
import { discardPreempt } from './preempting.ts'
import { isUnjudged, learnPause } from './turn-detection.ts'
import type { HeldTurn, Turn } from './turn-state.ts'
import { hasWords, joinWords } from './turn-words.ts'

/** Maximum length of a turn in characters, about an hour of speech. Beyond that, the oldest words are dropped. */
const MAX_TURN = 100_000

/** Dynamic endpointing waits for the user's average pause times this: half of the pauses are longer than average. */
const PAUSE_MARGIN = 1.5

const newTurn = (now: number, voiced: boolean): Turn => ({
  said: '',
  interim: '',
  awaiting: voiced,
  voiced,
  stopped: now,
  changed: now,
  finalAt: now,
  ended: undefined,
  byHand: false,
  maybeEnded: false,
  asked: undefined,
  score: undefined,
  preempts: 0,
})

// ── what is heard ──

export function hearVoice(floor: Floor, type: 'user-started' | 'user-stopped', since: number): void {
  const { state, settings } = floor
  if (type === 'user-stopped') {
    const { turn, voice } = state
    state.voice = undefined
    if (!turn || !voice) return
    turn.stopped = Math.max(since, voice.since)
    if (settings.mode === 'vad' && !state.ending) floor.commands.push({ type: 'flush-stt' })
    return
  }
  if (state.voice) return
  if (settings.dynamic) learnPause(floor, since)
  state.voice = { since, committed: false, pausedInVain: false }
  state.staleTextUntil = undefined
  const turn = (state.turn ??= newTurn(state.now, true))
  turn.voiced = true
  turn.awaiting = true
  turn.maybeEnded = false
  turn.asked = undefined
  turn.score = undefined
  // Speaking again reopens the turn, unless it was ended by hand.
  if (settings.mode !== 'manual') turn.ended = undefined
}

/** The STT hears speech before there are words. Without a VAD, nothing reports its end but the end of the turn. */
export function hearStart(floor: Floor): void {
  const { state } = floor
  if (state.voice) return
  state.voice = { since: state.now, committed: false, pausedInVain: false }
  state.staleTextUntil = undefined
  const turn = (state.turn ??= newTurn(state.now, false))
  turn.awaiting = true
  turn.changed = state.now
  turn.ended = undefined
  resumeTurn(floor)
}

export function hearText(floor: Floor, type: 'interim' | 'final', text: string): void {
  const { state, settings } = floor
  const { staleTextUntil } = state
  if (staleTextUntil !== undefined) {
    // The final text is the last one about words that were committed or discarded already.
    if (type === 'final' || state.now > staleTextUntil) state.staleTextUntil = undefined
    if (state.now <= staleTextUntil) return
  }
  const isEmpty = text.trim() === ''
  if (isEmpty && !state.turn) return
  // Words show that the user speaks where there is no VAD, or where the VAD lags behind.
  const ends = state.turn?.ended !== undefined || state.turn?.maybeEnded
  const unheard = settings.mode === 'stt' && !settings.vad && !state.voice && !ends
  if (!isEmpty && (unheard || state.voice?.committed))
    state.voice = { since: state.now, committed: false, pausedInVain: false }
  const turn = (state.turn ??= newTurn(state.now, false))
  turn.voiced ||= state.voice !== undefined && settings.vad
  const before = floor.text
  if (type === 'final') {
    // A model that hears the audio itself keeps its own words. Here they only stop being awaited.
    if (!floor.modelHears) turn.said = joinWords(turn.said, text).slice(-MAX_TURN)
    turn.interim = ''
    turn.awaiting = false
    turn.finalAt = state.now
  } else {
    turn.interim = text.trim()
  }
  if (!turn.voiced) turn.stopped = state.now
  if (floor.text === before) return
  turn.changed = state.now
  if (turn.maybeEnded) resumeTurn(floor)
}

/** Typed text is a turn at once, together with the words the user has finished saying. */
export function typeText(floor: Floor, text: string): void {
  const { state } = floor
  if (state.ending || text.trim() === '') return
  const spoken = state.turn && !floor.modelHears ? takeSaid(floor, state.turn) : ''
  const from = spoken === '' ? 'text' : 'speech'
  const { now } = state
  const words = joinWords(spoken, text)
  commitOrHold(floor, { text: words, from, stopped: now, decided: undefined, finished: now, weak: false })
}

/** Takes the words out of a turn. Speech in progress, or not yet transcribed, stays and becomes the next turn. */
function takeSaid(floor: Floor, turn: Turn): string {
  const { state } = floor
  const goesOn = state.voice !== undefined || (turn.awaiting && turn.interim === '')
  if (!goesOn) {
    acceptInterim(floor, turn)
    state.turn = undefined
  }
  const words = turn.said
  turn.said = ''
  turn.ended = undefined
  turn.byHand = false
  return words
}

// ── how a turn ends ──

/** The STT (`stt`) or the application (`hand`) declares the turn finished. */
export function endTurn(floor: Floor, by: 'stt' | 'hand'): void {
  const { state, settings } = floor
  // A turn that is ended by hand is committed, however few words it has.
  if (by === 'hand' && state.held) state.held.weak = false
  if (by === 'hand' && settings.wordless) state.turn ??= newTurn(state.now, false)
  const { turn } = state
  if (!turn) return
  turn.ended ??= state.now
  turn.byHand ||= by === 'hand'
  if (!settings.vad && by === 'stt') state.voice = undefined
  if (by === 'hand' && !floor.isComplete && !settings.wordless) floor.commands.push({ type: 'flush-stt' })
}

/** The STT declares that the turn may be finished: a reply may begin early. */
export function suspectEnd({ state, settings }: Floor): void {
  const { turn } = state
  if (!turn || turn.ended !== undefined) return
  turn.maybeEnded = true
  if (!settings.vad) state.voice = undefined
}

/** The turn goes on after all: discards the reply that was begun. */
export function resumeTurn(floor: Floor): void {
  const { state, settings } = floor
  if (!state.turn?.maybeEnded) return
  state.turn.maybeEnded = false
  if (!settings.vad) state.voice ??= { since: state.now, committed: false, pausedInVain: false }
  if (state.preempted !== undefined) discardPreempt(floor)
}

export function discardTurn(floor: Floor): void {
  const { state, settings } = floor
  if (!state.turn) return
  if (!floor.isComplete) state.staleTextUntil = state.now + settings.maxDelay
  closeTurn(floor)
}

/** Commits the current turn once the user has finished, or drops it if it has no words. */
export const endpoint: TurnRule = {
  timer: 'endpoint',

  due(floor) {
    const { state, settings } = floor
    const { turn, voice } = state
    const { mode, maxDelay } = settings
    if (!turn) return undefined
    if (isWordless(floor, turn)) return state.now
    if (turn.ended !== undefined)
      return floor.isComplete || settings.wordless ? turn.ended : turn.ended + maxDelay
    // Without a VAD, the only sign that the user has stopped is that no more text arrives.
    if (mode === 'stt' && !settings.vad) return turn.changed + maxDelay
    if (voice) return undefined
    if (mode === 'manual' && floor.isComplete) return undefined
    if (mode !== 'vad' || !floor.isComplete || (settings.detector && isUnjudged(floor)))
      return turn.stopped + maxDelay
    return silentEnough(floor, turn)
  },

  act(floor) {
    const { state, settings } = floor
    const { turn } = state
    if (!turn) return
    const wordless = settings.wordless && turn.byHand
    if (isWordless(floor, turn)) state.turn = undefined
    else if (settings.mode === 'manual' && turn.ended === undefined) acceptInterim(floor, turn)
    else if (settings.mode === 'realtime' || !(hasWords(floor.text) || wordless)) closeTurn(floor)
    else commitOrHold(floor, finish(floor, turn))
  },
}

/** Commits turns that had to wait, once the agent no longer blocks them and the user adds nothing to them. */
export const commitHeld: TurnRule = {
  due(floor) {
    const { held, turn, now } = floor.state
    if (!held || (held.weak ? floor.holdsWeakTurns : floor.isUninterruptible)) return undefined
    return floor.takesTurns && (turn || floor.isSpeaking) ? undefined : now
  },

  act(floor) {
    commit(floor, floor.state.held!)
  },
}

/** When the user has been silent for long enough to end the turn. */
function silentEnough({ state, settings }: Floor, turn: Turn): number {
  const { delay, maxDelay } = settings
  if (!settings.dynamic) return turn.stopped + delay
  if (typeof turn.score === 'number') return turn.stopped + maxDelay - turn.score * (maxDelay - delay)
  const pause = (state.averagePause ?? 0) * PAUSE_MARGIN
  return turn.stopped + Math.min(maxDelay, Math.max(delay, pause))
}

/** A finished transcript without words, a cough for instance. */
function isWordless(floor: Floor, turn: Turn): boolean {
  const wordless = floor.settings.wordless && turn.byHand
  return !hasWords(floor.text) && !wordless && floor.isComplete && !floor.state.voice
}

/** The final text did not arrive in time: the interim text stands. A late final text is dropped. */
function acceptInterim({ state, settings }: Floor, turn: Turn): void {
  if (turn.interim !== '') state.staleTextUntil = state.now + settings.maxDelay
  turn.said = joinWords(turn.said, turn.interim)
  turn.interim = ''
  turn.awaiting = false
}

function finish(floor: Floor, turn: Turn): HeldTurn {
  const { state, settings } = floor
  const { now } = state
  // The text is late by what it took longer than the decision that the user has finished.
  const silent = settings.mode === 'vad' ? silentEnough(floor, turn) : now
  const late = Math.max(0, (floor.isComplete ? turn.finalAt : now) - (turn.ended ?? silent))
  acceptInterim(floor, turn)
  // A turn that need not wait is committed at once, however few its words.
  const weak = floor.holdsWeakTurns && floor.isWeak
  const stopped = state.voice && settings.vad ? now : turn.stopped
  const isMeasured = turn.voiced && !settings.wordless
  const decided = isMeasured ? Math.max(stopped, now - late) : undefined
  closeTurn(floor)
  if (settings.dynamic) state.lastStopped = stopped
  const text = settings.wordless ? '' : turn.said
  return { text, from: 'speech', stopped, decided, finished: now, weak }
}

/** Held words go first. They do not count towards the `minWords` of the new turn. */
function commitOrHold(floor: Floor, turn: HeldTurn): void {
  const { state } = floor
  const { held } = state
  state.held = held
    ? {
        text: joinWords(held.text, turn.text).slice(-MAX_TURN),
        from: held.from === 'speech' ? 'speech' : turn.from,
        stopped: turn.stopped,
        decided: turn.decided,
        finished: turn.finished,
        weak: held.weak && turn.weak,
      }
    : turn
  if (!(turn.weak ? floor.holdsWeakTurns : floor.isUninterruptible)) commit(floor, state.held)
}

function commit(floor: Floor, turn: HeldTurn): void {
  const { state } = floor
  const { text, from, stopped, decided, finished } = turn
  state.held = undefined
  const preempted = state.preempted === text
  if (preempted) state.preempted = undefined
  else if (state.preempted !== undefined) discardPreempt(floor)
  if (floor.liveSound || state.agent.thinking !== 'no') interrupt(floor)
  // A user who says something is not idle, even if the turn gets no answer.
  state.quietSince = undefined
  state.idleReported = false
  floor.commands.push({
    type: 'commit',
    text,
    from,
    stopped,
    decided,
    finished,
    committed: state.now,
    preempted,
  })
}

/** Ends the turn. A voice that is still heard belonged to it. */
function closeTurn({ state, settings }: Floor): void {
  state.turn = undefined
  if (!settings.vad) state.voice = undefined
  else if (state.voice) state.voice.committed = true
}
