/** An RTP packet of sound. */
export interface Packet {
  /** 16 bits, which wrap around. */
  readonly sequence: number
  /** 32 bits, which wrap around. */
  readonly timestamp: number
  readonly payload: Uint8Array
}

/** What comes next: a packet, sound that is lost and has to be concealed, or a pause in which the sender sent nothing. */
export type NextSound =
  | { readonly type: 'packet'; readonly payload: Uint8Array }
  | { readonly type: 'lost' | 'pause'; readonly ms: number }

export interface JitterBufferOptions {
  /** Ticks of the RTP clock per millisecond: 48 for Opus. */
  readonly perMs: number
  /** The milliseconds of sound in a packet, or 0 if it is not one. */
  readonly durationOf: (payload: Uint8Array) => number
  /** Milliseconds to wait for a packet that is missing. */
  readonly patience: number
}

/** Packets that wait for an earlier one. More than a second of them means that the earlier one will not come. */
const MAX_WAITING = 64

/** A packet this far from the one that is due belongs to a stream that has started again (RFC 3550, appendix A.1). */
const MAX_JUMP = 1_000

interface Waiting {
  /** In ticks, counted on when the timestamp wraps around. */
  readonly time: number
  readonly arrivedAt: number
  readonly payload: Uint8Array
}

/**
 * Puts the packets of a stream in order (WR1). What is in order does not wait: an agent has no playout clock that must not run
 * dry. Only a gap delays what is behind it, for `patience` at most:
 *
 *   arrives   1   2   4   5 ……………………… 6
 *   is due    1   2     (patience)  lost 4 5 6
 */
export class JitterBuffer {
  readonly #options: JitterBufferOptions
  /** By sequence number, counted on when it wraps around. */
  readonly #waiting = new Map<number, Waiting>()
  /** The sequence number that is due. Unset until the first packet. */
  #due: number | undefined
  /** When the last sound ends, in ticks, and how long it was, in milliseconds. */
  #endsAt = 0
  #lastDuration = 0
  /** Packets that came twice, or after their turn. */
  dropped = 0
  /** Milliseconds of sound that were lost. */
  lost = 0

  constructor(options: JitterBufferOptions) {
    this.#options = options
  }

  /** Takes a packet. Call `next` until it returns undefined, now and at `wakeAt`. */
  push({ sequence, timestamp, payload }: Packet, now: number): void {
    if (this.#due === undefined) return this.#start(sequence, timestamp, payload, now)
    const number = this.#due + distance(sequence, this.#due, 16)
    if (Math.abs(number - this.#due) > MAX_JUMP) return this.#start(sequence, timestamp, payload, now)
    if (number < this.#due || this.#waiting.has(number)) return void this.dropped++
    const time = this.#endsAt + distance(timestamp, this.#endsAt, 32)
    this.#waiting.set(number, { time, arrivedAt: now, payload })
    return undefined
  }

  /** Returns what is due, once. Undefined: wait for a packet, or until `wakeAt`. */
  next(now: number): NextSound | undefined {
    const due = this.#due
    if (due === undefined || this.#waiting.size === 0) return undefined
    const first = Math.min(...this.#waiting.keys())
    if (first > due && !this.#givesUp(now)) return undefined
    const { time, payload } = this.#waiting.get(first)!
    const { perMs, durationOf } = this.#options
    const gap = Math.max(0, (time - this.#endsAt) / perMs)
    const lost = Math.min(gap, (first - due) * this.#lastDuration)
    this.#due = first
    // The gap is told first, and the packet behind it with the next call.
    if (lost > 0) {
      this.lost += lost
      return this.#skip('lost', lost)
    }
    if (gap > 0) return this.#skip('pause', gap)
    this.#waiting.delete(first)
    this.#due = first + 1
    this.#lastDuration = durationOf(payload)
    this.#endsAt = time + this.#lastDuration * perMs
    return { type: 'packet', payload }
  }

  /** When a packet that is missing is given up. Undefined if none is missed. */
  get wakeAt(): number | undefined {
    if (this.#waiting.size === 0) return undefined
    return Math.min(...Array.from(this.#waiting.values(), (each) => each.arrivedAt)) + this.#options.patience
  }

  #givesUp(now: number): boolean {
    return this.#waiting.size >= MAX_WAITING || now >= this.wakeAt!
  }

  #skip(type: 'lost' | 'pause', ms: number): NextSound {
    this.#endsAt += ms * this.#options.perMs
    return { type, ms }
  }

  /** The first packet, or the first of a stream that has started again: what waited belongs to another stream. */
  #start(sequence: number, timestamp: number, payload: Uint8Array, now: number): void {
    this.dropped += this.#waiting.size
    this.#waiting.clear()
    this.#due = sequence
    this.#endsAt = timestamp
    this.#waiting.set(sequence, { time: timestamp, arrivedAt: now, payload })
  }
}

/** How far a number of so many bits is from another one, which may have been counted on: the shorter way around. */
function distance(number: number, from: number, bits: 16 | 32): number {
  const all = 2 ** bits
  const ahead = (((number - from) % all) + all) % all
  return ahead < all / 2 ? ahead : ahead - all
}
