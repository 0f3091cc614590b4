import type { Line, LineConnection, LineEvents, PartContext } from '../../parts/index.ts'
import { noop, type Scope } from '../../scope/index.ts'
import type { Accept } from '../accepted-socket.ts'
import { CallerGoneError, LineTakenError } from '../errors.ts'
import { CallStream, closeCodes } from './call-stream.ts'
import type { Carrier } from './carrier.ts'
import type { HangUp } from './hang-up.ts'
import { limits } from './limits.ts'
import type { StartMessage } from './read-message.ts'
import { TwilioConnection } from './twilio-connection.ts'

export interface TwilioLineOptions {
  readonly connectTimeout: number
  readonly rejoinTimeout: number
  readonly lostTimeout: number
}

/** The way to one caller on the phone: give it to one session. `TwilioCalls` makes it. */
export class TwilioLine implements Line {
  readonly name = 'phone'
  readonly sampleRate = 8_000
  /** The name that the carrier has for the call. */
  readonly id: string
  readonly #options: TwilioLineOptions
  readonly #stream: CallStream
  readonly #hangUp: HangUp
  #connection: TwilioConnection | undefined
  #over = false
  #answered: () => void = noop
  #ended: () => void = noop

  /** @internal */
  constructor(
    id: string,
    carrier: Carrier,
    scope: Scope<string>,
    { hangUp, ...options }: TwilioLineOptions & { readonly hangUp: HangUp },
  ) {
    this.id = id
    this.#options = options
    this.#hangUp = hangUp
    this.#stream = new CallStream(carrier, scope)
    this.#stream.listen({
      joined: noop,
      message: ({ type }) => {
        if (type === 'stop') this.hungUp()
      },
      misbehaved: () => this.dismiss(),
      left: noop,
    })
  }

  /** Whether a session has opened it. */
  get answered(): boolean {
    return this.#connection !== undefined
  }

  /** Resolves when the sound of the call has come: until then there is nobody to talk to. */
  async open(context: PartContext, events: LineEvents): Promise<LineConnection> {
    if (this.#connection) throw new LineTakenError(this.id)
    if (this.#over) {
      // That is why there will be no call, and nothing that went wrong when it was answered.
      if (this.#hangUp.confirmed) events.hungUp()
      throw new CallerGoneError(this.id)
    }
    const { scope } = context
    // In a scope that is closing there is nothing to wait for, and the call is not answered.
    if (scope.state !== 'live') this.dismiss()
    scope.signal.throwIfAborted()
    this.#answered()
    const connection = new TwilioConnection(this.#stream, context, events, {
      ...this.#options,
      name: this.name,
      call: this.id,
      hangUp: this.#hangUp,
      over: () => this.#end(),
    })
    this.#connection = connection
    // It is owned before its stream comes: a call that is being connected must be ended like any other.
    scope.own(this.name, connection, { cap: limits.closePatience })
    await scope.until(connection.started)
    return connection
  }

  /** @internal Calls back when the line is opened, and when the call is over. */
  watch(answered: () => void, ended: () => void): void {
    this.#answered = answered
    this.#ended = ended
  }

  /** @internal Whether a stream may come, or come back: not to a session that is closing. */
  get welcomes(): boolean {
    return this.#connection?.welcomes ?? !this.#over
  }

  /** @internal The stream of the call has come, or come back. */
  join(start: StartMessage, accept: Accept): void {
    this.#stream.join(start, accept)
  }

  /** @internal The carrier says that the call is over. */
  hungUp(): void {
    this.#hangUp.confirm()
    if (this.#connection) return this.#connection.hungUp()
    this.#stream.close(closeCodes.over, 'ended').catch(noop)
    return this.#end()
  }

  /** @internal There will be no session, or no server. */
  dismiss(): void {
    if (this.#connection) return this.#connection.cutOff()
    this.#stream.close(closeCodes.over, 'unanswered').catch(noop)
    this.#hangUp.ask()
    return this.#end()
  }

  /** @internal Resolves when nothing of the call is left: no socket, and no request. */
  async gone(): Promise<void> {
    await this.#stream.ended()
    if (this.#hangUp.busy) await this.#hangUp.settled(limits.longestHangUp)
  }

  /** @internal */
  abort(): void {
    this.#connection?.cutOff()
    this.#stream.abort()
    this.#hangUp.abort()
    this.#end()
  }

  #end(): void {
    if (this.#over) return
    this.#over = true
    this.#ended()
  }
}
