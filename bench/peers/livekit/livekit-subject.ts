import { initializeLogger, llm, voice, type AgentSessionOptions } from '@livekit/agents'
import { guardLiveKit } from '../../../src/guard/index.ts'
import type { Call, CaseContext } from '../case.ts'
import { CLOSE_TIMEOUT } from '../ours.ts'
import { FakeInput, FakeOutput, type FakeOutputOptions } from './fake-io.ts'
import { FakeLlm, type FakeLlmOptions } from './fake-llm.ts'
import type { FakeRoom } from './fake-room.ts'
import { FakeStt, type FakeSttOptions } from './fake-stt.ts'
import { FakeTts, type FakeTtsOptions } from './fake-tts.ts'
import { never } from './sockets.ts'

/** A case in the columns plain and guarded: how the session differs from the default, and how it is ended. */
export interface LiveKitOptions {
  /** How the far side treats each connection, as the query of its URL. */
  readonly sockets?: { readonly stt?: string; readonly llm?: string; readonly tts?: string }
  readonly stt?: Omit<FakeSttOptions, 'url'>
  readonly llm?: Omit<FakeLlmOptions, 'url'>
  readonly tts?: Omit<FakeTtsOptions, 'url'>
  readonly output?: FakeOutputOptions
  readonly session?: (context: CaseContext) => AgentSessionOptions
  readonly agent?: (subject: LiveKitSubject) => voice.Agent
  readonly room?: (subject: LiveKitSubject) => FakeRoom
  /** Brings the session to the moment of its close. Default: starts it. */
  readonly arrive?: (subject: LiveKitSubject) => Promise<unknown>
  /** Ends the session. Default: `session.close()`. */
  readonly end?: (subject: LiveKitSubject) => unknown
}

/**
 * A session of `@livekit/agents` as its users create it, with fakes of vendors' clients that use real sockets. Only the
 * STT keeps its socket open all the time, so its socket is the one to be orphaned.
 */
export class LiveKitSubject {
  readonly session: voice.AgentSession
  readonly context: CaseContext
  readonly options: LiveKitOptions
  /** Resolves when something in this session is stuck. */
  readonly reached: Promise<void>
  readonly output: FakeOutput
  #reach = (): void => {}

  constructor(context: CaseContext, options: LiveKitOptions) {
    this.context = context
    this.options = options
    this.reached = new Promise((resolve) => {
      this.#reach = resolve
    })
    const { sockets = {}, stt, tts } = options
    this.session = new voice.AgentSession({
      stt: new FakeStt({ url: `${context.ws}/stt?${sockets.stt ?? ''}`, ...stt }),
      llm: new FakeLlm({ url: `${context.http}/llm?${sockets.llm ?? 'answer=Hello.'}`, ...options.llm }),
      tts: new FakeTts({ url: `${context.ws}/tts?${sockets.tts ?? ''}`, ...tts }),
      vad: null,
      turnHandling: { turnDetection: 'manual' },
      ...options.session?.(context),
    })
    this.output = new FakeOutput(options.output)
    this.session.input.audio = new FakeInput()
    this.session.output.audio = this.output
  }

  /** Starts the session, and waits for the socket of the STT. */
  async start(): Promise<void> {
    await this.begin()
    await this.context.seen({ open: 1 })
  }

  begin(): Promise<void> {
    const { agent, room } = this.options
    // The fake has only those members of a room that are used.
    const more: object = room ? { room: room(this) } : {}
    return this.session.start({ agent: agent?.(this) ?? agentWith({}), ...more })
  }

  /** Makes the agent speak, and waits for its first sound. */
  async speaks(options: { allowInterruptions?: boolean } = {}): Promise<void> {
    await this.start()
    this.session.say('This goes on for a while, until the session ends.', options)
    await this.output.started
  }

  /** Asks the model to reply, and waits until something is stuck. */
  async asksAndHangs(): Promise<void> {
    await this.start()
    this.session.generateReply({ userInput: 'Hello?' })
    await this.reached
  }

  /** Never returns. Resolves `reached`. */
  readonly stuck = <T = void>(): Promise<T> => {
    this.#reach()
    return never()
  }

  /** Asks the model to reply, and waits for its request. */
  async thinks(): Promise<void> {
    await this.start()
    this.session.generateReply({ userInput: 'Hello?' })
    await this.context.seen({ connections: 2 })
  }

  /** A tool that ignores its signal and never ends. */
  stuckTool(flags = 0): llm.ToolContextEntry {
    return llm.tool({
      name: 'lookup',
      description: 'Looks something up',
      flags,
      execute: this.stuck,
    })
  }
}

/** Makes the first two columns of a case: the framework as it is, and with the guard. */
export function theirs(options: LiveKitOptions = {}): (context: CaseContext) => Promise<Call> {
  return async (context) => {
    initializeLogger({ pretty: false, level: 'silent' })
    const subject = new LiveKitSubject(context, options)
    const { session } = subject
    const guard =
      context.column === 'guarded' ? guardLiveKit(session, { closeTimeout: CLOSE_TIMEOUT }) : undefined
    await (options.arrive ? options.arrive(subject) : subject.start())
    return {
      close: () => (options.end ? options.end(subject) : session.close()),
      onClosed: (listener) => {
        if (guard) guard.on('closed', listener)
        else session.on(voice.AgentSessionEventTypes.Close, listener)
      },
    }
  }
}

/** An agent with these hooks or stages. */
export function agentWith(
  hooks: Partial<
    Pick<
      voice.Agent,
      'onEnter' | 'onExit' | 'onUserTurnCompleted' | 'sttNode' | 'llmNode' | 'ttsNode' | 'transcriptionNode'
    >
  >,
  options: { tools?: llm.ToolContextEntry[] } = {},
): voice.Agent {
  return Object.assign(new voice.Agent({ instructions: 'You answer the phone.', ...options }), hooks)
}
