import { request, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { subprotocol } from '../../src/lines/websocket/protocol.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import { TypingPage } from '../cli/typing-page.ts'
import { DOMAIN } from './configurations.ts'

export const PUBLIC_URL = `https://${DOMAIN}`

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Somebody who reaches the host only through the proxy, by its public name. */
export class Visitor {
  /** Where the proxy listens. */
  readonly url: string
  /** Sent with every request: the public name, and the cookie of a login. */
  readonly headers: Record<string, string> = { host: DOMAIN }

  constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`
  }

  ask(path: string, { method = 'GET', headers = {}, body = '' }: Ask = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = this.#request(path, method, headers, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.once('error', reject)
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
      })
      // A proxy answers an accepted upgrade with 101.
      sent.once('upgrade', ({ statusCode = 0, headers: given }, socket) => {
        socket.destroy()
        resolve({ status: statusCode, headers: given, text: '' })
      })
      sent.once('error', reject)
      sent.end(body)
    })
  }

  post(path: string, fields: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json', origin: PUBLIC_URL }
    return this.ask(path, { method: 'POST', headers, body: JSON.stringify(fields) })
  }

  /** A request for a WebSocket, as far as the answer to it. */
  upgrade(path: string): Promise<Answer> {
    return this.ask(path, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-protocol': subprotocol,
        origin: PUBLIC_URL,
      },
    })
  }

  /** Logs in as the page does. Returns the cookie with its attributes. */
  async logIn(secret: string): Promise<string> {
    const { status, headers } = await this.post('/api/login', { secret })
    const [cookie = ''] = headers['set-cookie'] ?? []
    if (status !== 204 || cookie === '') throw new Error(`the login was answered with ${status}`)
    this.headers['cookie'] = cookie.split(';', 1)[0]!
    return cookie
  }

  /** Calls as the page does: with a token for this call. */
  async call(): Promise<TypingPage> {
    const { status, text } = await this.post('/api/call-token', {})
    if (status !== 200) throw new Error(`the request for a token was answered with ${status}: ${text}`)
    const { token } = JSON.parse(text) as { readonly token: string }
    return new TypingPage(this.url, { headers: { ...this.headers, origin: PUBLIC_URL }, token })
  }

  events(path: string): Events {
    const events = new Events()
    events.opened(this.#request(path, 'GET', {}, (response) => events.answered(response)))
    return events
  }

  #request(
    path: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    answered: (response: IncomingMessage) => void,
  ): ClientRequest {
    return request(
      this.url + path,
      { method, headers: { ...this.headers, ...headers }, agent: false },
      answered,
    )
  }
}

/** An event stream that stays open. */
export class Events {
  text = ''
  ended = false
  readonly #changes = new Changes()
  #request: ClientRequest | undefined

  opened(sent: ClientRequest): void {
    this.#request = sent
    sent.once('error', () => this.#end())
    sent.end()
  }

  answered(response: IncomingMessage): void {
    response.setEncoding('utf8').on('data', (part: string) => {
      this.text += part
      this.#changes.notify()
    })
    response.once('close', () => this.#end())
    response.on('error', () => this.#end())
  }

  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  close(): void {
    this.#request?.destroy()
  }

  #end(): void {
    this.ended = true
    this.#changes.notify()
  }
}
