import { systemClock, type Timer } from '../../scope/index.ts'
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
 * Sends sound in RTP packets, one every 20 ms. While there is no sound, and for silence, nothing is sent: the timestamps go on, so
 * that the far end knows how long that took.
 */
export class SoundOut {
  readonly #send: (packet: OutgoingPacket) => void
  readonly #encoder = new OpusEncoder(24_000)
  /** Sound that waits, and where its first piece begins. */
  #queue: Int16Array[] = []
  #offset = 0
  #sequence = 0
  /** When the next packet is due. */
  #dueAt = systemClock.now()
  readonly #startedAt = this.#dueAt
  #paused = true
  #timer: Timer | undefined

  constructor(send: (packet: OutgoingPacket) => void) {
    this.#send = send
  }

  /** Queues sound. Sound that comes faster than it is played, and more than it should be, is dropped. */
  push(samples: Int16Array): void {
    if (this.#queue.length >= limits.pieces) return
    this.#queue.push(samples)
    if (this.#timer) return
    // After a pause, sound begins at once, but not before the packet before it has been heard.
    this.#dueAt = Math.max(systemClock.now(), this.#dueAt)
    this.#next()
  }

  close(): void {
    this.#timer?.clear()
    this.#encoder.delete()
  }

  #next(): void {
    this.#timer = systemClock.after(Math.max(0, this.#dueAt - systemClock.now()), 'a packet is due', () => {
      this.#timer = undefined
      // A thread that was blocked does not send at once what it has missed.
      this.#dueAt = Math.max(this.#dueAt, systemClock.now() - limits.late)
      this.#sendPacket()
      this.#dueAt += PACKET
      if (this.#queue.length > 0) this.#next()
      else this.#paused = true
    })
  }

  #sendPacket(): void {
    const payload = this.#encoder.encode(this.#take(this.#encoder.frame))
    if (!payload) {
      this.#paused = true
      return
    }
    const timestamp = Math.round((this.#dueAt - this.#startedAt) * TICKS) % 2 ** 32
    this.#send({ payload, sequence: this.#sequence, timestamp, marker: this.#paused })
    this.#sequence = (this.#sequence + 1) % 2 ** 16
    this.#paused = false
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
