import { nearestFormat } from '../audio/index.ts'
import { wsNetwork } from '../link/ws-network.ts'
import {
  silentLogger,
  type Filter,
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
  checkOptions,
  type Clock,
  type Intercept,
  type Late,
  type Network,
  type Random,
  type OptionNames,
} from '../scope/index.ts'
import { isAgent, type Agent } from './answering/agent.ts'
import { checkPart } from './check-part.ts'
import { budgetNames, capNames, idleWarning, type Budget, type Cap } from './closing/caps.ts'
import { checkPrices, type Prices } from './closing/cost.ts'
import { checkPriceList, type PriceList } from './closing/price-list.ts'
import type { SessionReport } from './closing/report.ts'
import { turnSettings, type TurnOptions } from './hearing/turn-options.ts'
import type { HistoryJSON } from './history/history-item.ts'
import type { RecordingSink } from './recording/recording-sink.ts'
import { checkSounds, type SoundsOptions } from './speaking/sound-loop.ts'

/** Either a pipeline of separate models, or one realtime model. */
export type Models = PipelineModels | RealtimeModels

export interface PipelineModels {
  readonly llm: Llm
  readonly tts: Tts
  /** Without an STT, the caller can only type. */
  readonly stt?: Stt
  readonly vad?: Vad
  readonly turnDetector?: TurnDetector
  /** Changes the caller's sound before the models hear it. A recording has the original. */
  readonly filter?: Filter
  readonly realtime?: undefined
}

const modelNames: OptionNames<Models> = {
  llm: true,
  tts: true,
  stt: true,
  vad: true,
  turnDetector: true,
  filter: true,
  realtime: true,
}

export interface RealtimeModels {
  readonly realtime: Realtime
  readonly llm?: undefined
  /** Speaks the answers, which the model then writes. Default: the model speaks. */
  readonly tts?: Tts
  readonly stt?: undefined
  readonly vad?: undefined
  /** Changes the caller's sound before the model hears it. A recording has the original. */
  readonly filter?: Filter
}

export interface Apology {
  /** After an answer failed. Default: "Sorry, something went wrong. Could you say that again?" */
  again?: string
  /** Before the session ends because of failures. Default: "Sorry, I cannot help you right now. Please call again later." */
  end?: string
}

const apologyNames: OptionNames<Apology> = {
  again: true,
  end: true,
}

/**
 * Runs after the call, once, in the process of the call. Awaited for at most `afterCallTimeout`; a failure affects no other
 * handler (CL5). It is for sessions without a host: it is lost in a crash and is not retried. With a host, use `afterCall` of
 * the agent file instead.
 */
export type AfterCall = (report: SessionReport, context: { readonly signal: AbortSignal }) => unknown

/** How turns are taken. The session derives the other turn options from its models and `idleTimeout`. */
export type SessionTurnOptions = Omit<TurnOptions, 'idle' | 'wordless'>

