import { type OptionNames } from '../../scope/index.ts'
/** Options of a fallback. */
export interface FallbackOptions {
  /** Default: the names of the models, joined. */
  readonly name?: string
  /** The time limit for a model to open and to yield its first chunk; then the next one is tried. Default: 5 s. */
  readonly firstWithin?: number
  /** How long a model that failed is asked last, in all calls. Doubles with each further failure. Default: 30 s. */
  readonly coolDown?: number
  /** The longest `coolDown`, after several failures in a row. Default: 5 min. */
  readonly maxCoolDown?: number
  /** Called for each change, after it has been logged. */
  readonly onChange?: (change: FallbackChange) => void
}

export const fallbackNames: OptionNames<FallbackOptions> = {
  name: true,
  firstWithin: true,
  coolDown: true,
  maxCoolDown: true,
  onChange: true,
}

export interface FallbackReplayOptions extends FallbackOptions {
  /** How much of the audio since the last final text is replayed to the next model, at most. Default: 5 s. */
  readonly replay?: number
}

export const fallbackReplayNames: OptionNames<FallbackReplayOptions> = {
  ...fallbackNames,
  replay: true,
}

/**
 * A change in the state of a model.
 * - `failed`: the model is asked last, in all calls, until its cool-down has passed
 * - `passed-over`: a call uses another model, because of an earlier failure of this one
 * - `recovered`: the model has worked again, and its cool-down is over
 */
export interface FallbackChange {
  readonly type: 'failed' | 'passed-over' | 'recovered'
  readonly model: string
  /** The model's index in the list. */
  readonly index: number
  /** The failure. Absent if the model has recovered. */
  readonly error?: unknown
  /** How much longer the model is asked last, in milliseconds. Absent if the model has recovered. */
  readonly coolDown?: number
}

/** What a fallback has besides the methods of its models. */
export interface Fallback<Part> {
  /** The models, in the order in which they are used. */
  readonly members: readonly Part[]
}
