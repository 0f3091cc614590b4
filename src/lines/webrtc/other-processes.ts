import type { IncomingHttpHeaders } from 'node:http'
import type { Logger } from '../../parts/index.ts'
import type { Scope } from '../../scope/index.ts'
import { answerWithin } from '../answer-within.ts'
import { limits } from './limits.ts'

/** A request with an offer or candidates. Untrusted. */
export interface SignalRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What another process has answered. The body is JSON. */
export interface PassedAnswer {
  readonly status: number
  readonly body: string
}

/** The other processes that clients reach at the same address. */
export interface OtherProcesses {
  /** The name of this process, which is part of the names of its connections: letters and digits. */
  readonly own: string
  /** Has a process answer a request: the process with that name, or one that has room. Resolves to undefined if there is none. */
  passOn(request: SignalRequest, process: string | undefined): Promise<PassedAnswer | undefined>
}

/**
 * The names of connections, as clients know them. They say which process has the connection, since the requests of a client may reach
 * any process.
 */
export class ConnectionNames {
  readonly #others: OtherProcesses | undefined
  readonly #scope: Scope<string>
  readonly #logger: Logger

  constructor(others: OtherProcesses | undefined, scope: Scope<string>, logger: Logger) {
    this.#others = others
    this.#scope = scope
    this.#logger = logger
  }

  /** The name of a connection, or of a call that was started, of this process. */
  nameOf(id: string): string {
    return this.#others ? `${id}.${this.#others.own}` : id
  }

  /** Reads a name. `process` is undefined if this process has what it names. */
  read(name: string): { readonly id: string; readonly process: string | undefined } {
    const [id = '', process] = name.split('.', 2)
    return { id, process: process === this.#others?.own ? undefined : process }
  }

  /** Has the process with that name, or any that has room, answer a request. Never rejects. */
  async passOn(request: SignalRequest, process?: string): Promise<PassedAnswer | undefined> {
    const others = this.#others
    if (!others) return undefined
    const pass = (): Promise<PassedAnswer | undefined> => others.passOn(request, process)
    return await answerWithin(this.#scope, limits.passing, 'passOn', pass).catch((error: unknown) => {
      this.#logger.warn({ error }, 'a request of a client could not be passed on to another process')
      return undefined
    })
  }
}
