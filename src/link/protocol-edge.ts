import { callOut, type SocketEnd } from '../scope/index.ts'
import { classify } from './classify.ts'
import type { EndClass, LinkEnd } from './link-end.ts'
import type { LinkError } from './link-error.ts'
import type { LiveConnection } from './live-connection.ts'
import type { Data, LinkLogger, LinkRequest, Protocol } from './protocol.ts'

/**
 * Calls the provider's code, which may throw. An error in a method that the link depends on is passed to `failed`. An
 * error in any other method is logged and replaced by a default, so that it cannot keep the link from closing.
 */
export class ProtocolEdge {
  readonly #protocol: Protocol
  readonly #logger: LinkLogger
  readonly #failed: (error: unknown) => void

  constructor(protocol: Protocol, logger: LinkLogger, failed: (error: unknown) => void) {
    this.#protocol = protocol
    this.#logger = logger
    this.#failed = failed
  }

  request(): LinkRequest | Promise<LinkRequest> | undefined {
    // Wrapped, because the link itself handles a promise that rejects: the attempt is refused, and may be retried.
    return callOut(() => [this.#protocol.request()] as const, this.#failed)?.[0]
  }

  opened(connection: LiveConnection): void {
    const protocol = this.#protocol
    if (protocol.opened) callOut(() => protocol.opened?.(connection), this.#failed)
    else connection.ready()
  }

  message(data: Data, connection: LiveConnection): void {
    callOut(() => this.#protocol.message(data, connection), this.#failed)
  }

  keepAlive(connection: LiveConnection): void {
    const frame = callOut(() => this.#protocol.keepAlive?.frame(), this.#failed)
    if (frame !== undefined) connection.send(frame)
  }

  lost(end: LinkEnd): void {
    callOut(() => this.#protocol.lost?.(end), this.#failed)
  }

  failed(error: LinkError): void {
    callOut(() => this.#protocol.failed(error), this.#warn('failed'))
  }

  classify(end: SocketEnd): EndClass {
    return callOut(() => this.#protocol.classify?.(end), this.#warn('classify')) ?? classify(end)
  }

  canResume(): boolean {
    return callOut(() => this.#protocol.canResume?.() ?? true, this.#warn('canResume')) ?? false
  }

  sendEnding(connection: LiveConnection | undefined): void {
    callOut(() => {
      for (const frame of this.#protocol.ending?.frames?.() ?? []) connection?.sendEnding(frame)
    }, this.#warn('ending.frames'))
  }

  /** Handles a message of a closing link. Returns whether it acknowledges the end. */
  answer(data: Data): boolean {
    return callOut(() => this.#protocol.ending?.answer?.(data), this.#warn('ending.answer')) ?? false
  }

  #warn(method: string): (error: unknown) => void {
    return (error) =>
      this.#logger.warn({ link: this.#protocol.name, error }, `${method}() of a link's protocol threw`)
  }
}
