import {
  SendWindow,
  type SampleRate,
  type SoundClear,
  type SoundMark,
  type SoundPiece,
} from '../../audio/index.ts'
import { BaseCall } from '../base-call.ts'
import type { CallOptions, Farewell } from '../call-options.ts'
import { limits as shared } from '../limits.ts'
import type { Peer } from '../peer.ts'
import { newKey, same } from '../secrets.ts'
import { PageMisbehavedError } from './errors.ts'
import { limits } from './limits.ts'
import { PageTranscript, type TranscribedSession } from './page-transcript.ts'
import {
  closeCodes,
  decodeVoice,
  encodeSound,
  readPageMessage,
  version,
  type LineMessage,
  type PageMessage,
  type Ticket,
} from './protocol.ts'

export interface PageCallOptions extends Pick<
  CallOptions,
  'id' | 'calls' | 'answerTimeout' | 'rejoinTimeout' | 'lostTimeout'
> {
  readonly sampleRate: SampleRate
  /** Whether the page gets the transcript. */
  readonly transcript: boolean
  /** Lets the page come back. Default: random. */
  readonly key?: string
}

type Outgoing = SoundPiece | SoundMark | SoundClear

/** `gone`: there is no such call, or it has ended. `replaced`: another page has joined since. */
export type Welcome = 'welcome' | 'gone' | 'replaced'

/** A call from a page. It speaks `protocol.ts`, and the page reports how far it has played. */
export class PageCall extends BaseCall<Outgoing> {
  protected readonly playout: SendWindow
  protected readonly replaced = { code: closeCodes.replaced, reason: 'CALL_REPLACED' }
  readonly #options: PageCallOptions
  readonly #sampleRate: SampleRate
  /** Lets the page come back. */
  readonly key: string
  /** What the page calls the first sample of this process: it has played sound of another process before. */
  #base = 0
  /** Added to the ids of marks: the page has seen marks of another process, and remembers their ids. */
  readonly #markBase: number
  /** Where the last sound that the peer was sent ends. Undefined before the first. */
  #sentTo: number | undefined
  #transcript: PageTranscript | undefined

  constructor(options: PageCallOptions) {
    super({ ...options, name: 'browser', messages: limits.messages, resendEvery: limits.resendEvery })
    this.#options = options
    this.#sampleRate = options.sampleRate
    this.key = options.key ?? newKey()
    // Later than every mark of the other process, which counted from 1 or from an earlier time.
    this.#markBase = options.key === undefined ? 0 : options.calls.scope.clock.date()
    this.playout = new SendWindow({
      samples: Int16Array,
      sampleRate: options.sampleRate,
      ahead: limits.ahead,
      refill: limits.refill,
      piece: limits.piece,
      queued: shared.queued,
      marks: shared.marks,
    })
  }

