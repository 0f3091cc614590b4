import type { TurnEvent } from '../../../src/session/hearing/turn-events.ts'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import { stateKeys, type Model } from '../../../src/testing/index.ts'
import { always, late, moves, type MoveName } from './turn-moves.ts'
import { TurnWorld } from './turn-world.ts'

/** Time passes by one unit. Delays are a few units, and a timer is late by less than one. */
const WAIT = 'wait'

type Happening = TurnEvent | typeof WAIT

/** A turn machine with these options, to which these moves happen in any order. */
export function turnModel(options: TurnOptions, alphabet: readonly MoveName[]): Model<TurnWorld, Happening> {
  const start = new TurnWorld(options)
  start.handle({ type: 'live', at: 0 })
  const chosen = [...new Set([...alphabet, ...always])].map((name) => [name, moves[name]] as const)
  return {
    start,
    fork: (world) => world.fork(),
    handle: (world, event) => (event === WAIT ? void (world.now += 1) : world.handle(event)),
    key: keyFor(options, alphabet),
    moves: {
      ...Object.fromEntries(chosen),
      wait: (world) => ((world.due()?.[1] ?? Infinity) > world.now ? WAIT : undefined),
    },
    check: (world) => world.check(),
  }
}

/** The key of a world has relative times only, treats old times as equal, and leaves out what has no effect any more. */
function keyFor(options: TurnOptions, alphabet: readonly MoveName[]): (world: TurnWorld) => string {
  const { mode = 'vad', vad = true, preemptive } = options
  const learns = options.endpointing?.mode === 'dynamic'
  const pauses = options.falseInterruption !== undefined
  const attempts = typeof preemptive === 'object' ? (preemptive.attempts ?? 3) : 0
  // How long ago the VAD may have noticed what it reports now.
  const lag = alphabet.some((name) => late.includes(name)) ? -1 : 0
  // Longer ago than any delay in the options, and than any pause that is learnt.
  const oldest = learns ? -5 : -3

  const keyOf = stateKeys()

  return ({ state, checker: { seen }, now }) => {
    const ago = (time: number | undefined, least = oldest): number | undefined =>
      time === undefined ? undefined : Math.max(least, time - now)
    const { voice, turn, held, agent, staleTextUntil, digits, filledAt, timers } = state
    const { sound } = agent
    const hasLiveSound = mode !== 'manual' && sound?.interruptible === true && !sound.interrupted
    const comparesStarts = hasLiveSound && mode === 'realtime'
    const overlap = hasLiveSound && voice ? Math.max(sound.since, voice.since) : undefined
    const endsBySilence = turn && (turn.ended === undefined || turn.awaiting) && vad
    const awaitsStableText = turn && turn.interim !== '' && turn.preempts < attempts
    return keyOf([
      state.ending,
      state.bargeInWhileEnding,
      state.user,
      state.preempted,
      state.averagePause,
      state.idleReported,
      held?.text,
      held?.from,
      held?.weak,
      staleTextUntil !== undefined && staleTextUntil >= now && staleTextUntil - now,
      learns && ago(state.lastStopped),
      digits,
      digits !== '' && ago(state.digitAt),
      digits === '' && filledAt !== undefined && filledAt >= now - 2 && filledAt - now,
      ago(state.quietSince),
      // The user's voice.
      voice && ago(voice.since, pauses || comparesStarts ? -3 : lag),
      voice?.committed,
      voice?.pausedInVain,
      // The user's turn.
      turn?.said,
      turn?.interim,
      turn?.awaiting,
      turn?.voiced,
      turn?.maybeEnded,
      turn?.byHand,
      turn?.asked,
      turn?.score,
      turn?.preempts,
      ago(turn?.ended),
      turn && (learns || (!voice && (pauses || endsBySilence))) && ago(turn.stopped),
      turn && (vad ? awaitsStableText && ago(turn.changed, -1) : ago(turn.changed)),
      // The agent.
      agent.thinking,
      agent.tool,
      ago(sound?.paused),
      sound?.interruptible,
      sound?.interrupted,
      overlap === undefined || comparesStarts
        ? hasLiveSound && ago(sound.since, voice ? -3 : lag)
        : ago(overlap, -2),
      ago(timers.endpoint),
      ago(timers['barge-in']),
      ago(timers['false-interruption']),
      ago(timers.stable),
      ago(timers.idle),
      ago(timers.digits),
      // What the rules depend on.
      seen.ending,
      seen.bargeIn,
      seen.speaking,
      seen.discarded && seen.speaking,
      seen.active && options.idle !== undefined,
      seen.typed,
      seen.keys,
      seen.byHand,
      seen.thinking,
      seen.sound,
      seen.paused,
      seen.tool,
      seen.preempt,
      seen.user,
    ])
  }
}