export interface SessionOptions {
  agent: Agent
  models: Models
  line: Line
  /** Names the session in reports and logs. Default: random. */
  id?: string
  /** How long the line and the models may take to open. Default: 30 s. */
  startTimeout?: number
  /** How long a close may take, from the request to the report. Default: 5 s. */
  closeTimeout?: number
  /** How long a close waits for the user's last words to be transcribed (CL6). Default: 2 s. */
  lastWordsTimeout?: number
  /**
   * How long nothing may happen before a speech without sound fails, and before a session that is ending is closed (CL3).
   * Default: 10 s.
   */
  stallTimeout?: number
  /** How long a graceful end may take in total, even if it makes progress (CL3). Default: no limit. */
  endTimeout?: number
  /** How long to wait for the line to confirm that a sound has stopped (SP3). Default: 2 s. */
  playoutTimeout?: number
  /** How long a hook may take. Default: 2 s. */
  hookTimeout?: number
  /** How long each `afterCall` handler may take. Default: 30 s. */
  afterCallTimeout?: number
  /** The session says goodbye after this long. Default: no limit. */
  maxDuration?: number
  /** The session says goodbye when the user has been silent for this long. Default: no limit. */
  idleTimeout?: number
  budget?: Budget
  /**
   * What each model charges per unit of its usage, by the name of the part: `{ deepgram: { audioSeconds: 0.0001 } }`. The
   * report then has the cost of the call. They come before those of the `priceList`. Default: none.
   */
  prices?: Prices
  /**
   * Prices by product, for the models that `prices` does not name: `defaultPriceList`, or a list of your own. Default: none; a
   * host uses `defaultPriceList`.
   */
  priceList?: PriceList | undefined
  /** What to say before a cap ends the session, by reason. */
  goodbye?: Partial<Record<Cap, string>>
  /**
   * How long a model may take to begin an answer, or to go on with it, before the answer fails (FA1). A retry is included.
   * Default: 10 s.
   */
  answerTimeout?: number
  /** How often in a row a model or a voice may fail before the session apologises and ends (FA2). Default: 3. */
  maxFailures?: number
  /** What to say when a model has failed (FA2). An empty text says nothing. Default: English sentences. */
  apology?: Apology
  /** How many rounds of tool calls one answer may have (TL6). Default: 10. */
  maxToolSteps?: number
  turns?: SessionTurnOptions
  /** A conversation to continue: `history.toJSON()` of an earlier session. */
  history?: HistoryJSON
  /** Whether the call was cut off, and `history` is what was said in it. The agent's `onResume` runs, and not `onEnter`. */
  resumed?: boolean
  /** Where to write a stereo recording of the call. */
  recording?: RecordingSink
  /** Sounds that the caller hears besides the agent's voice. Default: none. */
  sounds?: SoundsOptions
  afterCall?: AfterCall | readonly AfterCall[]
  /** A pino logger fits. Default: no logging. */
  logger?: Logger
  /** Receives outcomes of abandoned work that arrive after the report. Must not hold a reference to the session. */
  onLate?: (late: Late) => void
  clock?: Clock
  random?: Random
  network?: Network
  /** Fault injection, for tests. */
  intercept?: Intercept
}

export const optionNames: OptionNames<SessionOptions> = {
  agent: true,
  models: true,
  line: true,
  id: true,
  startTimeout: true,
  closeTimeout: true,
  lastWordsTimeout: true,
  stallTimeout: true,
  endTimeout: true,
  playoutTimeout: true,
  hookTimeout: true,
  afterCallTimeout: true,
  maxDuration: true,
  idleTimeout: true,
  budget: true,
  prices: true,
  priceList: true,
  goodbye: true,
  answerTimeout: true,
  maxFailures: true,
  apology: true,
  maxToolSteps: true,
  turns: true,
  history: true,
  resumed: true,
  recording: true,
  sounds: true,
  afterCall: true,
  logger: true,
  onLate: true,
  clock: true,
  random: true,
  network: true,
  intercept: true,
}

export type SessionSettings = ReturnType<typeof sessionSettings>

/** Fills in the defaults and validates the options. */
export function sessionSettings(options: SessionOptions) {
  checkOptions('Session', options, optionNames)
  checkOptions('Session: models', options.models, modelNames)
  if (options.apology) checkOptions('Session: apology', options.apology, apologyNames)
  if (options.goodbye) checkOptions('Session: goodbye', options.goodbye, capNames)
  if (options.budget) checkOptions('Session: budget', options.budget, budgetNames)
  if (options.sounds) checkSounds(options.sounds)
  checkParts(options)
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
    answerTimeout: 10_000,
    maxFailures: 3,
    ...definedOf(options),
    id: options.id ?? `s${Math.floor(random.next() * 36 ** 8).toString(36)}`,
    logger: shelter(options.logger ?? silentLogger, ['debug', 'info', 'warn', 'error'], noop),
    clock: options.clock ?? systemClock,
    random,
    network: options.network ?? wsNetwork,
    afterCall: afterCall === undefined ? [] : typeof afterCall === 'function' ? [afterCall] : afterCall,
    goodbye: options.goodbye ?? {},
    apology: {
      again: 'Sorry, something went wrong. Could you say that again?',
      end: 'Sorry, I cannot help you right now. Please call again later.',
      ...definedOf(options.apology ?? {}),
    },
    turns: turnsOf(options),
    /** The format of the caller's sound as the models hear it. */
    hears: options.models.filter
      ? nearestFormat(options.line.hears, options.models.filter.hears)
      : options.line.hears,
  }
  for (const name of numbers) {
    const value: unknown = settings[name]
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0)) continue
    throw new OptionError(`${name} must be a finite number, 0 or more; it is ${describeValue(value)}`)
  }
  if (!isAgent(options.agent))
    throw new OptionError(`agent must be an Agent: make it with new Agent({ instructions: … })`)
  checkCost(options)
  // Only validates: a mistake in the options must throw in the constructor, not in `start()`.
  turnSettings(settings.turns)
  return settings
}