  /** Sends the page the transcript of the session, now and as it grows (LN16). */
  attach(session: TranscribedSession): void {
    // An answered call has the session of the first `open`; this one will be refused.
    if (!this.#options.transcript || this.answered) return
    this.#transcript = new PageTranscript(session, this.#options.calls.scope, (message) => {
      if (!this.peer || !this.isReady) return 'away'
      if (this.peer.buffered > shared.congested) return 'wait'
      sendMessage(this.peer, message)
      return 'sent'
    })
  }

  /** Whether a page may come back with this ticket. */
  admits({ key, generation }: Ticket): Welcome {
    if (!this.answered || !this.welcomes || !same(key, this.key)) return 'gone'
    return generation === this.generation || generation === this.generation + 1 ? 'welcome' : 'replaced'
  }

  protected greet(peer: Peer): void {
    const { id, sampleRate, rejoinTimeout, lostTimeout } = this.#options
    sendMessage(peer, {
      type: 'hello',
      version,
      call: id,
      key: this.key,
      generation: this.generation + 1,
      sampleRate,
      rejoinWithin: rejoinTimeout,
      pingEvery: lostTimeout / 4,
    })
  }

  protected override ping(peer: Peer): void {
    sendMessage(peer, { type: 'ping' })
  }

  protected receive(data: string | Uint8Array, now: number): void {
    this.watchdog.lastSign = Math.floor(now)
    if (typeof data !== 'string') return this.#hear(data)
    const message = readPageMessage(data)
    switch (message?.type) {
      case undefined:
        return this.misbehaved('it sent a message that this version does not know')
      case 'ready':
        return this.#start(message)
      case 'played':
        this.playout.confirm(message.at - this.#base)
        return this.send()
      case 'marked': {
        const mark = this.playout.marked(message.id - this.#markBase, message.heard)
        if (mark) this.events?.marked(mark.id, mark.heard)
        return this.send()
      }
      case 'sound':
        return this.#setAudible(message.on)
      case 'text':
        return this.typed('text', message.text.slice(0, limits.text))
      case 'dtmf':
        return this.typed('dtmf', message.digit)
      case 'pong':
        return undefined
      case 'hang-up':
        return this.hungUp()
    }
  }

  protected transmit(peer: Peer, outgoing: Outgoing): void {
    if ('samples' in outgoing) return this.#sendSound(peer, outgoing)
    const message: LineMessage =
      'clearTo' in outgoing
        ? { type: 'clear', at: outgoing.clearTo + this.#base }
        : { type: 'mark', id: outgoing.id + this.#markBase, at: outgoing.at + this.#base }
    return peer.send(JSON.stringify(message))
  }

  protected sayGoodbye(peer: Peer, farewell: Farewell): void {
    if (farewell === 'misbehaved') return peer.close(closeCodes.misbehaved, 'PAGE_MISBEHAVED')
    // The page came back to a call of another process, which this one could not take over: it may try again.
    if (!this.answered && this.#options.key !== undefined) return peer.abort()
    const last = this.#transcript?.unsent()
    if (last) sendMessage(peer, last)
    sendMessage(peer, { type: 'bye', reason: farewell })
    return peer.close(closeCodes.bye, farewell)
  }

  protected misbehaviour(what: string): Error {
    return new PageMisbehavedError(this.id, what)
  }

  #sendSound(peer: Peer, { position, samples }: SoundPiece): void {
    if (position !== this.#sentTo) sendMessage(peer, { type: 'from', at: position + this.#base })
    this.#sentTo = position + samples.length
    peer.send(encodeSound(samples))
  }

  #hear(bytes: Uint8Array): void {
    if (bytes.length % 2 === 1) return this.misbehaved('its sound is not PCM16')
    if (bytes.length > 0) this.events?.frame({ samples: decodeVoice(bytes), sampleRate: this.#sampleRate })
  }

  /** The page acknowledged our hello: make it current, and resume playout at its position. */
  #start({ generation, sound, played, buffered }: PageMessage & { type: 'ready' }): void {
    if (!this.events) return undefined
    if (this.isReady || generation !== this.generation + 1)
      return this.misbehaved('it acknowledges a hello that was not sent')
    this.ready()
    // The session may be closing: then nothing is sent but the goodbye.
    if (!this.isReady || !this.peer) return undefined
    if (this.#options.key !== undefined && this.generation === 1) this.#base = buffered ?? 0
    const known = played !== undefined && buffered !== undefined
    const at = known
      ? this.playout.resume(played - this.#base, buffered - this.#base)
      : this.playout.restart()
    this.#sentTo = undefined
    if (at + this.#base > 0) sendMessage(this.peer, { type: 'clear', at: at + this.#base })
    this.#transcript?.joined()
    return this.#setAudible(sound)
  }

  /** The page can play sound, or no longer can: the browser may forbid it, or the machine sleeps. */
  #setAudible(on: boolean): void {
    const { playout, peer } = this
    const before = playout.from
    if (on) playout.unmute(this.now())
    else playout.mute(this.now())
    // The page skips sound that would have been heard while it was mute.
    if (playout.from > before && this.isReady && peer)
      sendMessage(peer, { type: 'clear', at: playout.from + this.#base })
    this.send()
  }
}

function sendMessage(peer: Peer, message: LineMessage): void {
  peer.send(JSON.stringify(message))
}
