import type { Clock, Timer } from '../../scope/index.ts'
import { RateLimit } from '../rate-limit.ts'
import { Concealer } from './concealer.ts'
import { JitterBuffer, type NextSound, type Packet } from './jitter-buffer.ts'
import { limits } from './limits.ts'
import { OpusDecoder } from './opus.ts'
import { opusDuration } from './opus-duration.ts'

const RATE = 16_000
const PER_MS = RATE / 1000

/** Opus counts 48 ticks per millisecond, whatever the rate of the sound is. */
export const TICKS = 48

/** Makes sound of the RTP packets of a caller: puts them in order, decodes them, and conceals what was lost. */
export class SoundIn {
  readonly #clock: Clock
  readonly #emit: (samples: Int16Array) => void
  readonly #decoder = new OpusDecoder(RATE)
  readonly #concealer = new Concealer(RATE)
  readonly #jitter = new JitterBuffer({
    perMs: TICKS,
    durationOf: opusDuration,
    patience: limits.patience,
  })
  readonly #rate: RateLimit
  #timer: Timer | undefined

  constructor(clock: Clock, emit: (samples: Int16Array) => void) {
    this.#clock = clock
    this.#emit = emit
    this.#rate = new RateLimit(limits.packets, clock.now())
  }

  push(packet: Packet): void {
    const now = this.#clock.now()
    // More packets than a microphone sends are not decoded.
    if (!this.#rate.take(now) || opusDuration(packet.payload) === 0) return
    this.#jitter.push(packet, now)
    this.#flow()
  }

  close(): void {
    this.#timer?.clear()
    this.#decoder.delete()
  }

  #flow(): void {
    this.#timer?.clear()
    this.#timer = undefined
    for (let next = this.#next(); next; next = this.#next()) {
      const samples = this.#soundOf(next)
      if (samples.length > 0) this.#emit(samples)
    }
    const { wakeAt } = this.#jitter
    if (wakeAt === undefined) return
    const wait = Math.max(1, wakeAt - this.#clock.now())
    this.#timer = this.#clock.after(wait, 'a packet that is missing', () => this.#flow())
  }

  #next(): NextSound | undefined {
    return this.#jitter.next(this.#clock.now())
  }

  #soundOf(next: NextSound): Int16Array {
    if (next.type !== 'packet') {
      const length = Math.min(next.ms, limits.gap) * PER_MS
      return next.type === 'lost' ? this.#concealer.conceal(length) : new Int16Array(length)
    }
    const samples = this.#decoder.decode(next.payload)
    // A packet that cannot be decoded is as good as lost.
    return samples
      ? this.#concealer.add(samples)
      : this.#concealer.conceal(opusDuration(next.payload) * PER_MS)
  }
}
