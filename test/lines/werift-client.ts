import { isIP } from 'node:net'
import { RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket, type RTCDataChannel } from 'werift'
import { sine } from '../../src/audio/index.ts'
import type { IceServer } from '../../src/lines/webrtc/index.ts'
import { OpusDecoder, OpusEncoder } from '../../src/lines/webrtc/opus.ts'
import { systemClock, type Timer } from '../../src/scope/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'

/** The answer to a request, as a client sees it. */
export interface Answered {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

export interface WeriftClientOptions {
  /** The address for offers. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Whether it has a camera as well, as Pipecat's client does. Default: true. */
  readonly video?: boolean
  /** Whether it says that it is ready, and sends pings. Default: true. */
  readonly ready?: boolean
  /** STUN and TURN servers. With `relayOnly`, it sends only through a TURN server. */
  readonly ice?: readonly IceServer[]
  readonly relayOnly?: boolean
  /** Its own address. Default: `127.0.0.1`. */
  readonly address?: string
  /** Opens a way to a port of the server, and returns the port to use instead. Default: none, the client sends directly. */
  readonly detour?: (port: number) => Promise<number>
}

/** The origin of a page on this machine. */
export const localOrigin = 'http://localhost:3000'

/** The status of an answer and its code: `404 CALL_GONE`. */
export const codeOf = ({ status, body }: Answered): string => `${status} ${String(body['code'])}`

/** A WebRTC client without a browser, over real UDP. It sends what Pipecat's `small-webrtc-transport` 1.10 sends. */
export class WeriftClient {
  readonly pc: RTCPeerConnection
  readonly channel: RTCDataChannel
  readonly messages: { readonly type: string; readonly data?: Readonly<Record<string, unknown>> }[] = []
  /** The sound that was received, at 16 kHz. */
  readonly heard: Int16Array[] = []
  pcId: string | undefined
  /** The answer to its candidates. */
  patched: Answered | undefined
  hasEnded = false
  sentPings = 0
  sentPackets = 0
  readonly #options: WeriftClientOptions
  readonly #changes = new Changes()
  readonly #encoder = new OpusEncoder(24_000)
  readonly #decoder = new OpusDecoder(16_000)
  readonly #timers = new Set<Timer>()

  constructor(options: WeriftClientOptions) {
    this.#options = options
    const { address = '127.0.0.1', ice = [], relayOnly = false } = options
    this.pc = new RTCPeerConnection({
      codecs: {
        audio: [new RTCRtpCodecParameters({ mimeType: 'audio/opus', clockRate: 48_000, channels: 2 })],
        video: [new RTCRtpCodecParameters({ mimeType: 'video/VP8', clockRate: 90_000 })],
      },
      iceUseIpv4: false,
      iceUseIpv6: false,
      iceAdditionalHostAddresses: [address],
      iceInterfaceAddresses: isIP(address) === 4 ? { udp4: address } : { udp6: address },
      iceServers: ice.flatMap(({ urls, ...rest }) => [urls].flat().map((url) => ({ urls: url, ...rest }))),
      iceTransportPolicy: relayOnly ? 'relay' : 'all',
    })
    const audio = this.pc.addTransceiver('audio', { direction: 'sendrecv' })
    if (options.video !== false) this.pc.addTransceiver('video', { direction: 'sendrecv' })
    audio.onTrack.subscribe((track) => {
      track.onReceiveRtp.subscribe(({ payload }) => {
        const samples = this.#decoder.decode(payload)
        if (samples) this.heard.push(samples)
        this.#changes.notify()
      })
    })
    this.channel = this.pc.createDataChannel('chat', { ordered: true })
    this.channel.stateChanged.subscribe((state) => {
      if (state === 'open') this.#opened()
      if (state === 'closed') this.#ended()
    })
    this.channel.onMessage.subscribe((data) => this.#receive(data.toString()))
  }

  /** Offers, and sends its candidates. Resolves to the answer to the offer. */
  async offers(more: object = {}): Promise<Answered> {
    await this.pc.setLocalDescription(await this.pc.createOffer())
    const sdp = this.pc.localDescription!.sdp
    const candidates = sdp.split('\r\n').filter((line) => line.startsWith('a=candidate'))
    // Pipecat's client sends its candidates afterwards.
    const bare = sdp
      .split('\r\n')
      .filter((line) => !line.startsWith('a=candidate') && line !== 'a=end-of-candidates')
      .join('\r\n')
    const answered = await this.sends('POST', {
      sdp: bare,
      type: 'offer',
      pc_id: null,
      restart_pc: false,
      ...more,
    })
    if (answered.status !== 200) return answered
    this.pcId = answered.body['pc_id'] as string
    const { detour } = this.#options
    const answer = answered.body['sdp'] as string
    const [, port = ''] = / 127\.0\.0\.1 (\d+) typ host/.exec(answer) ?? []
    const seen = detour ? answer.replaceAll(` ${port} typ`, ` ${await detour(Number(port))} typ`) : answer
    await this.pc.setRemoteDescription({ type: 'answer', sdp: seen })
    // The server would send directly to them.
    if (detour) return answered
    this.patched = await this.sends('PATCH', {
      pc_id: this.pcId,
      candidates: candidates.map((line) => ({
        candidate: line.slice('a='.length),
        sdp_mid: '0',
        sdp_mline_index: 0,
      })),
    })
    return answered
  }

  async sends(method: 'POST' | 'PATCH' | 'DELETE', body: object | string): Promise<Answered> {
    const { url, headers } = this.#options
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', origin: localOrigin, connection: 'close', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Answered['body'] }
  }

  says(type: string, data?: object, id = 'm1'): void {
    this.channel.send(JSON.stringify({ label: 'rtvi-ai', type, id, data }))
  }

  /** Speaks a tone for so long. */
  speaks(ms: number): void {
    const { samples } = sine(300, { sampleRate: 24_000, duration: ms })
    const begins = systemClock.now()
    for (let at = 0; at + 480 <= samples.length; at += 480) {
      const timestamp = Math.round(begins * 48 + at * 2) % 2 ** 32
      this.#after(begins + at / 24 - systemClock.now(), () => {
        this.sendPacket(this.#encoder.encode(samples.subarray(at, at + 480)), timestamp)
        this.#changes.notify()
      })
    }
  }