function checkParts({ line, models }: SessionOptions): void {
  for (const [name, part] of Object.entries({ line, ...models }))
    if (part !== undefined) checkPart(name, part)
}

function checkCost({ line, models, agent, prices, priceList, budget }: SessionOptions): void {
  const parts = [line, ...Object.values(models as object), agent.llm, agent.tts]
  if (prices !== undefined) checkPrices('Session: prices', prices, parts)
  if (priceList !== undefined) checkPriceList('Session: priceList', priceList)
  if (budget?.cost === undefined) return
  if (!Number.isFinite(budget.cost) || budget.cost <= 0)
    throw new OptionError(
      `budget.cost must be a finite number, more than 0; it is ${describeValue(budget.cost)}`,
    )
  if (prices === undefined && agent.prices === undefined && priceList === undefined)
    throw new OptionError('budget.cost needs prices: add prices for the models of the session')
}

/** Options that are numbers. A string from the environment must not become a time that never ends. */
const numbers = [
  'startTimeout',
  'closeTimeout',
  'lastWordsTimeout',
  'stallTimeout',
  'endTimeout',
  'playoutTimeout',
  'hookTimeout',
  'afterCallTimeout',
  'maxDuration',
  'idleTimeout',
  'maxToolSteps',
  'answerTimeout',
  'maxFailures',
] as const

function describeValue(value: unknown): string {
  return typeof value === 'string' ? `the string '${value}': use Number(…)` : String(value)
}

/** A realtime model decides when the user has finished, or the application does. */
function turnsOf({ models, idleTimeout, turns = {} }: SessionOptions): TurnOptions {
  const idle = idleTimeout === undefined ? {} : { idle: idleWarning(idleTimeout) }
  if (!models.realtime) {
    if (models.llm && models.tts) return { ...pipelineTurns(models, turns), ...idle }
    throw new OptionError('models need an llm and a tts, or a realtime model')
  }
  if (models.tts && !models.realtime.writes)
    throw new OptionError(`'${models.realtime.name}' cannot answer in text: remove the tts`)
  const { mode = 'realtime' } = turns
  if (mode === 'realtime') return { ...turns, ...idle, mode }
  if (mode === 'manual') return { ...turns, ...idle, mode, wordless: true }
  throw new OptionError(`a realtime model takes turns of mode 'realtime' or 'manual'; this is '${mode}'`)
}

/** By default, turns use whatever models there are: a VAD for silence, and a turn detector. */
function pipelineTurns(models: PipelineModels, turns: SessionTurnOptions): TurnOptions {
  const vad = models.vad !== undefined && turns.vad !== false
  const { mode = vad && !models.stt?.endsTurns ? 'vad' : 'stt' } = turns
  if (mode === 'stt' && models.stt && !models.stt.endsTurns)
    throw new OptionError(
      "nothing detects the end of the user's turn: add a vad, an stt that ends turns, or turns: { mode: 'manual' }",
    )
  const own = { ...turns, vad, mode }
  if (!models.turnDetector) return own
  const { endpointing = { mode: 'dynamic' } } = turns
  if (endpointing.mode === 'dynamic') return { ...own, endpointing: { detector: true, ...endpointing } }
  throw new OptionError(
    "a turn detector needs endpointing of mode 'dynamic': set that mode, or remove the turn detector",
  )
}

/** Leaves out options that are `undefined`: they must not hide a default. */
function definedOf<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}
