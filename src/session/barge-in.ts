import {
  isReal,
  isSpeaking,
  liveSound,
  takesTurns,
  textOf,
  type TurnDesk,
  type TurnState,
} from './turn-state.ts'
import { countWords } from './turn-words.ts'
import type { TurnSettings } from './turn-options.ts'

/**
 * The user speaks while the agent sounds.
 *
 *   sounding ──voice──▶ paused ──no words in time, or none at all──▶ sounding       (if falseInterruption is set)
 *      │                  │
 *      └─ long enough and words enough · a turn is committed · ending, if paused ─▶ interrupted ──▶ silent
 */
export function bargeIn(desk: TurnDesk): void {
  const { state, settings, tell } = desk
  if (state.ending && !state.bargeInWhileEnding) return
  const due = interruptDue(state, settings)
  if (due !== undefined && due <= state.now && hasEnoughWords(desk)) {
    interrupt(desk)
    return
  }
  const pause = pauseDue(state, settings)
  const sound = liveSound(state)
  if (!sound || pause === undefined || pause > state.now) return
  sound.paused = state.now
  tell({ type: 'pause' })
}

/** When the user has spoken over the agent for long enough. */
function interruptDue(state: TurnState, { mode, minDuration }: TurnSettings): number | undefined {
  const { voice } = state
  const sound = liveSound(state)
  if (mode === 'manual' || !voice || !isSpeaking(state) || !sound?.interruptible) return undefined
  // A model that hears the user start has stopped its answer by itself. It has not if it began to speak anyway.
  if (mode === 'realtime' && voice.since >= sound.since) return voice.since
  return Math.max(voice.since, sound.since) + minDuration
}

function hasEnoughWords({ state: { turn }, settings: { mode, minWords } }: TurnDesk): boolean {
  return mode === 'realtime' || minWords === 0 || countWords(textOf(turn)) >= minWords
}

function pauseDue(state: TurnState, settings: TurnSettings): number | undefined {
  const { falseInterruption } = settings
  const { voice } = state
  const sound = liveSound(state)
  if (!falseInterruption || state.ending || !takesTurns(settings)) return undefined
  if (!sound?.interruptible || sound.paused !== undefined) return undefined
  // These words will be committed, and interrupt: nothing is gained by speaking until then.
  if (isReal(state.turn, settings)) return state.now
  if (!voice || !isSpeaking(state) || voice.spent) return undefined
  return Math.max(voice.since, sound.since) + falseInterruption.pauseAfter
}

/** When the next thing may happen because the user goes on speaking. */
export function bargeInDue(state: TurnState, settings: TurnSettings): number | undefined {
  if (state.ending && !state.bargeInWhileEnding) return undefined
  const dues = [pauseDue(state, settings), interruptDue(state, settings)]
  const ahead = dues.filter((due) => due !== undefined && due > state.now) as number[]
  return ahead.length === 0 ? undefined : Math.min(...ahead)
}

/** A false interruption: the agent goes on (SP9). */
export function resume({ state, settings, tell }: TurnDesk): void {
  const { turn, voice } = state
  const sound = liveSound(state)
  if (sound?.paused === undefined) return
  const nothingComes = !turn && !isSpeaking(state)
  const due = resumeDue(state, settings)
  if (!nothingComes && (due === undefined || due > state.now)) return
  sound.paused = undefined
  if (voice) voice.spent = true
  tell({ type: 'resume' })
}

/** Words that are enough never resume: they are about to be committed. */
export function resumeDue(state: TurnState, settings: TurnSettings): number | undefined {
  const { turn, voice } = state
  const paused = liveSound(state)?.paused
  if (paused === undefined || !settings.falseInterruption || isReal(turn, settings)) return undefined
  const heard = voice ? voice.since : (turn?.stopped ?? paused)
  return Math.max(paused, heard) + settings.falseInterruption.timeout
}

/** Interrupts what the agent says and prepares, unless nobody may. Does nothing if there is nothing. */
export function interrupt({ state, tell }: TurnDesk): void {
  const sound = liveSound(state)
  const sounds = sound?.interruptible === true
  const thinks = state.agent.thinking === 'yes'
  if (!sounds && !thinks) return
  if (sounds) sound.interrupted = true
  if (thinks) state.agent.thinking = 'no'
  tell({ type: 'interrupt' })
}
