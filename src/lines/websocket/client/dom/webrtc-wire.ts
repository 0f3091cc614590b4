import type { PageMessage } from '../../protocol.ts'
import { RtviTranscript, type RtviMessage } from '../rtvi-transcript.ts'
import type { Transcript } from '../transcript.ts'
import type { CallEnd } from '../wire.ts'
import { browser } from './browser.ts'

export interface WebRtcWireEvents {
  /** The agent is ready. */
  joined(): void
  /** The agent was interrupted: what is left of its sound is not to be heard. */
  interrupted(): void
  speaking(on: boolean): void
  transcript(transcript: Transcript): void
  /** Called once, last. */
  ended(end: CallEnd): void
}

/** Milliseconds to connect. After that, a network that lets no UDP through is assumed. */
const CONNECT_TIMEOUT = 5_000
/** Milliseconds for which candidates are collected before they are sent. */
const GATHER = 50
/** Milliseconds between two signs of life. The server waits for three. */
const PING_EVERY = 1_000
/** Milliseconds for which a connection may be interrupted. */
const PATIENCE = 5_000

/** What starts a call, and what a server answers. */
interface Started {
  readonly webrtcRequestParams: { readonly endpoint: string }
  readonly iceConfig?: { readonly iceServers: RTCIceServer[] }
}

/**
 * The page's end of a call over WebRTC. It speaks RTVI to the server, like Pipecat's clients: sound goes over UDP in Opus, messages
 * over a data channel.
 *
 *   open() ─ POST start, POST offer, ICE ─▶ connected ─ ready() ─▶ joined … ─▶ ended
 *
 * A connection that is lost cannot be replaced, so that the call ends with it.
 */
export class WebRtcWire {
  readonly ticket = undefined
  /** Names the call. */
  readonly call: string
  /** The agent's voice. */
  readonly stream: MediaStream
  readonly #pc: RTCPeerConnection
  readonly #channel: RTCDataChannel
  readonly #events: WebRtcWireEvents
  readonly #transcript = new RtviTranscript()
  #hasEnded = false
  #ping: () => void = noop
  #patience: () => void = noop
  /** How long sound waits in the page before it is played, in milliseconds. */
  #delay = 0
  #measured = { delay: 0, count: 0 }

