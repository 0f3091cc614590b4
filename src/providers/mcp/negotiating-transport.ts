import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'

import { noop } from '../../scope/index.ts'
import { McpToolsetError } from './errors.ts'
import type { OwnedTransport } from './owned-transport.ts'
import { describing, initializeResultOf } from './stateless.ts'

const DISCOVER = 'server/discover'

/**
 * Lets the SDK's client, which begins with a handshake, talk to servers of the stateless revision as well.
 *
 *   initialize ─▶ answered: every message is passed on as it is
 *              └▶ refused ─▶ server/discover ─▶ answers initialize; from then on, every request describes itself
 */
export class NegotiatingTransport implements OwnedTransport {
  onmessage?: Transport['onmessage']
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  readonly #inner: OwnedTransport
  readonly #clientInfo: object
  #initialize: JSONRPCRequest | undefined
  #stateless = false
  /** Receives the response to `server/discover`. */
  #discovered: (message: JSONRPCMessage) => void = noop

  constructor(inner: OwnedTransport, clientInfo: object) {
    this.#inner = inner
    this.#clientInfo = clientInfo
  }

  get ended(): boolean {
    return this.#inner.ended
  }

  get cause(): string {
    return this.#inner.cause
  }

  get stderr(): string {
    return this.#inner.stderr
  }

  start(): Promise<void> {
    const handlers: Pick<Transport, 'onmessage' | 'onclose' | 'onerror'> = {
      onmessage: (message) => this.#received(message),
      onclose: () => this.onclose?.(),
      onerror: (error) => this.onerror?.(error),
    }
    return Object.assign(this.#inner, handlers).start()
  }

  setProtocolVersion(version: string): void {
    // A stateless request has its version in itself.
    if (!this.#stateless) this.#inner.setProtocolVersion?.(version)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (isRequest(message) && message.method === 'initialize') return this.#begin(message)
    if (!this.#stateless) return this.#inner.send(message)
    if (isRequest(message)) return this.#inner.send(describing(message, this.#clientInfo))
    const isHandshake = 'method' in message && message.method === 'notifications/initialized'
    return isHandshake ? undefined : this.#inner.send(message)
  }

  closing(): void {
    this.#inner.closing()
  }

  end(): Promise<void> {
    return this.#inner.end()
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  abort(): void {
    this.#inner.abort()
  }

  async #begin(message: JSONRPCRequest): Promise<void> {
    this.#initialize = message
    try {
      await this.#inner.send(message)
    } catch (error) {
      const refused = error instanceof McpToolsetError && error.code === 'MCP_REFUSED' && error.status === 400
      if (!refused || !(await this.#discover(message).catch(() => false))) throw error
    }
  }

  #received(message: JSONRPCMessage): void {
    const initialize = this.#initialize
    const id = 'id' in message ? message.id : undefined
    if (id === DISCOVER) return this.#discovered(message)
    if (!initialize || id !== initialize.id || !('error' in message)) return this.onmessage?.(message)
    this.#initialize = undefined
    const pass = (): void => this.onmessage?.(message)
    this.#discover(initialize).then((found) => found || pass(), pass)
    return undefined
  }

  /** Asks a server that refused a handshake whether it needs none. Returns whether it does not. */
  async #discover(initialize: JSONRPCRequest): Promise<boolean> {
    this.#initialize = undefined
    const answer = new Promise<JSONRPCMessage>((resolve) => {
      this.#discovered = resolve
    })
    const request: JSONRPCRequest = { jsonrpc: '2.0', id: DISCOVER, method: DISCOVER }
    await this.#inner.send(describing(request, this.#clientInfo))
    const message = await answer
    const result = 'result' in message ? initializeResultOf(initialize, message.result) : undefined
    if (!result) return false
    this.#stateless = true
    this.onmessage?.(result)
    return true
  }
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest =>
  'method' in message && 'id' in message
