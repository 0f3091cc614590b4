import { Host, listen, type HttpServer } from '../../src/host/index.ts'
import { TwilioCalls } from '../../src/lines/twilio/index.ts'
import { WebSocketCalls } from '../../src/lines/websocket/index.ts'
import type { Line } from '../../src/parts/index.ts'
import { Scope, type ScopeReport } from '../../src/scope/index.ts'
import { Agent, Session, type SessionReport } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedStt, ScriptedTts, ScriptedVad } from '../../src/testing/index.ts'

/** How long a session and the host may take to close, in milliseconds. A peer that does not answer is cut at its end. */
export const CLOSE_TIMEOUT = 250

/** A call that the host has answered. */
export interface AnsweredCall {
  readonly id: string
  readonly session: Session
  /** The report of each `closed` event. */
  readonly reports: SessionReport[]
}

/** A host that takes calls of pages and of a carrier, on a real port. */
export class SocketHost {
  readonly calls: AnsweredCall[] = []
  readonly #scope = new Scope<string>('host', { closeTimeout: CLOSE_TIMEOUT })
  readonly #host: Host
  #server!: HttpServer

  private constructor() {
    const scope = this.#scope
    this.#host = new Host({ scope, info: { name: 'Bright Dental', version: '1', mode: 'dev' } })
  }

  static async listen(): Promise<SocketHost> {
    const host = new SocketHost()
    const scope = host.#scope
    const onCall = (line: Line & { readonly id: string }): Promise<void> => host.#answer(line)
    const pages = new WebSocketCalls({ scope, maxRate: 1_000, onCall })
    const phones = new TwilioCalls({ scope, maxRate: 1_000, onCall })
    host.#server = await listen({
      scope,
      app: host.#host.app,
      port: 0,
      request: (request, response) => phones.concerns(request) && phones.request(request, response),
      upgrade: (request, tcp, head) =>
        (phones.concerns(request) ? phones : pages).upgrade(request, tcp, head),
    })
    return host
  }

  get port(): number {
    return this.#server.port
  }

  get url(): string {
    return this.#server.url
  }

  get connections(): number {
    return this.#server.connections
  }

  close(): Promise<ScopeReport> {
    return this.#scope.close({ reason: 'asked' })
  }

  async #answer(line: Line & { readonly id: string }): Promise<void> {
    const { id } = line
    const session = new Session({
      id,
      agent: new Agent({ instructions: 'You answer the phone.' }),
      models: {
        llm: new ScriptedLlm({ answers: () => 'Fine.' }),
        tts: new ScriptedTts({ msPerCharacter: 1 }),
        stt: new ScriptedStt({ finalOn: 'flush' }),
        vad: new ScriptedVad(),
      },
      line,
      // The first call is the healthy one: how fast it closes depends on the machine, and it must be clean.
      closeTimeout: this.calls.length === 0 ? 5_000 : CLOSE_TIMEOUT,
    })
    const reports: SessionReport[] = []
    session.on('closed', (report) => reports.push(report))
    this.calls.push({ id, session, reports })
    this.#host.add(session, { agent: 'agent', from: 'a socket' })
    await session.start()
  }
}
