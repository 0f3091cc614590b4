import type { SampleRate } from '../../audio/index.ts'
import type { Line, LineConnection, LineEvents, PartContext } from '../../parts/index.ts'
import { noop, type Scope } from '../../scope/index.ts'
import type { Accept } from '../accepted-socket.ts'
import { CallerGoneError, LineTakenError } from '../errors.ts'
import { newKey, same } from '../secrets.ts'
import { limits } from './limits.ts'
import { Page } from './page.ts'
import { closeCodes, type ByeReason, type Ticket } from './protocol.ts'
import { WebSocketConnection, type Welcome } from './websocket-connection.ts'

export interface WebSocketLineOptions {
  readonly sampleRate: SampleRate
  readonly rejoinTimeout: number
  readonly lostTimeout: number
}

/** The way to one caller, who has called already from a page: give it to one session. `WebSocketCalls` makes it. */
export class WebSocketLine implements Line {
  readonly name = 'browser'
  readonly sampleRate: SampleRate
  /** Names the call. */
  readonly id: string
  readonly #options: WebSocketLineOptions
  readonly #page: Page
  readonly #key = newKey()
  #connection: WebSocketConnection | undefined
  #over = false
  #answered: () => void = noop
  #ended: () => void = noop

  /** @internal */
  constructor(id: string, accept: Accept, scope: Scope<string>, options: WebSocketLineOptions) {
    this.id = id
    this.sampleRate = options.sampleRate
    this.#options = options
    this.#page = new Page(scope)
    this.#page.listen({ joined: noop, message: noop, left: () => this.#end() })
    this.#page.join(accept)
  }

  /** Whether a session has opened it. */
  get answered(): boolean {
    return this.#connection !== undefined
  }

  async open(context: PartContext, events: LineEvents): Promise<LineConnection> {
    return await context.scope.open(
      this.name,
      () => {
        if (this.#connection) throw new LineTakenError(this.id)
        if (this.#over) throw new CallerGoneError(this.id)
        this.#answered()
        this.#connection = new WebSocketConnection(this.#page, context, events, {
          ...this.#options,
          name: this.name,
          call: this.id,
          key: this.#key,
          over: () => this.#end(),
        })
        return this.#connection
      },
      { cap: limits.closePatience },
    )
  }

  /** @internal Calls back when the line is opened, and when the call is over. */
  watch(answered: () => void, ended: () => void): void {
    this.#answered = answered
    this.#ended = ended
  }

  /** @internal */
  welcomes(ticket: Ticket): Welcome {
    return this.#connection?.welcomes(ticket, same) ?? 'gone'
  }

  /** @internal */
  rejoin(accept: Accept): void {
    this.#page.join(accept)
  }

  /** @internal There will be no session, or no server. */
  dismiss(reason: ByeReason): void {
    if (this.#connection) return this.#connection.cutOff()
    this.#page.tell({ type: 'bye', reason })
    this.#page.close(closeCodes.bye, reason).catch(noop)
    return this.#end()
  }

  /** @internal Resolves when no socket of the call is left. */
  gone(): Promise<void> {
    return this.#page.ended()
  }

  /** @internal */
  abort(): void {
    if (this.#connection) this.#connection.cutOff()
    this.#page.abort()
    this.#end()
  }

  #end(): void {
    if (this.#over) return
    this.#over = true
    this.#ended()
  }
}
