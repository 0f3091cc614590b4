import { interrupt } from './barge-in.ts'
import { endpointDue, learnPause } from './endpointing.ts'
import { discardPreempt } from './preempting.ts'
import {
  hasToWait,
  isComplete,
  isSpeaking,
  isWeak,
  modelHears,
  takesTurns,
  textOf,
  type Kept,
  type Turn,
  type TurnDesk,
  type TurnState,
} from './turn-state.ts'
import { hasWords, joinWords } from './turn-words.ts'
import type { TurnSettings } from './turn-options.ts'

/** Characters a turn keeps, an hour of speech: words that nobody commits must not grow without end. Oldest go first. */
const longestTurn = 100_000

const newTurn = (now: number, voiced: boolean): Turn => ({
  said: '',
  interim: '',
  awaiting: voiced,
  voiced,
  stopped: now,
  changed: now,
  ended: undefined,
  byHand: false,
  asked: undefined,
  score: undefined,
  preempts: 0,
})

// ── what is heard ──

export function voiceStarted({ state, settings }: TurnDesk, since: number): void {
  if (state.voice) return
  learnPause(state, settings, since)
  state.voice = { since, settled: false, spent: false }
  state.spentUntil = undefined
  const turn = (state.turn ??= newTurn(state.now, true))
  turn.voiced = true
  turn.awaiting = true
  turn.asked = undefined
  turn.score = undefined
  // Who speaks again has not finished, except where somebody's word for it stands.
  if (settings.mode !== 'manual') turn.ended = undefined
}

export function voiceStopped({ state, settings, tell }: TurnDesk, since: number): void {
  const { turn, voice } = state
  if (!voice) return
  state.voice = undefined
  if (!turn) return
  turn.stopped = Math.max(since, voice.since)
  if (settings.mode === 'vad' && !state.ending) tell({ type: 'flush-stt' })
}

export function hearText({ state, settings }: TurnDesk, text: string, how: 'interim' | 'final'): void {
  if (isSpent(state, how)) return
  const isEmpty = text.trim() === ''
  if (isEmpty && !state.turn) return
  if (!isEmpty) textIsVoice(state, settings)
  const turn = (state.turn ??= newTurn(state.now, false))
  turn.voiced ||= state.voice !== undefined && settings.vad
  const before = textOf(turn)
  if (how === 'final') {
    // What a model hears by itself is in its own conversation: here it only stops being waited for.
    if (!modelHears(settings)) turn.said = joinWords(turn.said, text).slice(-longestTurn)
    turn.interim = ''
    turn.awaiting = false
  } else {
    turn.interim = text.trim()
  }
  if (!turn.voiced) turn.stopped = state.now
  if (textOf(turn) !== before) turn.changed = state.now
}

/** Words show that the user speaks where nobody listens for the voice, or where it seemed to be over. */
function textIsVoice(state: TurnState, { mode, vad }: TurnSettings): void {
  const unheard = mode === 'stt' && !vad && !state.voice && state.turn?.ended === undefined
  if (unheard || state.voice?.settled) state.voice = { since: state.now, settled: false, spent: false }
}

/** Whether this text is about words that are committed or discarded already. The final one is the last. */
function isSpent(state: TurnState, how: 'interim' | 'final'): boolean {
  const { spentUntil, now } = state
  if (spentUntil === undefined) return false
  if (how === 'final' || now > spentUntil) state.spentUntil = undefined
  return now <= spentUntil
}

// ── how it ends ──

/** Somebody says that the turn is over. */
export function endTurn({ state, settings, tell }: TurnDesk, by: 'stt' | 'hand'): void {
  // Somebody's word for it makes a turn of murmurs too.
  if (by === 'hand' && state.kept) state.kept.weak = false
  if (by === 'hand' && settings.wordless) state.turn ??= newTurn(state.now, false)
  const { turn } = state
  if (!turn) return
  turn.ended ??= state.now
  turn.byHand ||= by === 'hand'
  if (!settings.vad && by === 'stt') state.voice = undefined
  if (by === 'hand' && !isComplete(turn) && !settings.wordless) tell({ type: 'flush-stt' })
}

