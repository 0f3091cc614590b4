import { Link } from '../../src/link/index.ts'
import type { PartContext } from '../../src/parts/index.ts'
import { noop, systemClock } from '../../src/scope/index.ts'
import { Agent, Session, tool, type AgentOptions, type Models } from '../../src/session/index.ts'
import {
  Faults,
  ScriptedLlm,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  TestLine,
  type Fault,
  type ScriptedLlmOptions,
  type ScriptedTtsOptions,
  type TestLineOptions,
} from '../../src/testing/index.ts'
import type { Call, Stage } from './case.ts'

/** How long a session may take to close in the columns that have a bound. */
export const CLOSE_TIMEOUT = 3_000

/** A case in the third column: what the session is made of, what is done to it, and how it is ended. */
export interface OursOptions {
  /** How the far side treats the socket of each model: the query of its address. */
  readonly sockets?: { readonly stt?: string; readonly llm?: string; readonly tts?: string }
  readonly llm?: ScriptedLlmOptions
  readonly tts?: ScriptedTtsOptions
  readonly line?: TestLineOptions
  readonly models?: (stage: Stage) => Models
  readonly agent?: (desk: OurDesk) => Partial<AgentOptions>
  readonly recording?: boolean
  /** Steps that misbehave, by their names in `endwell/testing`: `{ 'close:stt': 'hang' }`. */
  readonly faults?: Readonly<Record<string, Fault>>
  /** Brings the session to the moment of its close; it is only started unless set. */
  readonly arrive?: (desk: OurDesk) => Promise<unknown>
  /** `session.close()` unless set. */
  readonly end?: (desk: OurDesk) => unknown
}

export class OurDesk {
  readonly stage: Stage
  readonly session: Session
  readonly line: TestLine
  /** Resolves when something of this session is stuck. */
  readonly reached: Promise<void>
  #reach: () => void = noop

  constructor(stage: Stage, options: OursOptions) {
    this.stage = stage
    this.line = new TestLine(options.line)
    this.reached = new Promise((resolve) => {
      this.#reach = resolve
    })
    const faults = new Faults((ms) => elapse(ms))
    for (const [step, fault] of Object.entries(options.faults ?? {})) faults.set(step, fault)
    this.session = new Session({
      agent: new Agent({
        name: 'desk',
        instructions: 'You answer the phone.',
        tools: { lookup: tool({ description: 'Looks something up', run: this.stuck }) },
        ...options.agent?.(this),
      }),
      models: options.models?.(stage) ?? models(stage, options),
      line: this.line,
      closeTimeout: CLOSE_TIMEOUT,
      intercept: faults.intercept,
      ...(options.recording ? { recording: { write() {}, patch() {}, close() {}, abort() {} } } : {}),
    })
  }

  async start(): Promise<void> {
    await this.session.start()
  }

  /** The agent speaks, and the caller hears it. */
  async speaks(): Promise<void> {
    await this.start()
    this.session.say('This goes on for a while, and then for a while more, until somebody ends it.')
    await this.line.caller.hears()
  }

  /** The model is asked. */
  async asks(): Promise<void> {
    await this.start()
    this.session.reply()
  }

  /** The model is asked, and because of that something is stuck: a tool, if nothing else is. */
  async asksInVain(): Promise<void> {
    await this.asks()
    await this.reached
  }

  /** Never returns, and says that one is there. */
  readonly stuck = (): Promise<never> => {
    this.#reach()
    return new Promise(() => {})
  }
}

/** Makes the third column of a case. */
export function ours(options: OursOptions = {}): (stage: Stage) => Promise<Call> {
  return async (stage) => {
    const desk = new OurDesk(stage, options)
    const { session } = desk
    // Others may listen: they must not keep the event from anybody.
    const listeners: (() => void)[] = []
    session.on('closed', () => {
      for (const each of listeners) each()
    })
    await (options.arrive ? options.arrive(desk) : desk.start())
    return {
      close: () => (options.end ? options.end(desk) : session.close()),
      onClosed: (listener) => listeners.push(listener),
    }
  }
}

function models(stage: Stage, { sockets = {}, llm, tts }: OursOptions): Models {
  return {
    stt: held(new ScriptedStt(), `${stage.ws}/stt?${sockets.stt ?? ''}`),
    llm: held(new ScriptedLlm({ answers: () => 'Hello.', ...llm }), `${stage.ws}/llm?${sockets.llm ?? ''}`),
    tts: held(new ScriptedTts(tts), `${stage.ws}/tts?${sockets.tts ?? ''}`),
    vad: new ScriptedVad(),
  }
}

interface Part<Rest extends unknown[], Opened> {
  readonly name: string
  open(context: PartContext, ...rest: Rest): Promise<Opened>
}

/** The same part, which holds a connection of its own to the far side, opened as every part opens one. */
export function held<Rest extends unknown[], Opened, P extends Part<Rest, Opened>>(part: P, url: string): P {
  const open: P['open'] = async (context, ...rest) => {
    await Link.open(context, {
      name: `${part.name} socket`,
      request: () => ({ url }),
      message: noop,
      failed: noop,
      canResume: () => true,
    })
    return part.open(context, ...rest)
  }
  return Object.create(part, { open: { value: open } }) as P
}

export function elapse(ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(ms, 'a case', resolve)
  })
}
