import { durationOf, samplesIn, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import { SoundChannel } from './sound-channel.ts'

/** Gaps shorter than this between the caller's frames are network jitter, in milliseconds. */
const CALLER_SLACK = 200

/** Gaps shorter than this between the agent's frames are rounding errors, in milliseconds. */
const AGENT_SLACK = 5

/** How far the caller's sound may run ahead of real time, in milliseconds. */
const CALLER_AHEAD = 2_000

export interface StereoTrackOptions {
  readonly sampleRate: SampleRate
  /** When the recording begins, by the session's clock. */
  readonly startedAt: number
}

/**
 * Aligns the two sides of a call by when they were heard: the caller on the left channel, the agent on the right.
 *
 *   caller   ▁▁▃▅▃▁▁▁▁▁▁▁▁▁▁▃▅▅▃▁▁
 *   agent    ▁▁▁▁▁▁▁▃▅▅▅▃▅▅▅│ cleared: not heard, not here
 *                ▲taken     ▲now       ▲made already
 *
 * Only sound is kept in memory, until it is taken; silence costs nothing. All times are in milliseconds of one clock.
 */
export class StereoTrack {
  readonly sampleRate: SampleRate
  readonly #startedAt: number
  readonly #caller: SoundChannel
  readonly #agent: SoundChannel
  #taken = 0

  constructor({ sampleRate, startedAt }: StereoTrackOptions) {
    this.sampleRate = sampleRate
    this.#startedAt = startedAt
    this.#caller = new SoundChannel(sampleRate, samplesIn(CALLER_SLACK, sampleRate))
    this.#agent = new SoundChannel(sampleRate, samplesIn(AGENT_SLACK, sampleRate))
  }

  /**
   * Adds sound of the caller that arrived at `now` and was spoken just before. Sound that arrives in a burst after a network
   * gap is moved back into the gap. Returns false if the caller sends sound faster than real time.
   */
  caller(frame: AudioFrame, now: number): boolean {
    const limit = this.#index(now)
    if (this.#caller.end - limit > samplesIn(CALLER_AHEAD, this.sampleRate)) return false
    this.#caller.add(frame, this.#index(now - durationOf(frame)))
    this.#caller.pull(limit)
    return true
  }

  /** Adds sound of the agent that is expected to be heard from `at` on. */
  agent(frame: AudioFrame, at: number): void {
    this.#agent.add(frame, this.#index(at))
  }

  /** The line's queue was cleared: removes the agent's sound after `now`, which is not heard. */
  clear(now: number): void {
    this.#agent.cut(this.#index(now))
  }

  /** Restores `ms` milliseconds of cleared sound: some lines remain audible for a while after a clear. */
  heardAfterClear(ms: number): void {
    if (ms > 0) this.#agent.restore(samplesIn(ms, this.sampleRate))
  }

  /** Ends the recording at `now`. Returns when its last sound ends; the agent's sound after `now` does not count. */
  finish(now: number): number {
    this.clear(now)
    this.#caller.finish()
    return this.#startedAt + (Math.max(this.#caller.end, this.#agent.end) * 1000) / this.sampleRate
  }

  /** How many milliseconds can be taken up to `until`. */
  waiting(until: number): number {
    return Math.max(0, ((this.#index(until) - this.#taken) * 1000) / this.sampleRate)
  }

  /** Takes the next samples, left and right alternating, up to `until` and at most `max` milliseconds. */
  take(until: number, max: number): Int16Array {
    const to = Math.min(this.#index(until), this.#taken + samplesIn(max, this.sampleRate))
    const out = new Int16Array(Math.max(0, to - this.#taken) * 2)
    this.#caller.take(to, out, 0)
    this.#agent.take(to, out, 1)
    this.#taken = Math.max(this.#taken, to)
    return out
  }

  /** How many milliseconds of sound are kept before `until`, on the side that has more. */
  soundBefore(until: number): number {
    const index = this.#index(until)
    return (Math.max(this.#caller.before(index), this.#agent.before(index)) * 1000) / this.sampleRate
  }

  /** Replaces the sound before `before` with silence. */
  discard(before: number): void {
    this.#caller.discard(this.#index(before))
    this.#agent.discard(this.#index(before))
  }

  #index(time: number): number {
    return Math.max(0, Math.round(((time - this.#startedAt) * this.sampleRate) / 1000))
  }
}
