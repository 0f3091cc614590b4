import { SendWindow, encodeMuLaw, type AudioFrame, type HeardMark } from '../../audio/index.ts'
import { limits as shared } from '../limits.ts'
import { limits } from './limits.ts'

/** Samples in a millisecond of telephone sound. */
const PER_MS = 8

/** What to send to the carrier. */
export type Outgoing =
  /** Mu-law. */
  | { readonly samples: Uint8Array }
  | { readonly mark: string }
  /** A clear, and right behind it a mark. */
  | { readonly clear: true; readonly mark: string }

/** A mark at the carrier. */
interface WireMark {
  readonly number: number
  readonly at: number
  /** The last of the session's marks that this one answers for, by its order in the window. */
  readonly answers: number
  /** Set for the mark behind a clear: what is known about where the sound before it stopped. */
  readonly clear?: {
    readonly sent: number
    /** No sound behind this position can have been heard. */
    most: number
    reported: Place | undefined
  }
}

/** A position in the sound, and when the caller was there. */
interface Place {
  readonly at: number
  readonly since: number
}

/** Where a caller who has listened since then is now. */
const reach = ({ at, since }: Place, now: number): number => at + Math.max(0, now - since) * PER_MS

/**
 * Playout through a carrier, which buffers sound and plays it in real time (positions: see `SendWindow`).
 *
 * A carrier reports what was played by returning marks. We add our own marks between the session's, so that
 * the position of the caller is known a few times per second. After a clear the carrier returns all marks at once, heard
 * or not. But sound cannot be heard faster than it lasts, so the last position known before the clear, and the time
 * since then, determine where the sound stopped (LN3).
 */
export class CarrierPlayout {
  readonly #window = new SendWindow<Uint8Array>({
    samples: Uint8Array,
    sampleRate: 8_000,
    ahead: limits.ahead,
    piece: limits.piece,
    queued: shared.queued,
    marks: shared.marks,
  })
  /**
   * The last sound that was sent while the carrier had none left. Sound cannot be heard faster than it lasts, so the
   * caller cannot be farther than the time since then allows.
   */
  #run: Place | undefined
  /** The last position that the carrier reported. */
  #reported: Place | undefined
  /** Marks at the carrier, in order. */
  #wire: WireMark[] = []
  #lastNumber = 0
  /** Position of the last mark at the carrier. */
  #lastAt = 0

  /** The carrier has no flow control: waiting sound becomes due as time passes. */
  get paced(): boolean {
    return this.#window.waiting
  }

  get unheard(): number {
    return this.#window.unheard
  }

  play(frame: AudioFrame, now: number): boolean {
    this.#release(now)
    // Sound that is mu-law already is queued as it is.
    const isEncoded = frame.encoded?.encoding === 'mulaw'
    const samples = isEncoded ? frame.encoded.bytes : encodeMuLaw(frame.samples)
    return this.#window.play({ samples }, now)
  }

  mark(id: number): void {
    this.#window.mark(id)
  }

  clear(now: number): Outgoing {
    const { sent } = this.#window
    // Sound and clear travel the same way, so when the clear arrives, nothing is on its way to the carrier any more.
    // Marks that the carrier has returned may still be on their way to us.
    const most = this.#run ? reach(this.#run, now) : sent
    const clear = { sent, most, reported: this.#reported }
    this.#window.clear(sent)
    this.#run = this.#reported = undefined
    return { clear: true, mark: this.#putMark({ clear }) }
  }

  /** Returns what to send to the carrier next, if it does not have enough. */
  next(now: number): Outgoing | undefined {
    const window = this.#window
    const { sent } = window
    if (window.markDue || sent - this.#lastAt >= limits.step * PER_MS) return { mark: this.#putMark() }
    const piece = window.nextSound(this.#position(now) + limits.ahead * PER_MS)
    if (piece && (!this.#run || reach(this.#run, now) > sent)) this.#run = { at: sent, since: now }
    return piece
  }

  /** The carrier returned a mark, and with it all marks before. Returns the session's marks that this settles. */
  returned(name: string, now: number): HeardMark[] {
    const last = this.#wire.findIndex(({ number }) => String(number) === name)
    return this.#wire.slice(0, last + 1).flatMap((mark) => {
      this.#reached(mark, now)
      this.#wire.shift()
      return this.#window.settle(mark.answers)
    })
  }

  giveUp(): HeardMark[] {
    return this.#window.giveUp()
  }

  /**
   * A new stream starts, with nothing in it. Everything is sent again that the previous stream is not known to have
   * played. Returns the marks of cleared sound: nothing more of that will be heard.
   */
  restart(): HeardMark[] {
    const window = this.#window
    const clears = this.#wire.filter(({ clear }) => clear)
    for (const clear of clears) this.#stopAt(window.played, clear)
    const settled = window.settle(clears.at(-1)?.answers ?? 0)
    this.#wire = []
    // Sound that was released meanwhile cannot be sent again.
    window.skip(window.played, window.from)
    this.#lastAt = window.restart()
    this.#run = this.#reported = undefined
    return settled
  }

  #putMark(more: Pick<WireMark, 'clear'> = {}): string {
    const { sent } = this.#window
    const mark = { number: ++this.#lastNumber, at: sent, answers: this.#window.sendMarks(), ...more }
    this.#wire.push(mark)
    if (this.#wire.length > shared.marks) this.#wire.shift()
    this.#lastAt = sent
    return String(mark.number)
  }

  /** A mark was reached by the caller, or thrown away. */
  #reached(mark: WireMark, now: number): void {
    const fence = this.#wire.find(({ clear, number }) => clear && number >= mark.number)
    if (!fence?.clear) {
      this.#window.confirm(mark.at)
      this.#reported = { at: mark.at, since: now }
      return this.#release(now)
    }
    const { clear } = fence
    const most = Math.floor(Math.min(clear.most, clear.reported ? reach(clear.reported, now) : Infinity))
    const stopped = Math.max(this.#window.played, Math.min(mark === fence ? clear.sent : mark.at, most))
    if (mark === fence) return this.#stopAt(stopped, fence)
    this.#window.confirm(stopped)
    // The mark, and everything behind it, was thrown away; or it was reached while the clear was on its way.
    if (mark.at > most) clear.most = stopped
    else clear.reported = { at: mark.at, since: now }
    return undefined
  }

  #stopAt(stopped: number, { at, clear }: WireMark): void {
    if (clear) this.#window.skip(stopped, clear.sent)
    this.#window.confirm(at)
  }

  /** The position at which the caller is assumed to be. */
  #position(now: number): number {
    const run = this.#run ? reach(this.#run, now) : Infinity
    const reported = this.#reported ? reach(this.#reported, now) : Infinity
    return Math.floor(Math.min(this.#window.sent, run, reported))
  }

  /** Discards sound that need not be sent again. */
  #release(now: number): void {
    this.#window.release(this.#position(now) - limits.doubt * PER_MS)
  }
}
