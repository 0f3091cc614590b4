import { Host, listen, type HostOptions, type HttpServer, type ListenOptions } from '../../src/host/index.ts'
import { Scope } from '../../src/scope/index.ts'
import { Agent, Session, type AgentOptions, type SessionOptions } from '../../src/session/index.ts'
import {
  Faults,
  ScriptedLlm,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  TestLine,
  type LlmAnswer,
} from '../../src/testing/index.ts'

export interface StageOptions
  extends Partial<Omit<HostOptions, 'scope'>>, Partial<Omit<ListenOptions, 'app'>> {}

/** A host on a real port, in real time. */
export class Stage {
  readonly scope: Scope<string>
  readonly host: Host
  readonly server: HttpServer
  readonly #sessions: Session[] = []

  private constructor(scope: Scope<string>, host: Host, server: HttpServer) {
    this.scope = scope
    this.host = host
    this.server = server
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const { upgrade, port = 0, host: address, scope = new Scope('stage'), ...rest } = options
    const info = { name: 'Bright Dental', version: '1.2.3', mode: 'dev' as const, agent: 'desk' }
    try {
      const host = new Host({ scope, info, ...rest })
      const server = await listen({
        scope,
        app: host.app,
        port,
        ...(address === undefined ? {} : { host: address }),
        ...(upgrade ? { upgrade } : {}),
      })
      return new Stage(scope, host, server)
    } catch (error) {
      await scope.close()
      throw error
    }
  }

  get url(): string {
    return this.server.url
  }

  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch(this.url + path, init)
  }

  /** Adds a session with a simulated caller to the host. It is not started. */
  call(options: StageCallOptions = {}): StageCall {
    const call = stageCall(options)
    this.#sessions.push(call.session)
    this.host.add(call.session, { agent: 'desk', from: 'browser' })
    return call
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close({ closeTimeout: 200 })))
    await this.scope.close()
  }
}

export interface StageCallOptions extends Partial<Omit<SessionOptions, 'agent' | 'models' | 'line'>> {
  answers?: readonly LlmAnswer[]
  agent?: Partial<AgentOptions>
  /** Milliseconds of speech per character. Default: 1, which keeps tests short. */
  msPerCharacter?: number
  /** Milliseconds until the first words of the LLM. Default: 0. */
  thinksFor?: number
}

export type StageCall = ReturnType<typeof stageCall>

function stageCall({ answers = [], agent, msPerCharacter = 1, thinksFor = 0, ...rest }: StageCallOptions) {
  const line = new TestLine()
  const llm = new ScriptedLlm({ answers, firstAfter: thinksFor })
  const faults = new Faults(() => new Promise(() => {}))
  const session = new Session({
    agent: new Agent({ name: 'desk', instructions: 'You answer the phone.', ...agent }),
    models: {
      llm,
      tts: new ScriptedTts({ msPerCharacter }),
      stt: new ScriptedStt({ finalOn: 'flush' }),
      vad: new ScriptedVad(),
    },
    line,
    intercept: faults.intercept,
    ...rest,
  })
  return { session, line, llm, caller: line.caller, faults }
}

/** The messages of an event stream, until it ends. Leaving the loop closes the stream. */
export async function* messagesOf<Message>(response: Response): AsyncGenerator<Message> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += value
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) if (block.startsWith('data: ')) yield JSON.parse(block.slice(6)) as Message
    }
  } finally {
    await reader.cancel()
  }
}

/** Resolves when the session emits this event. */
export function emitted(
  session: Session,
  name: 'started' | 'user' | 'spoken' | 'tool' | 'latency' | 'closed',
): Promise<void> {
  return new Promise((resolve) => {
    session.on(name, () => resolve())
  })
}
