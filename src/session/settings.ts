import { wsNetwork } from '../link/index.ts'
import {
  silentLogger,
  type Line,
  type Llm,
  type Logger,
  type Realtime,
  type Stt,
  type Tts,
  type TurnDetector,
  type Vad,
} from '../parts/index.ts'
import {
  OptionError,
  noop,
  shelter,
  systemClock,
  systemRandom,
  type Clock,
  type Intercept,
  type Late,
  type Network,
  type Random,
} from '../scope/index.ts'
import type { Agent } from './answering/agent.ts'
import { idleWarning, type Budget, type Cap } from './closing/caps.ts'
import type { SessionReport } from './closing/report.ts'
import { settleTurns, type TurnOptions } from './hearing/turn-options.ts'
import type { HistoryJSON } from './history/history-item.ts'
import type { RecordingSink } from './recording/recording-sink.ts'

/** What hears, thinks and speaks: a chain of models, or one that does it all. */
export type Models = PipelineModels | RealtimeModels

export interface PipelineModels {
  readonly llm: Llm
  readonly tts: Tts
  /** Without one the caller can only type. */
  readonly stt?: Stt
  readonly vad?: Vad
  readonly turnDetector?: TurnDetector
  readonly realtime?: undefined
}

export interface RealtimeModels {
  readonly realtime: Realtime
  readonly llm?: undefined
  readonly tts?: undefined
  readonly stt?: undefined
  readonly vad?: undefined
}

/** Work after the call: it is awaited, bounded, and disturbs nobody (CL5). */
export type AfterCall = (report: SessionReport, context: { readonly signal: AbortSignal }) => unknown

/** How turns are taken. The rest is decided by the models, and by `idleTimeout`. */
export type SessionTurnOptions = Omit<TurnOptions, 'idle' | 'wordless'>

export interface SessionOptions {
  agent: Agent
  models: Models
  line: Line
  /** Names the session in reports and logs; made up unless set. */
  id?: string
  /** How long the line and the models may take to open: 30 s unless set. */
  startTimeout?: number
  /** From the ask to the report: 5 s unless set. */
  closeTimeout?: number
  /** How long a close waits for the last words of the user (CL6): 2 s unless set. */
  lastWordsTimeout?: number
  /**
   * How long nothing may happen: 10 s unless set. A speech without a sound for so long is given up; a session that is
   * ending is closed (CL3).
   */
  stallTimeout?: number
  /** How long a graceful end may take in all, whatever happens; no limit unless set (CL3). */
  endTimeout?: number
  /** How long a line may fail to confirm that a sound has stopped (SP3): 2 s unless set. */
  playoutTimeout?: number
  /** How long a hook may take: 2 s unless set. */
  hookTimeout?: number
  /** How long one handler of `afterCall` may take: 30 s unless set. */
  afterCallTimeout?: number
  /** The session says goodbye after so long; no limit unless set. */
  maxDuration?: number
  /** The session says goodbye when the user has been silent for so long; never unless set. */
  idleTimeout?: number
  budget?: Budget
  /** What is said before a cap ends the session, by reason. */
  goodbye?: Partial<Record<Cap, string>>
  /** Rounds of tool calls in one answer before it is stopped (TL6): 10 unless set. */
  maxToolSteps?: number
  turns?: SessionTurnOptions
  /** A conversation to go on with: `history.toJSON()` of another session. */
  history?: HistoryJSON
  /** Where a stereo recording of the call goes. */
  recording?: RecordingSink
  afterCall?: AfterCall | readonly AfterCall[]
  /** A pino logger fits. Nothing is written unless set. */
  logger?: Logger
  /** What comes after the report: outcomes of abandoned work. Must not hold the session. */
  onLate?: (late: Late) => void
  clock?: Clock
  random?: Random
  network?: Network
  /** Fault injection, for tests. */
  intercept?: Intercept
}

export type SessionSettings = ReturnType<typeof settle>

/** The options with everything decided. */
export function settle(options: SessionOptions) {
  const { afterCall, random = systemRandom } = options
  const settings = {
    startTimeout: 30_000,
    closeTimeout: 5_000,
    lastWordsTimeout: 2_000,
    stallTimeout: 10_000,
    playoutTimeout: 2_000,
    hookTimeout: 2_000,
    afterCallTimeout: 30_000,
    maxToolSteps: 10,
    ...definedOf(options),
    id: options.id ?? `s${Math.floor(random.next() * 36 ** 8).toString(36)}`,
    logger: shelter(options.logger ?? silentLogger, ['debug', 'info', 'warn', 'error'], noop),
    clock: options.clock ?? systemClock,
    random,
    network: options.network ?? wsNetwork,
    afterCall: afterCall === undefined ? [] : typeof afterCall === 'function' ? [afterCall] : afterCall,
    goodbye: options.goodbye ?? {},
    turns: turnsOf(options),
  }
  // What is wrong with them is told to whoever makes the session, not to whoever starts it.
  settleTurns(settings.turns)
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value !== 'number' || (Number.isFinite(value) && value >= 0)) continue
    throw new OptionError(`${name} must be a finite number, 0 or more; it is ${value}`)
  }
  return settings
}

/** Who decides when the user has finished: with a realtime model that is the model, or somebody by hand. */
function turnsOf({ models, idleTimeout, turns = {} }: SessionOptions): TurnOptions {
  const idle = idleTimeout === undefined ? {} : { idle: idleWarning(idleTimeout) }
  if (!models.realtime) {
    if (models.llm && models.tts) return { ...pipelineTurns(models, turns), ...idle }
    throw new OptionError('models need an llm and a tts, or a realtime model')
  }
  const { mode = 'realtime' } = turns
  if (mode === 'realtime') return { ...turns, ...idle, mode }
  if (mode === 'manual') return { ...turns, ...idle, mode, wordless: true }
  throw new OptionError(`a realtime model takes turns of mode 'realtime' or 'manual'; this is '${mode}'`)
}

/** Unless they are told otherwise, turns use what there is: silence is heard by a VAD, and a detector is asked. */
function pipelineTurns(models: PipelineModels, turns: SessionTurnOptions): TurnOptions {
  const vad = models.vad !== undefined && turns.vad !== false
  const { mode = vad ? 'vad' : 'stt' } = turns
  if (mode === 'stt' && models.stt && !models.stt.endsTurns)
    throw new OptionError(
      "nobody would say when the user has finished: give models a vad or an stt that ends turns, or take turns 'manual'",
    )
  const own = { ...turns, vad, mode }
  if (!models.turnDetector) return own
  const { endpointing = { mode: 'dynamic' } } = turns
  if (endpointing.mode === 'dynamic') return { ...own, endpointing: { detector: true, ...endpointing } }
  throw new OptionError("a turn detector is asked by endpointing of mode 'dynamic': leave one of them out")
}

/** The options that were really given: `undefined` must not hide a default. */
function definedOf<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}
