import { type OptionNames } from '../scope/index.ts'
/** Options of a fallback. */
export interface FallbackOptions {
  /** Default: the names of the models, joined. */
  readonly name?: string
  /** The time limit for a model to open and to yield its first chunk; then the next one is tried. Default: 5 s. */
  readonly firstWithin?: number
  /** The delay before a failed model is probed in the background; it doubles with each probe. Default: 5 s. */
  readonly probeAfter?: number
  /** How many probes there are. Default: 6, over about five minutes. Probing a hosted model costs money. */
  readonly probes?: number
  /** Called for each change, after it has been logged. */
  readonly onChange?: (change: FallbackChange) => void
}

export const fallbackNames: OptionNames<FallbackOptions> = {
  name: true,
  firstWithin: true,
  probeAfter: true,
  probes: true,
  onChange: true,
}

export interface FallbackSttOptions extends FallbackOptions {
  /** How much of the audio since the last final text is replayed to the next model, at most. Default: 5 s. */
  readonly replay?: number
}

export const fallbackSttNames: OptionNames<FallbackSttOptions> = {
  ...fallbackNames,
  replay: true,
}

/**
 * A change in the state of a model.
 * - `failed`: the model is not used until a probe succeeds, or all others have failed
 * - `recovered`: the model is used again
 * - `given-up`: all probes have failed; the model is used only when all others have failed
 */
export interface FallbackChange {
  readonly type: 'failed' | 'recovered' | 'given-up'
  readonly model: string
  /** The model's index in the list. */
  readonly index: number
  readonly error?: unknown
}
