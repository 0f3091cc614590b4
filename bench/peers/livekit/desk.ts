import { initializeLogger, llm, voice, type AgentSessionOptions } from '@livekit/agents'
import { guardLiveKit } from '../../../src/guard/index.ts'
import type { Call, Stage } from '../case.ts'
import { CLOSE_TIMEOUT } from '../ours.ts'
import { FakeInput, FakeOutput, type FakeOutputOptions } from './fake-io.ts'
import { FakeLlm, type FakeLlmOptions } from './fake-llm.ts'
import type { FakeRoom } from './fake-room.ts'
import { FakeStt, type FakeSttOptions } from './fake-stt.ts'
import { FakeTts, type FakeTtsOptions } from './fake-tts.ts'
import { never } from './sockets.ts'

/** A case in the columns plain and guarded: what is unusual about the session, and how it is ended. */
export interface DeskOptions {
  /** How the far side treats each connection: the query of its address. */
  readonly sockets?: { readonly stt?: string; readonly llm?: string; readonly tts?: string }
  readonly stt?: Omit<FakeSttOptions, 'url'>
  readonly llm?: Omit<FakeLlmOptions, 'url'>
  readonly tts?: Omit<FakeTtsOptions, 'url'>
  readonly output?: FakeOutputOptions
  readonly session?: (stage: Stage) => AgentSessionOptions
  readonly agent?: (desk: Desk) => voice.Agent
  readonly room?: (desk: Desk) => FakeRoom
  /** Brings the session to the moment of its close; it is only started unless set. */
  readonly arrive?: (desk: Desk) => Promise<unknown>
  /** `session.close()` unless set. */
  readonly end?: (desk: Desk) => unknown
}

/**
 * A session of `@livekit/agents` as its users make one, on fakes of vendors' clients that hold real sockets. The STT has
 * one all the time: it is what is orphaned.
 */
export class Desk {
  readonly session: voice.AgentSession
  readonly stage: Stage
  readonly options: DeskOptions
  /** Resolves when something of this session is stuck. */
  readonly reached: Promise<void>
  readonly output: FakeOutput
  #reach = (): void => {}

  constructor(stage: Stage, options: DeskOptions) {
    this.stage = stage
    this.options = options
    this.reached = new Promise((resolve) => {
      this.#reach = resolve
    })
    const { sockets = {}, stt, tts } = options
    this.session = new voice.AgentSession({
      stt: new FakeStt({ url: `${stage.ws}/stt?${sockets.stt ?? ''}`, ...stt }),
      llm: new FakeLlm({ url: `${stage.http}/llm?${sockets.llm ?? 'answer=Hello.'}`, ...options.llm }),
      tts: new FakeTts({ url: `${stage.ws}/tts?${sockets.tts ?? ''}`, ...tts }),
      vad: null,
      turnHandling: { turnDetection: 'manual' },
      ...options.session?.(stage),
    })
    this.output = new FakeOutput(options.output)
    this.session.input.audio = new FakeInput()
    this.session.output.audio = this.output
  }

  /** Starts, and waits for the socket of the STT. */
  async start(): Promise<void> {
    await this.begin()
    await this.stage.seen({ open: 1 })
  }

  begin(): Promise<void> {
    const { agent, room } = this.options
    // A fake has what is used of a room, and not all that a room has.
    const more: object = room ? { room: room(this) } : {}
    return this.session.start({ agent: agent?.(this) ?? agentWith({}), ...more })
  }

  /** The agent speaks, and somebody hears it. */
  async speaks(options: { allowInterruptions?: boolean } = {}): Promise<void> {
    await this.start()
    this.session.say('This goes on for a while, until somebody ends it.', options)
    await this.output.started
  }

  /** The model is asked, and because of that something is stuck. */
  async asksInVain(): Promise<void> {
    await this.start()
    this.session.generateReply({ userInput: 'Hello?' })
    await this.reached
  }

  /** Never returns, and says that one is there. */
  readonly stuck = <T = void>(): Promise<T> => {
    this.#reach()
    return never()
  }

  /** The model is asked, and its request is under way. */
  async thinks(): Promise<void> {
    await this.start()
    this.session.generateReply({ userInput: 'Hello?' })
    await this.stage.seen({ connections: 2 })
  }

  /** A tool that never comes to its end, whatever its signal says. */
  stuckTool(flags = 0): llm.ToolContextEntry {
    return llm.tool({
      name: 'lookup',
      description: 'Looks something up',
      flags,
      execute: this.stuck,
    })
  }
}

/** Makes the first two columns of a case: as the framework is, and with the line that guards it. */
export function theirs(options: DeskOptions = {}): (stage: Stage) => Promise<Call> {
  return async (stage) => {
    initializeLogger({ pretty: false, level: 'silent' })
    const desk = new Desk(stage, options)
    const { session } = desk
    const guard =
      stage.column === 'guarded' ? guardLiveKit(session, { closeTimeout: CLOSE_TIMEOUT }) : undefined
    await (options.arrive ? options.arrive(desk) : desk.start())
    return {
      close: () => (options.end ? options.end(desk) : session.close()),
      onClosed: (listener) => {
        if (guard) guard.on('closed', listener)
        else session.on(voice.AgentSessionEventTypes.Close, listener)
      },
    }
  }
}

/** An agent with hooks or stages of its own. */
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