export function discardTurn({ state, settings }: TurnDesk): void {
  const { turn } = state
  if (!turn) return
  if (!isComplete(turn)) state.spentUntil = state.now + settings.maxDelay
  leave(state, settings)
}

/** Commits the turn, or drops it, if its time has come. */
export function endpoint(desk: TurnDesk): void {
  const { state, settings } = desk
  const { turn } = state
  if (!turn) return
  const wordless = settings.wordless && turn.byHand
  if (!state.voice && isComplete(turn) && !hasWords(textOf(turn)) && !wordless) state.turn = undefined
  const due = endpointDue(state, settings)
  if (due === undefined || due > state.now) return
  if (settings.mode === 'manual' && turn.ended === undefined) takeWhatThereIs(state, turn, settings)
  else if (settings.mode === 'realtime' || !(hasWords(textOf(turn)) || wordless)) leave(state, settings)
  else commitOrKeep(desk, endSpeech(desk, turn))
}

/** The final text did not come in time. If it does come, it says nothing new. */
function takeWhatThereIs(state: TurnState, turn: Turn, { maxDelay }: TurnSettings): void {
  if (turn.interim !== '') state.spentUntil = state.now + maxDelay
  turn.said = joinWords(turn.said, turn.interim)
  turn.interim = ''
  turn.awaiting = false
}

function endSpeech({ state, settings }: TurnDesk, turn: Turn): Kept {
  takeWhatThereIs(state, turn, settings)
  const stopped = state.voice && settings.vad ? state.now : turn.stopped
  leave(state, settings)
  if (settings.dynamic) state.lastStopped = stopped
  const text = settings.wordless ? '' : turn.said
  return { text, from: 'speech', stopped, weak: isWeak(turn, settings) }
}

/** What was typed is a turn at once, together with the words the user has finished saying. */
export function typeText(desk: TurnDesk, text: string): void {
  const { state, settings } = desk
  if (state.ending || text.trim() === '') return
  const spoken = state.turn && !modelHears(settings) ? takeSaid(state, state.turn, settings) : ''
  const from = spoken === '' ? 'text' : 'speech'
  commitOrKeep(desk, { text: joinWords(spoken, text), from, stopped: state.now, weak: false })
}

/** Takes the words out of a turn. What is being spoken, or has no text yet, stays: it becomes the next one. */
function takeSaid(state: TurnState, turn: Turn, settings: TurnSettings): string {
  const goesOn = state.voice !== undefined || (turn.awaiting && turn.interim === '')
  if (!goesOn) {
    takeWhatThereIs(state, turn, settings)
    state.turn = undefined
  }
  const words = turn.said
  turn.said = ''
  turn.ended = undefined
  turn.byHand = false
  return words
}

/** Words that were kept go first. They do not count towards an interruption: two murmurs are no sentence. */
function commitOrKeep(desk: TurnDesk, turn: Kept): void {
  const { state } = desk
  const { kept } = state
  state.kept = kept
    ? {
        text: joinWords(kept.text, turn.text).slice(-longestTurn),
        from: kept.from === 'speech' ? 'speech' : turn.from,
        stopped: turn.stopped,
        weak: kept.weak && turn.weak,
      }
    : turn
  if (!hasToWait(state, turn.weak)) commit(desk, state.kept)
}

/** The agent does not stand in the way any more. Who is speaking will add to it. */
export function commitKept(desk: TurnDesk): void {
  const { state, settings } = desk
  const { kept, turn } = state
  if (!kept || hasToWait(state, kept.weak)) return
  if (takesTurns(settings) && (turn || isSpeaking(state))) return
  commit(desk, kept)
}

function commit(desk: TurnDesk, { text, from, stopped }: Kept): void {
  const { state, tell } = desk
  state.kept = undefined
  const preempted = state.preempted === text
  if (preempted) state.preempted = undefined
  else discardPreempt(state, tell)
  interrupt(desk)
  // Whoever says something is not idle, even if nobody answers.
  state.quietSince = undefined
  state.idleTold = false
  tell({ type: 'commit', text, from, stopped, preempted })
}

/** The turn is over. A voice that is still heard belonged to it. */
function leave(state: TurnState, { vad }: TurnSettings): void {
  state.turn = undefined
  if (!vad) state.voice = undefined
  else if (state.voice) state.voice.settled = true
}
