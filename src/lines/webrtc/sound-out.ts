import type { Clock, Timer } from '../../scope/index.ts'
import { limits } from './limits.ts'
import { OpusEncoder } from './opus.ts'
import { TICKS } from './sound-in.ts'

/** A packet to send. */
export interface OutgoingPacket {
  readonly payload: Buffer
  readonly sequence: number
  readonly timestamp: number
  /** Whether sound begins after a pause. */
  readonly marker: boolean
}

/** Milliseconds of sound per packet. */
const PACKET = 20

/**
 * Sends sound in RTP packets, one every 20 ms (WR4). Silence is not sent, except for its beginning: a client that gets nothing more
 * in the middle of a sound makes up how it goes on. The timestamps go on, so that the client knows how long a pause was.
 */
export class SoundOut {
  readonly #clock: Clock
  readonly #send: (packet: OutgoingPacket) => void
  readonly #encoder = new OpusEncoder(24_000)
  /** Sound that waits, and where its first piece begins. */
  #queue: Int16Array[] = []
  #offset = 0
  #sequence = 0
  readonly #startedAt: number
  /** When the next packet is due. */
  #dueAt: number
  /** Packets of silence since the last sound. */
  #silent = 0
  #isPaused = true
  #timer: Timer | undefined

  constructor(clock: Clock, send: (packet: OutgoingPacket) => void) {
    this.#clock = clock
    this.#send = send
    this.#startedAt = this.#dueAt = clock.now()
  }

  /** Queues sound. More than should ever wait is dropped. */
  push(samples: Int16Array): void {
    if (this.#queue.length >= limits.pieces) return
    this.#queue.push(samples)
    if (!this.#timer) this.#next()
  }

  close(): void {
    this.#timer?.clear()
    this.#encoder.delete()
  }

  /** Sends the next packet when it is due. After a pause, that is at once. */
  #next(): void {
    const now = this.#clock.now()
    // What a thread that was blocked has missed is sent later, and not faster.
    this.#dueAt = Math.max(this.#dueAt, now - limits.late)
    if (this.#isPaused) this.#dueAt = Math.max(this.#dueAt, now)
    this.#timer = this.#clock.after(Math.max(0, this.#dueAt - now), 'a packet is due', () => {
      this.#timer = undefined
      this.#sendPacket(this.#take(this.#encoder.frame))
      this.#dueAt += PACKET
      if (this.#queue.length > 0 || !this.#isPaused) this.#next()
    })
  }

  #sendPacket(samples: Int16Array): void {
    this.#silent = isSilent(samples) ? this.#silent + 1 : 0
    if (this.#silent > limits.tail) {
      this.#isPaused = true
      return
    }
    const payload = this.#encoder.encode(samples)
    const timestamp = Math.round((this.#dueAt - this.#startedAt) * TICKS) % 2 ** 32
    this.#send({ payload, sequence: this.#sequence, timestamp, marker: this.#isPaused })
    this.#sequence = (this.#sequence + 1) % 2 ** 16
    this.#isPaused = false
  }

  /** Takes so many samples. If there are fewer, silence follows. */
  #take(length: number): Int16Array {
    const taken = new Int16Array(length)
    let filled = 0
    while (filled < length) {
      const [first] = this.#queue
      if (!first) break
      const part = first.subarray(this.#offset, this.#offset + length - filled)
      taken.set(part, filled)
      filled += part.length
      this.#offset += part.length
      if (this.#offset >= first.length) {
        this.#queue.shift()
        this.#offset = 0
      }
    }
    return taken
  }
}

/** Whether nothing can be heard: less than -84 dB. */
const isSilent = (samples: Int16Array): boolean => samples.every((sample) => sample >= -2 && sample <= 2)
