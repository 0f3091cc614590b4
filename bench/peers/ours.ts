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
import type { Call, CaseContext } from './case.ts'

/** How long a session may take to close in the columns guarded and ours. */
export const CLOSE_TIMEOUT = 3_000

/** A case in the third column: the parts of the session, its faults, and how it is ended. */
export interface OursOptions {
  /** How the far side treats the socket of each model, as the query of its URL. */
  readonly sockets?: { readonly stt?: string; readonly llm?: string; readonly tts?: string }
  readonly llm?: ScriptedLlmOptions
  readonly tts?: ScriptedTtsOptions
  readonly line?: TestLineOptions
  readonly models?: (context: CaseContext) => Models
  readonly agent?: (subject: OurSubject) => Partial<AgentOptions>
  readonly recording?: boolean
  /** Steps that misbehave, by their names in `endwell/testing`: `{ 'close:stt': 'hang' }`. */
  readonly faults?: Readonly<Record<string, Fault>>
  /** Brings the session to the moment of its close. Default: starts it. */
  readonly arrive?: (subject: OurSubject) => Promise<unknown>
  /** Ends the session. Default: `session.close()`. */
  readonly end?: (subject: OurSubject) => unknown
}

export class OurSubject {
  readonly context: CaseContext
  readonly session: Session
  readonly line: TestLine
  /** Resolves when something in this session is stuck. */
  readonly reached: Promise<void>
  #reach: () => void = noop

  constructor(context: CaseContext, options: OursOptions) {
    this.context = context
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
      models: options.models?.(context) ?? models(context, options),
      line: this.line,
      closeTimeout: CLOSE_TIMEOUT,
      intercept: faults.intercept,
      ...(options.recording ? { recording: { write() {}, patch() {}, close() {}, abort() {} } } : {}),
    })
  }

  async start(): Promise<void> {
    await this.session.start()
  }

  /** Makes the agent speak, and waits until the caller hears it. */
  async speaks(): Promise<void> {
    await this.start()
    this.session.say('This goes on for a while, and then for a while more, until the session ends.')
    await this.line.caller.hears()
  }

  /** Asks the model to reply. */
  async asks(): Promise<void> {
    await this.start()
    this.session.reply()
  }

  /** Asks the model to reply, and waits until something is stuck, such as its tool. */
  async asksAndHangs(): Promise<void> {
    await this.asks()
    await this.reached
  }

  /** Never returns. Resolves `reached`. */
  readonly stuck = (): Promise<never> => {
    this.#reach()
    return new Promise(() => {})
  }
}

/** Starts a session without waiting until it has started. */
export async function startsInBackground({ session }: OurSubject): Promise<void> {
  session.start().catch(noop)
  await elapse(600)
}

/** Makes the third column of a case. */
export function ours(options: OursOptions = {}): (context: CaseContext) => Promise<Call> {
  return async (context) => {
    const subject = new OurSubject(context, options)
    const { session } = subject
    // Subscribed first, so that no listener of the case can come before.
    const listeners: (() => void)[] = []
    session.on('closed', () => {
      for (const each of listeners) each()
    })
    await (options.arrive ? options.arrive(subject) : subject.start())
    return {
      close: () => (options.end ? options.end(subject) : session.close()),
      onClosed: (listener) => listeners.push(listener),
    }
  }
}

function models(context: CaseContext, { sockets = {}, llm, tts }: OursOptions): Models {
  return {
    stt: withSocket(new ScriptedStt(), `${context.ws}/stt?${sockets.stt ?? ''}`),
    llm: withSocket(
      new ScriptedLlm({ answers: () => 'Hello.', ...llm }),
      `${context.ws}/llm?${sockets.llm ?? ''}`,
    ),
    tts: withSocket(new ScriptedTts(tts), `${context.ws}/tts?${sockets.tts ?? ''}`),
    vad: new ScriptedVad(),
  }
}

interface Part<Rest extends unknown[], Opened> {
  readonly name: string
  open(context: PartContext, ...rest: Rest): Promise<Opened>
}

/** The same part with its own connection to the far side, opened as every part opens one. */
export function withSocket<Rest extends unknown[], Opened, P extends Part<Rest, Opened>>(
  part: P,
  url: string,
): P {
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
