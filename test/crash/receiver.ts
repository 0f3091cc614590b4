import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { noop } from '../../src/scope/index.ts'
import type { SimRandom } from '../../src/testing/sim-random.ts'
import { Changes } from '../../src/testing/servers/changes.ts'

/** What arrived for one call and one handler. */
export interface Received {
  /** The different keys: one, unless something is wrong. */
  readonly keys: Set<string>
  /** Hashes of the different reports: one, unless something is wrong. */
  readonly reports: Set<string>
  /** How often it arrived as a whole. */
  arrived: number
  /** How often the receiver confirmed it. */
  accepted: number
}

/** How often the receiver misbehaves per piece of work. With more, the pauses before a retry would outlast the run. */
const RUDE = 2

/**
 * Receives the webhooks after calls, and is rude about it: it answers 500, hangs, cuts the connection, and cuts it after it
 * has taken the delivery, so that it gets it again.
 */
export class Receiver {
  readonly received = new Map<string, Received>()
  polite = false
  readonly #server: Server = createServer((request, response) => this.#take(request, response))
  readonly #random: SimRandom
  readonly #changes: Changes

  private constructor(random: SimRandom, changes: Changes) {
    this.#random = random
    this.#changes = changes
  }

  static async listen(random: SimRandom, changes: Changes): Promise<Receiver> {
    const receiver = new Receiver(random, changes)
    receiver.#server.keepAliveTimeout = 1_000
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  of(call: string, handler: string): Received | undefined {
    return this.received.get(`${call} ${handler}`)
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = []
    request.on('error', noop)
    response.on('error', noop)
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.once('end', () => {
      const handler = (request.url ?? '/').slice(1)
      const body = Buffer.concat(pieces).toString('utf8')
      const received = this.#note(handler, String(request.headers['webhook-id']), body)
      this.#answer(received, response)
      this.#changes.notify()
    })
  }

  #note(handler: string, key: string, body: string): Received {
    const { data } = JSON.parse(body) as { readonly data: { readonly id: string } }
    const name = `${data.id} ${handler}`
    const known = this.received.get(name) ?? { keys: new Set(), reports: new Set(), arrived: 0, accepted: 0 }
    this.received.set(name, known)
    known.keys.add(key)
    known.reports.add(createHash('sha256').update(JSON.stringify(data)).digest('base64'))
    known.arrived++
    return known
  }

  #answer(received: Received, response: ServerResponse): void {
    const manner =
      this.polite || received.arrived > RUDE
        ? 'accept'
        : this.#random.weighted({ accept: 70, fail: 10, hang: 6, cut: 7, 'accept and cut': 7 })
    if (manner === 'fail') return void response.writeHead(500).end()
    if (manner === 'hang') return undefined
    if (manner === 'cut') return void response.socket?.resetAndDestroy()
    received.accepted++
    if (manner === 'accept and cut') return void response.socket?.resetAndDestroy()
    return void response.writeHead(204).end()
  }
}
