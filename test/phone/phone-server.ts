import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Changes } from '../../src/testing/servers/changes.ts'
import { TwilioCalls, type TwilioCallsOptions } from '../../src/lines/twilio/index.ts'

/** A minimal HTTP server that takes phone calls. */
export class PhoneServer {
  readonly calls: TwilioCalls
  readonly #http = createServer((request, response) => {
    if (!this.calls.request(request, response)) response.writeHead(404).end()
  })

  readonly #changes = new Changes()
  #open = 0

  constructor(options: TwilioCallsOptions) {
    this.calls = new TwilioCalls(options)
    this.#http.on('connection', (socket) => {
      this.#open++
      socket.once('close', () => {
        this.#open--
        this.#changes.notify()
      })
    })
    this.#http.on('upgrade', (request, socket, head) => this.calls.upgrade(request, socket, head))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  get answer(): string {
    return `${this.url}/phone/answer`
  }

  get status(): string {
    return `${this.url}/phone/status`
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#http.once('error', reject)
      this.#http.listen(0, '127.0.0.1', resolve)
    })
  }

  /** The number of open connections. */
  get open(): number {
    return this.#open
  }

  /** Resolves when no connection is open. */
  idle(): Promise<void> {
    return this.#changes.until(() => this.#open === 0)
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#http.close(() => resolve())
      this.#http.closeAllConnections()
    })
  }
}
