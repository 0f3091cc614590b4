import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AudioFrame } from '../../src/audio/index.ts'
import {
  WebRtcCalls,
  type WebRtcCallInfo,
  type WebRtcCallsOptions,
  type WebRtcLine,
} from '../../src/lines/webrtc/index.ts'
import type { LineConnection } from '../../src/parts/index.ts'
import { Scope, systemClock, systemRandom } from '../../src/scope/index.ts'
import { partContext, type TestPartContext } from '../../src/testing/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import { WeriftClient, type WeriftClientOptions } from './werift-client.ts'

/** A call that was answered by hand. */
export interface AnsweredWebRtc {
  readonly line: WebRtcLine
  readonly info: WebRtcCallInfo
  readonly context: TestPartContext
  readonly connection: LineConnection
  readonly emitted: string[]
  readonly frames: AudioFrame[]
}

/** A server of `WebRtcCalls` on a real port, in real time. */
export class WebRtcStage {
  readonly scope = new Scope<string>('calls', { phases: ['tasks', 'resources'] })
  readonly calls: WebRtcCalls
  readonly answered: AnsweredWebRtc[] = []
  url = ''
  readonly #server: Server
  readonly #changes = new Changes()
  readonly #clients: WeriftClient[] = []

  private constructor(options: Partial<WebRtcCallsOptions>) {
    this.calls = new WebRtcCalls({
      scope: this.scope,
      onCall: async (line, info) => {
        this.answered.push(await this.#answer(line, info))
        this.#changes.notify()
      },
      onChange: () => this.#changes.notify(),
      ...options,
    })
    this.#server = createServer((request, response) => {
      if (!this.calls.request(request, response)) response.writeHead(404).end()
    })
  }

  static async open(options: Partial<WebRtcCallsOptions> = {}): Promise<WebRtcStage> {
    const stage = new WebRtcStage(options)
    await new Promise<void>((resolve) => stage.#server.listen(0, '127.0.0.1', resolve))
    stage.url = `http://127.0.0.1:${(stage.#server.address() as AddressInfo).port}`
    return stage
  }

  client(options: Partial<WeriftClientOptions> = {}): WeriftClient {
    const client = new WeriftClient({ url: `${this.url}/api/offer`, ...options })
    this.#clients.push(client)
    return client
  }

  /** A client calls, is answered, and is ready. */
  async call(
    options: Partial<WeriftClientOptions> = {},
  ): Promise<{ client: WeriftClient; call: AnsweredWebRtc }> {
    const client = this.client(options)
    const { status, body } = await client.offers()
    if (status !== 200) throw new Error(JSON.stringify(body))
    await this.until(() => this.answered.some(({ info }) => info.id === client.pcId))
    return { client, call: this.answered.find(({ info }) => info.id === client.pcId)! }
  }

  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  /** Resolves when so many threads run. */
  untilThreads(count: number): Promise<void> {
    return this.until(() => (this.calls.inspect() as { threads: number }).threads === count)
  }

  async close(): Promise<void> {
    for (const { context } of this.answered) await context.scope.close()
    await this.scope.close()
    for (const client of this.#clients) await client.close()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(line: WebRtcLine, info: WebRtcCallInfo): Promise<AnsweredWebRtc> {
    const context = partContext({ clock: systemClock, random: systemRandom })
    const emitted: string[] = []
    const frames: AudioFrame[] = []
    const note = (what: string): void => {
      emitted.push(what)
      this.#changes.notify()
    }
    const connection = await line.open(context, {
      frame: (frame) => {
        frames.push(frame)
        this.#changes.notify()
      },
      marked: (id, heard, assumed) =>
        note(`marked ${id} ${Math.round(heard ?? NaN)}${assumed ? ' assumed' : ''}`),
      dtmf: (digit) => note(`dtmf ${digit}`),
      text: (text) => note(`text ${text}`),
      hungUp: () => note('hung up'),
      lost: (error) => note(`lost ${(error as { code?: string } | undefined)?.code ?? ''}`.trim()),
      handedOver: () => note('handed over'),
    })
    return { line, info, context, connection, emitted, frames }
  }
}
