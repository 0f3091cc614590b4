import type { Page } from 'playwright-core'
import { TcpProxy } from '../lines/tcp-proxy.ts'
import { UdpProxy } from '../lines/udp-proxy.ts'

/** A candidate of an SDP that is reached over UDP, with its address and its port. */
const CANDIDATE = /^(a=candidate:\S+ \d+ udp \d+) (\S+) (\d+) (.*)$/gim

/** The network between a page and the host: its requests and sockets, and the sound and messages of WebRTC. */
export class ClientNetwork {
  readonly #tcp: TcpProxy
  /** By the port of the host. */
  readonly #udp = new Map<string, UdpProxy>()

  private constructor(tcp: TcpProxy) {
    this.#tcp = tcp
  }

  static async open(target: number): Promise<ClientNetwork> {
    return new ClientNetwork(await TcpProxy.listen(target))
  }

  /** Where a page reaches the host. */
  get url(): string {
    return `http://localhost:${this.#tcp.port}`
  }

  /** Leads the WebRTC connections of a page through this network: it gets our addresses, and the host gets none of the page's. */
  async carry(page: Page): Promise<void> {
    await page.route(/\/api\/offer(\?|$)/, async (route) => {
      const method = route.request().method()
      if (method === 'PATCH') return await route.fulfill({ json: { status: 'success' } })
      if (method !== 'POST') return await route.continue()
      const response = await route.fetch().catch(() => undefined)
      if (!response) return await route.abort()
      if (!response.ok()) return await route.fulfill({ response })
      const answer = (await response.json()) as { sdp: string }
      return await route.fulfill({ response, json: { ...answer, sdp: await this.#lead(answer.sdp) } })
    })
  }

  /** Everything breaks, and stays broken. UDP only goes silent. */
  down(): void {
    this.freezeUdp()
    this.#tcp.down()
  }

  /** Everything goes silent. */
  freeze(): void {
    this.freezeUdp()
    this.#tcp.freeze()
  }

  /** Only UDP goes silent: requests still reach the host. */
  freezeUdp(): void {
    for (const proxy of this.#udp.values()) proxy.weather = { loss: 1 }
  }

  async close(): Promise<void> {
    for (const proxy of this.#udp.values()) proxy.close()
    await this.#tcp.close()
  }

  /** The answer of the host, with our addresses in it. */
  async #lead(sdp: string): Promise<string> {
    for (const [, , , port = ''] of sdp.matchAll(CANDIDATE))
      if (!this.#udp.has(port)) this.#udp.set(port, await UdpProxy.open(Number(port)))
    return sdp.replaceAll(CANDIDATE, (_, head: string, _address: string, port: string, rest: string) =>
      [head, '127.0.0.1', this.#udp.get(port)!.port, rest].join(' '),
    )
  }
}
