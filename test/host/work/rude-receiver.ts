import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Delivery {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Answers a request, well or badly. */
export type Manner = (response: ServerResponse, socket: Socket) => void

/** Answers with a status and headers. */
export const status =
  (code: number, headers: Record<string, string> = {}): Manner =>
  (response) =>
    response.writeHead(code, headers).end()

/** A receiver of webhooks on a real port. It answers each request in the next manner of its list, and then in the last. */
export class RudeReceiver {
  readonly deliveries: Delivery[] = []
  /** Bytes that were written to connections that have closed. */
  sent = 0
  /** How many connections there have been. */
  connections = 0
  readonly #server = createServer((request, response) => this.#take(request, response))
  readonly #sockets = new Set<Socket>()
  readonly #manners: Manner[]
  #idle: (() => void) | undefined

  private constructor(manners: readonly Manner[]) {
    this.#manners = [...manners]
    this.#server.on('connection', (socket) => {
      this.connections++
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        this.sent += socket.bytesWritten
        this.#sockets.delete(socket)
        if (this.#sockets.size === 0) this.#idle?.()
      })
    })
  }

  static async open(...manners: readonly Manner[]): Promise<RudeReceiver> {
    const receiver = new RudeReceiver(manners)
    await new Promise<void>((resolve) => {
      receiver.#server.listen(0, '127.0.0.1', resolve)
    })
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/calls?token=in-the-url`
  }

  /** Resolves when the sender has closed every connection. */
  get disconnected(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle = resolve
      if (this.#sockets.size === 0) resolve()
    })
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      for (const socket of this.#sockets) socket.destroy()
    })
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      this.deliveries.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      const manner = this.#manners.length > 1 ? this.#manners.shift()! : this.#manners[0]!
      manner(response, request.socket)
    })
  }
}

/**
 * Verifies a delivery as the text of Standard Webhooks says, written without looking at the sender: the signed content is
 * `{id}.{timestamp}.{body}`, the key is the base64 after `whsec_`, and the header has signatures separated by spaces, each
 * `v1,` and base64.
 */
export function isAuthentic({ headers, body }: Delivery, secret: string): boolean {
  const id = String(headers['webhook-id'])
  const timestamp = String(headers['webhook-timestamp'])
  const expected = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]))
    .digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .map((each) => each.split(','))
    .filter(([version]) => version === 'v1')
    .map(([, signature = '']) => Buffer.from(signature, 'base64'))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))
}