  sendPacket(payload: Buffer, timestamp: number): void {
    const header = new RtpHeader({ sequenceNumber: this.sentPackets++, timestamp, payloadType: 111 })
    this.pc
      .getTransceivers()[0]!
      .sender.sendRtp(new RtpPacket(header, payload))
      .catch(() => {})
  }

  /** Sends a ping, now and then. */
  pings(every: number): void {
    if (this.hasEnded) return
    this.channel.send(`ping: ${systemClock.date()}`)
    this.sentPings++
    this.#changes.notify()
    this.#after(every, () => this.pings(every))
  }

  /** `client.disconnect()`. The client does not wait for the server to close the channel as well, which may be gone already. */
  leaves(): void {
    for (const timer of this.#timers) timer.clear()
    this.channel.close()
    this.#ended()
  }

  /** As a tab that is closed: nothing is sent any more. */
  async vanishes(): Promise<void> {
    for (const timer of this.#timers) timer.clear()
    for (const { connection } of this.pc.iceTransports) await connection.close()
  }

  /** Ends what is left. */
  async close(): Promise<void> {
    for (const timer of this.#timers) timer.clear()
    await this.pc.close()
  }

  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  all(type: string): Readonly<Record<string, unknown>>[] {
    return this.messages.filter((message) => message.type === type).map(({ data }) => data ?? {})
  }

  /** Milliseconds of sound that were received and are not silent. */
  get audible(): number {
    return (
      this.heard.reduce((sum, each) => sum + each.filter((sample) => Math.abs(sample) > 200).length, 0) / 16
    )
  }

  #opened(): void {
    this.#changes.notify()
    if (this.#options.ready === false) return
    this.channel.send(
      JSON.stringify({
        type: 'signalling',
        message: { type: 'trackStatus', receiver_index: 0, enabled: true },
      }),
    )
    this.says('client-ready', { version: '2.1.0', about: { library: 'test' } }, 'ready')
    this.pings(1_000)
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as { type: string; message?: { type: string }; data?: object }
    const { type, message: inner } = message
    this.messages.push(inner ? { type: inner.type } : (message as (typeof this.messages)[number]))
    if (type === 'signalling' && inner?.type === 'peerLeft') this.leaves()
    this.#changes.notify()
  }

  #ended(): void {
    this.hasEnded = true
    this.#changes.notify()
  }

  #after(ms: number, work: () => void): void {
    const timer = systemClock.after(Math.max(0, ms), 'the client', () => {
      this.#timers.delete(timer)
      work()
    })
    // It belongs to the far end, and not to what is tested.
    systemClock.timers.remove(timer as never)
    this.#timers.add(timer)
  }
}
