import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'

/**
 * What ends the user's turn:
 *
 * - `vad`: silence, after the endpointing delay;
 * - `stt`: the `endOfTurn` event of the speech-to-text;
 * - `realtime`: the realtime model, which then answers on its own;
 * - `manual`: the application.
 */
export type TurnMode = 'vad' | 'stt' | 'realtime' | 'manual'

export interface TurnOptions {
  /** Default: `stt` if the STT ends turns, otherwise `vad`. */
  readonly mode?: TurnMode
  /** Whether a VAD reports when the user speaks. If not, text stands in for speech. Default: whether the session has one. */
  readonly vad?: boolean
  readonly endpointing?: EndpointingOptions
  readonly bargeIn?: BargeInOptions
  /** Pauses the agent when the user may be interrupting. Default: off, the agent speaks until it is really interrupted. */
  readonly falseInterruption?: FalseInterruptionOptions
  /** Begins a reply before the turn has certainly ended. Default: off. */
  readonly preemptive?: boolean | PreemptiveOptions
  /** How long both sides are silent before the user counts as idle. Default: never. */
  readonly idle?: number
  /** How to treat telephone keys. Default: they are ignored. */
  readonly dtmf?: DtmfOptions
  /** In mode `manual` with a model that hears the audio itself: commit turns without words. Default: false. */
  readonly wordless?: boolean
}

const turnNames: OptionNames<TurnOptions> = {
  mode: true,
  vad: true,
  endpointing: true,
  bargeIn: true,
  falseInterruption: true,
  preemptive: true,
  idle: true,
  dtmf: true,
  wordless: true,
}

export type EndpointingOptions =
  | {
      readonly mode?: 'fixed'
      /** From the end of speech to the end of the turn. Default: 500 ms. */
      readonly delay?: number
      /** How long to wait for the final text, from the end of speech. Default: 3 s. */
      readonly maxDelay?: number
    }
  | {
      /** The delay depends on the turn detector's score or, without a detector, on the user's own pauses. */
      readonly mode: 'dynamic'
      /** Default: 500 ms. */
      readonly minDelay?: number
      /** Also how long to wait for the final text and for the detector. Default: 3 s. */
      readonly maxDelay?: number
      /** Whether to ask a turn detector. Default: whether the session has one. */
      readonly detector?: boolean
    }

const fixedNames: OptionNames<Exclude<EndpointingOptions, { mode: 'dynamic' }>> = {
  mode: true,
  delay: true,
  maxDelay: true,
}

const dynamicNames: OptionNames<Extract<EndpointingOptions, { mode: 'dynamic' }>> = {
  mode: true,
  minDelay: true,
  maxDelay: true,
  detector: true,
}

/** Which speech of the user interrupts the agent. Ignored in mode `realtime`, where the model decides. */
export interface BargeInOptions {
  /** Minimum length of the speech. Default: 500 ms. A committed turn interrupts however short it is. */
  readonly minDuration?: number
  /** Minimum number of words. Turns with fewer words wait until the agent is silent. Default: 0. */
  readonly minWords?: number
}

const bargeInNames: OptionNames<BargeInOptions> = {
  minDuration: true,
  minWords: true,
}

export interface FalseInterruptionOptions {
  /** The agent resumes if no words have arrived for this long, counted from the last speech. Default: 2 s. */
  readonly timeout?: number
  /** How long the user speaks before the agent is paused. Default: 0. */
  readonly pauseAfter?: number
}

const falseInterruptionNames: OptionNames<FalseInterruptionOptions> = {
  timeout: true,
  pauseAfter: true,
}

export interface PreemptiveOptions {
  /** How long an interim text must stay the same before a reply is begun. Default: 200 ms. */
  readonly stableFor?: number
  /** How many replies may be begun per turn. Each one costs money. Default: 3. */
  readonly attempts?: number
}

const preemptiveNames: OptionNames<PreemptiveOptions> = {
  stableFor: true,
  attempts: true,
}

export interface DtmfOptions {
  /** `text` makes an entry a turn of the user, `event` emits it as `digits`. Default: `event`. */
  readonly as?: 'text' | 'event'
  /** The key that ends an entry. It is not part of the entry, unless it is the only key. Default: `#`. */
  readonly endKey?: string
  /** An entry ends after this many keys. Default: 32, longer than any phone or account number. */
  readonly count?: number
  /** An entry ends if no key follows for this long. Default: 3 s. */
  readonly timeout?: number
  /** Whether the first key interrupts the agent. An entry that is a turn always does. Default: true. */
  readonly interrupts?: boolean
}