  private constructor(
    pc: RTCPeerConnection,
    channel: RTCDataChannel,
    call: string,
    events: WebRtcWireEvents,
  ) {
    this.#pc = pc
    this.#channel = channel
    this.call = call
    this.#events = events
    this.stream = new MediaStream(pc.getReceivers().map(({ track }) => track))
    channel.addEventListener('message', ({ data }: MessageEvent<string>) => this.#message(data))
    channel.addEventListener('close', () => this.#end({ reason: 'lost' }))
    pc.addEventListener('connectionstatechange', () => this.#stateChanged())
    // A page that is closed says so, as far as its browser lets it.
    addEventListener('pagehide', this.#hide)
    this.#pingLater()
  }

  readonly #hide = (): void => this.hangUp()

  /** Connects. Rejects if that is not possible within 5 s, or when `stop` is aborted; then nothing is left of the attempt. */
  static async open(
    url: string,
    track: MediaStreamTrack | undefined,
    events: WebRtcWireEvents,
    stop: AbortController,
  ): Promise<WebRtcWire> {
    const { signal } = stop
    const cancel = browser.after(CONNECT_TIMEOUT, () =>
      stop.abort(new Error(`not connected within ${CONNECT_TIMEOUT / 1_000} s`)),
    )
    let withdraw = noop
    let pc: RTCPeerConnection | undefined
    try {
      const started = (await send(
        'POST',
        url,
        { transport: 'webrtc', library: 'endwell' },
        signal,
      )) as Started
      pc = new RTCPeerConnection({ iceServers: started.iceConfig?.iceServers ?? [] })
      const channel = pc.createDataChannel('chat')
      pc.addTransceiver(track ?? 'audio', { direction: 'sendrecv' })
      const { endpoint } = started.webrtcRequestParams
      const gathered: RTCIceCandidate[] = []
      let flush = noop
      pc.addEventListener('icecandidate', ({ candidate }) => {
        // Most of them come at once.
        if (candidate && gathered.push(candidate) === 1) browser.after(GATHER, () => flush())
      })
      await pc.setLocalDescription()
      const offer = { sdp: pc.localDescription!.sdp, type: 'offer', pc_id: null, restart_pc: false }
      const answer = (await send('POST', endpoint, offer, signal)) as { sdp: string; pc_id: string }
      const { sdp, pc_id } = answer
      withdraw = () => void send('DELETE', endpoint, { pc_id }).catch(noop)
      await pc.setRemoteDescription({ type: 'answer', sdp })
      flush = () => {
        const candidates = gathered.splice(0).map(({ candidate, sdpMid, sdpMLineIndex }) => {
          return { candidate, sdp_mid: sdpMid, sdp_mline_index: sdpMLineIndex }
        })
        if (candidates.length > 0) send('PATCH', endpoint, { pc_id, candidates }).catch(noop)
      }
      flush()
      await opened(channel, signal)
      // The rest of the name says which process of the server has the connection.
      const [id = ''] = pc_id.split('.')
      return new WebRtcWire(pc, channel, id, events)
    } catch (error) {
      pc?.close()
      withdraw()
      throw error
    } finally {
      cancel()
    }
  }

  /** The page can play the agent's voice. */
  ready(): void {
    this.#rtvi('client-ready', { version: '2.1.0', about: { library: 'endwell', library_version: '1' } })
  }

  send(message: PageMessage): void {
    if (message.type === 'text') this.#rtvi('send-text', { content: message.text })
    if (message.type === 'dtmf') this.#rtvi('dtmf', { buttons: [message.digit] })
  }

  /** Does nothing: the track of the microphone carries its sound. */
  sendSound(): void {}

  /** Changes to the track of another microphone. */
  async use(track: MediaStreamTrack): Promise<void> {
    await this.#pc.getSenders()[0]?.replaceTrack(track)
  }

  hangUp(): void {
    this.#end({ reason: 'hung-up' })
  }

  #rtvi(type: string, data: object): void {
    const message = { label: 'rtvi-ai', type, id: browser.random().toString(36).slice(2, 10), data }
    if (this.#channel.readyState === 'open') this.#channel.send(JSON.stringify(message))
  }

  #message(json: string): void {
    const message = JSON.parse(json) as RtviMessage & { readonly message?: { readonly type: string } }
    const { type, data } = message
    if (type === 'signalling' && message.message?.type === 'peerLeft') return this.#end({ reason: 'ended' })
    if (type === 'error' && data?.fatal === true) return this.#end({ reason: 'unanswered' })
    if (type === 'bot-ready') this.#events.joined()
    if (type === 'bot-interrupted') this.#events.interrupted()
    if (type === 'bot-started-speaking' || type === 'bot-stopped-speaking')
      this.#events.speaking(type === 'bot-started-speaking')
    const transcript = this.#transcript.read(message, browser.date())
    if (transcript) this.#events.transcript(transcript)
    return undefined
  }

  /** Signs of life say how much later than it arrives sound is heard, so that the server knows what was heard. */
  #pingLater(): void {
    this.#ping = browser.after(PING_EVERY, () => {
      this.#measure().catch(noop)
      if (this.#channel.readyState === 'open') this.#channel.send(`ping: ${browser.date()} ${this.#delay}`)
      this.#pingLater()
    })
  }

  async #measure(): Promise<void> {
    const stats = (await this.#pc.getStats()) as unknown as Iterable<[string, Received]>
    for (const [
      ,
      { type, kind, jitterBufferDelay: delay = 0, jitterBufferEmittedCount: count = 0 },
    ] of stats) {
      if (type !== 'inbound-rtp' || kind !== 'audio') continue
      const fresh = count - this.#measured.count
      if (fresh > 0) this.#delay = Math.round((1_000 * (delay - this.#measured.delay)) / fresh)
      this.#measured = { delay, count }
    }
  }

  #stateChanged(): void {
    const { connectionState: state } = this.#pc
    this.#patience()
    if (state === 'failed' || state === 'closed') return this.#end({ reason: 'lost' })
    if (state === 'disconnected')
      this.#patience = browser.after(PATIENCE, () => this.#end({ reason: 'lost' }))
    return undefined
  }

  #end(end: CallEnd): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    removeEventListener('pagehide', this.#hide)
    this.#ping()
    this.#patience()
    // Closing the channel is how a client hangs up.
    this.#channel.close()
    browser.after(CLOSE_AFTER, () => this.#pc.close())
    this.#events.ended(end)
  }
}

/** Milliseconds for the end of the channel to be sent, before the connection is closed under it. */
const CLOSE_AFTER = 200

interface Received {
  readonly type: string
  readonly kind?: string
  readonly jitterBufferDelay?: number
  readonly jitterBufferEmittedCount?: number
}

async function send(method: string, url: string, body: object, signal?: AbortSignal): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const init = { method, headers, body: JSON.stringify(body), keepalive: method === 'DELETE' }
  const response = await fetch(url, { ...init, ...(signal ? { signal } : {}) })
  const answer: unknown = await response.json()
  if (response.ok) return answer
  throw new Error((answer as { message?: string }).message ?? `status ${response.status}`)
}

function opened(channel: RTCDataChannel, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    channel.addEventListener('open', () => resolve())
    signal.addEventListener('abort', () => reject(signal.reason as Error))
    if (channel.readyState === 'open') resolve()
    if (signal.aborted) reject(signal.reason as Error)
  })
}

function noop(): void {}
