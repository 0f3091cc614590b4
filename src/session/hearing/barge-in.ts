import type { Floor, TurnRule } from './floor.ts'

/**
 * The user speaks while the agent is audible.
 *
 *   sounding ──voice──▶ paused ──no words in time, or none at all──▶ sounding       (with `falseInterruption`)
 *      │                  │
 *      └─ long enough, with enough words · a turn is committed · ending while paused ─▶ interrupted ──▶ silent
 */
export const bargeIn: TurnRule = {
  timer: 'barge-in',
  whileEnding: true,
  whileContested: true,

  due(floor) {
    const { state } = floor
    if (state.ending && !state.bargeInWhileEnding) return undefined
    const pause = pauseDue(floor)
    const stop = interruptDue(floor)
    return pause === undefined || stop === undefined ? (pause ?? stop) : Math.min(pause, stop)
  },

  act(floor) {
    const { state, commands } = floor
    const due = interruptDue(floor)
    if (due !== undefined && due <= state.now) return interrupt(floor)
    floor.liveSound!.paused = state.now
    commands.push({ type: 'pause' })
  },
}

/** When the user will have spoken over the agent for long enough to interrupt it. */
function interruptDue(floor: Floor): number | undefined {
  const { mode, minDuration, minWords } = floor.settings
  const { voice } = floor.state
  const sound = floor.liveSound
  if (mode === 'manual' || !voice || !floor.isSpeaking || !sound?.interruptible) return undefined
  if (mode !== 'realtime') {
    if (minWords > 0 && floor.wordCount < minWords) return undefined
    return Math.max(voice.since, sound.since) + minDuration
  }
  // A model that hears the user start stops its own reply. It has not stopped if it started to speak after that.
  return voice.since >= sound.since ? voice.since : sound.since + minDuration
}

function pauseDue(floor: Floor): number | undefined {
  const { state, settings } = floor
  const { voice } = state
  const sound = floor.liveSound
  if (!settings.falseInterruption || state.ending || !floor.takesTurns) return undefined
  if (!sound?.interruptible || sound.paused !== undefined) return undefined
  // These words will be committed and interrupt the agent. Speaking on until then gains nothing.
  if (floor.isSubstantial) return state.now
  if (!voice || !floor.isSpeaking || voice.pausedInVain) return undefined
  return Math.max(voice.since, sound.since) + settings.falseInterruption.pauseAfter
}

/** Resumes the agent after a false interruption (SP9). */
export const resume: TurnRule = {
  timer: 'false-interruption',
  whileContested: true,
  isUsed: ({ falseInterruption }) => falseInterruption !== undefined,

  due(floor) {
    const { state, settings } = floor
    const { turn, voice, now } = state
    const paused = floor.liveSound?.paused
    if (paused === undefined || !settings.falseInterruption) return undefined
    if (!turn && !floor.isSpeaking) return now
    // Enough words to interrupt are about to be committed: no resuming.
    if (floor.isSubstantial) return undefined
    const heard = voice ? voice.since : (turn?.stopped ?? paused)
    return Math.max(paused, heard) + settings.falseInterruption.timeout
  },

  act(floor) {
    const { voice } = floor.state
    floor.liveSound!.paused = undefined
    if (voice) voice.pausedInVain = true
    floor.commands.push({ type: 'resume' })
  },
}

/** Interrupts the agent's speech and reply, unless they are uninterruptible. No-op if the agent does nothing. */
export function interrupt(floor: Floor): void {
  const { agent } = floor.state
  const sound = floor.liveSound
  const sounds = sound?.interruptible === true
  const thinks = agent.thinking === 'yes'
  if (!sounds && !thinks) return
  if (sounds) sound.interrupted = true
  if (thinks) agent.thinking = 'no'
  floor.commands.push({ type: 'interrupt' })
}
