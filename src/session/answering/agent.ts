import type { AudioFrame } from '../../audio/index.ts'
import type { Llm, RecordingChange, TransferOutcome, Tts } from '../../parts/index.ts'
import {
  checkOptions,
  OptionError,
  type Change,
  type Inspection,
  type OptionNames,
} from '../../scope/index.ts'
import { checkPart } from '../check-part.ts'
import { checkPrices, type Prices } from '../closing/cost.ts'
import type {
  CloseSessionOptions,
  HangUpOptions,
  HangUpOutcome,
  Hold,
  HoldOptions,
  TransferOptions,
} from '../closing/asks.ts'
import type { SessionReport } from '../closing/report.ts'
import type { SessionState } from '../closing/session-events.ts'
import type { EventOf } from '../emitter.ts'
import type { SessionEvents } from '../events.ts'
import type { History } from '../history/history.ts'
import type { Answered, AnsweredByOptions, LeaveMessageOptions, MessageOutcome } from '../pickup/answered.ts'
import type { PressOutcome, Speech, SpeechOptions } from '../speaking/speech.ts'
import type { CallerMessage } from './caller-message.ts'
import { guardrailNames, type Guardrails } from './guardrails.ts'
import type { Reply, ReplyOptions } from './reply.ts'
import type { NestedTask, Tool, Toolset } from './tool.ts'

/** A session as hooks and helper functions see it: all of `Session` except `start()`. */
export interface SessionHandle {
  readonly id: string
  readonly state: SessionState
  readonly history: History
  readonly signal: AbortSignal
  readonly closed: Promise<SessionReport>
  readonly afterCall: Promise<void>
  inspect(listener?: (change: Change) => void): Inspection
  on<Name extends keyof SessionEvents>(
    name: Name,
    listener: (data: SessionEvents[Name]) => unknown,
  ): () => void
  events(): AsyncIterableIterator<EventOf<SessionEvents>>
  say(text: string | AsyncIterable<string>, options?: SpeechOptions): Speech
  reply(options?: ReplyOptions): Reply
  press(keys: string): Promise<PressOutcome>
  interrupt(options?: { force?: boolean }): void
  addText(text: string): void
  send(message: unknown): boolean
  commitTurn(): void
  discardTurn(): void
  handOff(to: Agent): Promise<void>
  approve(id: string, approved: boolean): boolean
  hangUp(options?: HangUpOptions): Promise<HangUpOutcome>
  hold(options?: HoldOptions): Hold
  transfer(options: TransferOptions): Promise<TransferOutcome>
  recordCall(change: RecordingChange): Promise<boolean>
  answeredBy(options?: AnsweredByOptions): Promise<Answered>
  leaveMessage(text: string, options?: LeaveMessageOptions): Promise<MessageOutcome>
  drain(options?: CloseSessionOptions): Promise<SessionReport>
  close(options?: CloseSessionOptions): Promise<SessionReport>
}

/** What a hook receives. */
export interface HookContext {
  readonly session: SessionHandle
  /** Aborts when the session closes, or when the hook takes longer than `hookTimeout`. */
  readonly signal: AbortSignal
  /** Closes the session without waiting for this hook. */
  readonly close: (options?: CloseSessionOptions) => Promise<SessionReport>
}

export interface AgentOptions {
  /** Default: `agent`. */
  name?: string
  instructions: string
  tools?: Readonly<Record<string, Tool>>
  toolsets?: readonly Toolset[]
  guardrails?: Guardrails
  /** Answers for this agent, instead of the session's. Opened when the agent takes over, closed when it leaves. */
  llm?: Llm
  /** Speaks for this agent, instead of the session's. Opened when the agent takes over, closed when it leaves. */
  tts?: Tts
  /** Prices of its own models. For those that the session has a price for, too, the session's counts. */
  prices?: Prices
  /** Names and words that the caller may say, for the STT: `['Bright Dental', 'Dr Okonkwo']`. */
  keyTerms?: readonly string[]
  /** Runs when the agent takes over. It may greet the caller. */
  onEnter?: (context: HookContext) => unknown
  /** Runs instead of `onEnter` if the session goes on with a call that was cut off: see the option `resumed`. */
  onResume?: (context: HookContext) => unknown
  /** Runs when the agent leaves, by handoff or because the session closes. */
  onExit?: (context: HookContext) => unknown
  /** Runs when the user has finished a turn. A returned string replaces the text that the model reads. */
  onTurn?: (text: string, context: HookContext) => string | void | PromiseLike<string | void>
  /**
   * Runs when the caller's program, such as a page, has sent a message. What it returns is the answer, if the program waits for one.
   * It may take 9 s.
   */
  onMessage?: (message: CallerMessage, context: HookContext) => unknown
  stages?: Stages
}

