import { OptionError } from '../../scope/index.ts'

/**
 * Who decides that the user has finished:
 *
 * - `vad`: silence does, after the endpointing delay;
 * - `stt`: the speech-to-text does, by its `endOfTurn`;
 * - `realtime`: the model does, and its turns are never committed from here;
 * - `manual`: somebody does, by hand.
 */
export type TurnMode = 'vad' | 'stt' | 'realtime' | 'manual'

export interface TurnOptions {
  /** `vad` unless set, in a session without a VAD `stt`. */
  readonly mode?: TurnMode
  /** Whether somebody tells when the user speaks: in a session, whether there is a VAD. If not, text stands in for voice. */
  readonly vad?: boolean
  readonly endpointing?: EndpointingOptions
  readonly bargeIn?: BargeInOptions
  /** Pauses the agent when the user might be interrupting. Off unless set: the agent speaks on until it is sure. */
  readonly falseInterruption?: FalseInterruptionOptions
  /** Begins to answer before the turn is sure. Off unless set. */
  readonly preemptive?: boolean | PreemptiveOptions
  /** How long both are silent until the user is idle. Never, unless set. */
  readonly idle?: number
  /** What becomes of telephone keys. They are ignored unless set. */
  readonly dtmf?: DtmfOptions
  /** In mode `manual`, for a model that hears by itself: turns are committed without words. False unless set. */
  readonly wordless?: boolean
}

export type EndpointingOptions =
  | {
      readonly mode?: 'fixed'
      /** From the end of speech to the commit: 500 ms unless set. */
      readonly delay?: number
      /** How long the final text is waited for, from the end of speech: 3 s unless set. */
      readonly maxDelay?: number
    }
  | {
      /** The delay follows the turn detector's score or, without one, the user's own pauses. */
      readonly mode: 'dynamic'
      /** 500 ms unless set. */
      readonly minDelay?: number
      /** Also how long the final text and the detector are waited for: 3 s unless set. */
      readonly maxDelay?: number
      /** Whether there is a turn detector to be asked: in a session, true if there is one. */
      readonly detector?: boolean
    }

/** Which speech of the user interrupts the agent. In mode `realtime` the model has decided, and this does not count. */
export interface BargeInOptions {
  /** How long it lasts at least: 500 ms unless set. A turn that is committed interrupts however short it was. */
  readonly minDuration?: number
  /** How many words it has at least: 0 unless set. Turns with fewer are committed when the agent is silent. */
  readonly minWords?: number
}

export interface FalseInterruptionOptions {
  /** The agent goes on if no words came for so long after the user fell silent, or while speaking: 2 s unless set. */
  readonly timeout?: number
  /** How long the user speaks before the agent is paused: 0 unless set. */
  readonly pauseAfter?: number
}

export interface PreemptiveOptions {
  /** How long an interim text stays the same until it is worth an answer: 200 ms unless set. */
  readonly stableFor?: number
  /** How many answers are begun for one turn at most, since each is paid for: 3 unless set. */
  readonly attempts?: number
}

export interface DtmfOptions {
  /** `text`: an entry is a turn of the user; `event`: it is given as `digits`. `event` unless set. */
  readonly as?: 'text' | 'event'
  /** The key that ends an entry, and is no part of it unless it is alone: `#` unless set. */
  readonly endKey?: string
  /** How many keys make an entry: 32 unless set, more than any number one dials. */
  readonly count?: number
  /** An entry ends if no key follows for so long: 3 s unless set. */
  readonly timeout?: number
  /** Whether the first key already interrupts the agent: true unless set. An entry that is a turn does in any case. */
  readonly interrupts?: boolean
}

export interface TurnSettings {
  readonly mode: TurnMode
  readonly vad: boolean
  readonly dynamic: boolean
  readonly detector: boolean
  /** The fixed delay, or the least. */
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

export function settleTurns(options: TurnOptions): TurnSettings {
  const { mode = 'vad', vad = true, endpointing = {}, bargeIn = {}, wordless = false } = options
  if (mode === 'vad' && !vad) throw new OptionError("turns cannot have mode 'vad' without a VAD")
  if (wordless && mode !== 'manual') throw new OptionError("wordless turns need mode 'manual'")
  const dynamic = endpointing.mode === 'dynamic'
  const shortest = endpointing.mode === 'dynamic' ? endpointing.minDelay : endpointing.delay
  const delay = time(dynamic ? 'endpointing.minDelay' : 'endpointing.delay', shortest, 500)
  const maxDelay = time('endpointing.maxDelay', endpointing.maxDelay, 3_000)
  if (delay > maxDelay) throw new OptionError(`endpointing.maxDelay, ${maxDelay}, is less than ${delay}`)
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

const falseInterruption = (options: FalseInterruptionOptions): Required<FalseInterruptionOptions> => ({
  timeout: time('falseInterruption.timeout', options.timeout, 2_000),
  pauseAfter: time('falseInterruption.pauseAfter', options.pauseAfter, 0),
})

function preemptive(options: TurnOptions['preemptive'] = false): Required<PreemptiveOptions> | undefined {
  if (options === false) return undefined
  const { stableFor, attempts } = options === true ? {} : options
  return {
    stableFor: time('preemptive.stableFor', stableFor, 200),
    attempts: number('preemptive.attempts', attempts, 3, 1),
  }
}

const dtmf = (options: DtmfOptions): Required<DtmfOptions> => ({
  as: options.as ?? 'event',
  endKey: options.endKey ?? '#',
  count: number('dtmf.count', options.count, 32, 1),
  timeout: time('dtmf.timeout', options.timeout, 3_000),
  interrupts: options.interrupts ?? true,
})

function time(name: string, value: number | undefined, preset: number): number {
  const chosen = value ?? preset
  if (Number.isFinite(chosen) && chosen >= 0) return chosen
  throw new OptionError(`${name} must be a finite number of milliseconds, 0 or more; it is ${chosen}`)
}

function number(name: string, value: number | undefined, preset: number, least: number): number {
  const chosen = value ?? preset
  if (Number.isSafeInteger(chosen) && chosen >= least) return chosen
  throw new OptionError(`${name} must be a whole number, ${least} or more; it is ${chosen}`)
}