const dtmfNames: OptionNames<DtmfOptions> = {
  as: true,
  endKey: true,
  count: true,
  timeout: true,
  interrupts: true,
}

export interface TurnSettings {
  readonly mode: TurnMode
  readonly vad: boolean
  readonly dynamic: boolean
  readonly detector: boolean
  /** The fixed delay, or the minimum of a dynamic one. */
  readonly delay: number
  readonly maxDelay: number
  readonly minDuration: number
  readonly minWords: number
  readonly falseInterruption: Required<FalseInterruptionOptions> | undefined
  readonly preemptive: Required<PreemptiveOptions> | undefined
  readonly idle: number | undefined
  readonly dtmf: Required<DtmfOptions> | undefined
  readonly wordless: boolean
}

export function turnSettings(options: TurnOptions): TurnSettings {
  checkOptions('turns', options, turnNames)
  const { mode = 'vad', vad = true, endpointing = {}, bargeIn = {}, wordless = false } = options
  if (endpointing.mode === 'dynamic') checkOptions('turns: dynamic endpointing', endpointing, dynamicNames)
  else checkOptions('turns: fixed endpointing', endpointing, fixedNames)
  checkOptions('turns: bargeIn', bargeIn, bargeInNames)
  if (mode === 'vad' && !vad) throw new OptionError("turns cannot have mode 'vad' without a VAD")
  if (wordless && mode !== 'manual') throw new OptionError("wordless turns need mode 'manual'")
  const dynamic = endpointing.mode === 'dynamic'
  const shortest = endpointing.mode === 'dynamic' ? endpointing.minDelay : endpointing.delay
  const delay = time(dynamic ? 'endpointing.minDelay' : 'endpointing.delay', shortest, 500)
  const maxDelay = time('endpointing.maxDelay', endpointing.maxDelay, 3_000)
  if (delay > maxDelay)
    throw new OptionError(`endpointing.maxDelay must be at least ${delay}, the delay; it is ${maxDelay}`)
  return {
    mode,
    vad,
    wordless,
    dynamic,
    detector: endpointing.mode === 'dynamic' && endpointing.detector === true,
    delay,
    maxDelay,
    minDuration: time('bargeIn.minDuration', bargeIn.minDuration, 500),
    minWords: number('bargeIn.minWords', bargeIn.minWords, 0, 0),
    falseInterruption: options.falseInterruption && falseInterruption(options.falseInterruption),
    preemptive: preemptive(options.preemptive),
    idle: options.idle === undefined ? undefined : time('idle', options.idle, 0),
    dtmf: options.dtmf && dtmf(options.dtmf),
  }
}

function falseInterruption(options: FalseInterruptionOptions): Required<FalseInterruptionOptions> {
  checkOptions('turns: falseInterruption', options, falseInterruptionNames)
  return {
    timeout: time('falseInterruption.timeout', options.timeout, 2_000),
    pauseAfter: time('falseInterruption.pauseAfter', options.pauseAfter, 0),
  }
}

function preemptive(options: TurnOptions['preemptive'] = false): Required<PreemptiveOptions> | undefined {
  if (options === false) return undefined
  const given = options === true ? {} : options
  checkOptions('turns: preemptive', given, preemptiveNames)
  const { stableFor, attempts } = given
  return {
    stableFor: time('preemptive.stableFor', stableFor, 200),
    attempts: number('preemptive.attempts', attempts, 3, 1),
  }
}

function dtmf(options: DtmfOptions): Required<DtmfOptions> {
  checkOptions('turns: dtmf', options, dtmfNames)
  return {
    as: options.as ?? 'event',
    endKey: options.endKey ?? '#',
    count: number('dtmf.count', options.count, 32, 1),
    timeout: time('dtmf.timeout', options.timeout, 3_000),
    interrupts: options.interrupts ?? true,
  }
}

function time(name: string, given: number | undefined, fallback: number): number {
  const value = given ?? fallback
  if (Number.isFinite(value) && value >= 0) return value
  throw new OptionError(`${name} must be a finite number of milliseconds, 0 or more; it is ${value}`)
}

function number(name: string, given: number | undefined, fallback: number, min: number): number {
  const value = given ?? fallback
  if (Number.isSafeInteger(value) && value >= min) return value
  throw new OptionError(`${name} must be a whole number, ${min} or more; it is ${value}`)
}