const agentNames: OptionNames<AgentOptions> = {
  name: true,
  instructions: true,
  tools: true,
  toolsets: true,
  guardrails: true,
  llm: true,
  tts: true,
  prices: true,
  keyTerms: true,
  onEnter: true,
  onResume: true,
  onExit: true,
  onTurn: true,
  onMessage: true,
  stages: true,
}

/** Transforms between the model and the caller, as async generators. */
export interface Stages {
  /** Text on its way to the voice. */
  text?: (text: AsyncIterable<string>) => AsyncIterable<string>
  /** Sound on its way to the line. It must not change the duration of the sound. */
  sound?: (frames: AsyncIterable<AudioFrame>) => AsyncIterable<AudioFrame>
}

const stageNames: OptionNames<Stages> = {
  text: true,
  sound: true,
}

/** An agent that the caller can talk to. It keeps no state of a call, so one agent may serve many sessions. */
export class Agent {
  readonly name: string
  readonly instructions: string
  readonly tools: Readonly<Record<string, Tool>>
  readonly toolsets: readonly Toolset[]
  readonly guardrails: Guardrails
  readonly llm: Llm | undefined
  readonly tts: Tts | undefined
  readonly prices: Prices | undefined
  readonly keyTerms: readonly string[]
  readonly stages: Stages
  readonly onEnter: AgentOptions['onEnter']
  readonly onResume: AgentOptions['onResume']
  readonly onExit: AgentOptions['onExit']
  readonly onTurn: AgentOptions['onTurn']
  readonly onMessage: AgentOptions['onMessage']

  constructor(options: AgentOptions) {
    checkAgent('Agent', options)
    this.name = options.name ?? 'agent'
    this.instructions = options.instructions
    this.tools = options.tools ?? {}
    this.toolsets = options.toolsets ?? []
    this.guardrails = options.guardrails ?? {}
    this.llm = options.llm
    this.tts = options.tts
    this.prices = options.prices
    this.keyTerms = options.keyTerms ?? []
    this.stages = options.stages ?? {}
    this.onEnter = options.onEnter
    this.onResume = options.onResume
    this.onExit = options.onExit
    this.onTurn = options.onTurn
    this.onMessage = options.onMessage
  }

  /** Its name only: instructions must not leave by an event or a log. */
  toJSON(): { name: string } {
    return { name: this.name }
  }
}

/** Checks the options of an agent or of a task, which have the same names. */
function checkAgent(what: string, options: Omit<AgentOptions, 'tools'>): void {
  checkOptions<AgentOptions>(what, options, agentNames)
  const { instructions, guardrails, stages, llm, tts, prices } = options
  if (typeof instructions !== 'string') throw new OptionError(`${what}: instructions must be a string`)
  if (guardrails) checkOptions(`${what}: guardrails`, guardrails, guardrailNames)
  if (stages) checkOptions(`${what}: stages`, stages, stageNames)
  if (llm !== undefined) checkPart('llm', llm, `${what}: `)
  if (tts !== undefined) checkPart('tts', tts, `${what}: `)
  if (prices !== undefined) checkPrices(`${what}: prices`, prices, [llm, tts])
}

/** The same in every copy of the package: an application and the `endwell` command may each have their own. */
const brand = Symbol.for('endwell.Agent')
Object.defineProperty(Agent.prototype, brand, { value: true })

export function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && brand in value
}

export interface AgentTaskOptions<Result> extends Omit<AgentOptions, 'tools'> {
  tools: (done: (result: Result) => void) => Readonly<Record<string, Tool>>
}

/**
 * An agent that finds out one thing: it talks to the caller until it has a result. Then the previous agent takes over again.
 *
 * ```ts
 * const askBirthday = new AgentTask<Date>({
 *   instructions: 'Ask for the date of birth.',
 *   tools: (done) => ({ save: tool({ …, run: ({ date }) => done(new Date(date)) }) }),
 * })
 * const birthday = await context.run(askBirthday)
 * ```
 */
export class AgentTask<Result> implements NestedTask<Result> {
  readonly #options: AgentTaskOptions<Result>

  constructor(options: AgentTaskOptions<Result>) {
    checkAgent('AgentTask', options)
    this.#options = options
  }

  get name(): string {
    return this.#options.name ?? 'task'
  }

  /** Creates the agent for one run of the task. Its tools call `done`; the first call counts. */
  agent(done: (result: Result) => void): Agent {
    const { tools, ...options } = this.#options
    return new Agent({ name: 'task', ...options, tools: tools(done) })
  }
}
