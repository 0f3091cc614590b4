import type { CommitCommand } from './hearing/turn-events.ts'

/**
 * Where the time of a turn can go, in order (LT1):
 *
 *   endpointing     from the end of the user's speech until the turn could end
 *   transcription   until the final text was there, if it came later than that
 *   held            until the agent could be interrupted
 *   hook            until the agent's `onTurn` hook had returned
 *   model           until the first words, without the time of tools
 *   tools           while tools ran before the first words
 *   queue           until earlier speech had ended
 *   voice           until the first sound of the words
 *   playout         until the caller heard it
 */
export const turnStages = [
  'endpointing',
  'transcription',
  'held',
  'hook',
  'model',
  'tools',
  'queue',
  'voice',
  'playout',
] as const

/** Stages that most turns do not have: they are absent if they took no time. */
const waits: ReadonlySet<TurnStage> = new Set(['held', 'tools', 'queue'])

export type TurnStage = (typeof turnStages)[number]

/** How long the caller waited for an answer, and for what. */
export interface TurnLatency {
  /** From the end of the user's speech to the first sound that the caller heard, in whole milliseconds. */
  readonly ms: number
  /** The parts of `ms`, which add up to it. A stage that the turn did not have is absent. */
  readonly stages: Readonly<Partial<Record<TurnStage, number>>>
  /** Whether the line confirmed when the first sound was heard. Otherwise that is an estimate, and the real time is later. */
  readonly heard: 'confirmed' | 'estimated'
  /** What the caller heard first: the reply, or other words, such as the filler of a tool. */
  readonly by: 'reply' | 'say'
}

/**
 * When the stations finished their part of a turn. Each station notes its own moment. Only fields and getters, so that
 * noting a moment is no call.
 */
export class TurnTiming {
  /** When the user stopped speaking or, for a typed turn, when the text arrived. */
  stopped = 0
  /** Undefined if a realtime model took the turn. */
  turn: CommitCommand | undefined
  /** When the turn was committed. */
  takenAt = 0
  /** When the `onTurn` hook returned: Infinity while it runs, undefined if there is none. */
  hookEndedAt: number | undefined
  /** When tools ran. Overlapping runs are one. */
  readonly tools: { readonly from: number; to: number }[] = []
  #runningTools = 0
  /** How many speeches have been queued for it. */
  speeches = 0

  toolStarted(now: number): void {
    if (this.#runningTools++ === 0) this.tools.push({ from: now, to: Infinity })
  }

  toolEnded(now: number): void {
    if (--this.#runningTools === 0) this.tools.at(-1)!.to = now
  }
}

/** The moments of the speech that a waiting caller hears first. */
export class SpeechTiming {
  turn!: TurnTiming
  by: TurnLatency['by'] = 'say'
  /** Whether the model makes the sound itself. There is no voice to wait for then. */
  isModelSound = false
  /** When its first words were there. */
  queuedAt = 0
  /** When it came first in the queue. 0 until then. */
  begunAt = 0
  /** When its first sound was made and sent. */
  madeAt = 0
  /** When its first sound was heard. */
  heardAt = 0
  isConfirmed = false
  /** The line's mark behind the first sound, and how long that sound is. */
  mark: number | undefined
  sound = 0

  get latency(): TurnLatency {
    const { by, queuedAt, begunAt, madeAt, heardAt, isConfirmed, isModelSound } = this
    const { turn, stopped, takenAt, hookEndedAt, tools } = this.turn
    const asked = Math.min(queuedAt, hookEndedAt ?? takenAt)
    let toolTime = 0
    for (const { from, to } of tools) toolTime += Math.max(0, Math.min(to, queuedAt) - Math.max(from, asked))
    const modelEnd = queuedAt - toolTime
    const isSpoken = turn?.from === 'speech'
    // Words that nobody asked a model for have no model stage.
    const hasModel = by === 'reply' || Math.round(modelEnd) > Math.round(asked)
    const ends: [TurnStage, number | undefined][] = [
      ['endpointing', isSpoken ? (turn.decided ?? turn.finished) : undefined],
      ['transcription', isSpoken && turn.decided !== undefined ? turn.finished : undefined],
      ['held', takenAt],
      ['hook', hookEndedAt === undefined ? undefined : asked],
      ['model', hasModel ? modelEnd : undefined],
      ['tools', queuedAt],
      ['queue', begunAt],
      [isModelSound ? 'model' : 'voice', madeAt],
      ['playout', heardAt],
    ]
    const stages: Partial<Record<TurnStage, number>> = {}
    let ms = 0
    for (const [stage, end] of ends) {
      if (end === undefined) continue
      // Whole milliseconds: fractions would not add up exactly.
      const at = Math.max(ms, Math.round(end - stopped))
      if (at === ms && waits.has(stage)) continue
      stages[stage] = (stages[stage] ?? 0) + at - ms
      ms = at
    }
    return Object.freeze({
      ms,
      stages: Object.freeze(stages),
      heard: isConfirmed ? 'confirmed' : 'estimated',
      by,
    })
  }
}
