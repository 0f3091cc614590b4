import { durationOf, samplesIn, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import { SoundChannel } from './sound-channel.ts'

/** Frames of the caller come with the jitter of a network: pauses shorter than this are none, in milliseconds. */
const CALLER_SLACK = 200

/** Moments at which the agent is heard are computed: shorter pauses than this are errors of rounding. */
const AGENT_SLACK = 5

/** A caller who brings more sound than time passes: it is kept up to so many milliseconds ahead of the time. */
const CALLER_AHEAD = 2_000

export interface StereoTrackOptions {
  readonly sampleRate: SampleRate
  /** The moment at which the recording begins. */
  readonly startedAt: number
}

/**
 * Puts the two sides of a call beside each other, each sound where it was heard: left the caller, right the agent.
 *
 *   caller   ▁▁▃▅▃▁▁▁▁▁▁▁▁▁▁▃▅▅▃▁▁
 *   agent    ▁▁▁▁▁▁▁▃▅▅▅▃▅▅▅│ cleared: not heard, not here
 *                ▲taken     ▲now       ▲made already
 *
 * Time costs nothing: only sound is kept, until it is taken. All moments are those of one clock.
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
   * The caller's sound has come. It was spoken before it came, and in one go with the sound before if it comes late: a
   * burst after a pause of the network goes back into the pause. Returns false if it is too much to be true.
   */
  caller(frame: AudioFrame, now: number): boolean {
    const limit = this.#index(now)
    if (this.#caller.end - limit > samplesIn(CALLER_AHEAD, this.sampleRate)) return false
    this.#caller.add(frame, this.#index(now - durationOf(frame)))
    this.#caller.pull(limit)
    return true
  }

  /** The agent's sound that is expected to be heard from a moment on. */
  agent(frame: AudioFrame, at: number): void {
    this.#agent.add(frame, this.#index(at))
  }

  /** The line's queue was cleared: what the agent says from that moment on is not heard. */
  clear(now: number): void {
    this.#agent.cut(this.#index(now))
  }

  /** The agent was heard for so long after the last clear, in milliseconds: some lines go on for a while. */
  wentOn(ms: number): void {
    if (ms > 0) this.#agent.restore(samplesIn(ms, this.sampleRate))
  }

  /** No more sound comes. Returns the moment at which the last of it ends, that of the agent at `now` at the latest. */
  finish(now: number): number {
    this.clear(now)
    this.#caller.finish()
    return this.#startedAt + (Math.max(this.#caller.end, this.#agent.end) * 1000) / this.sampleRate
  }

  /** How many milliseconds there are to take up to a moment. */
  waiting(until: number): number {
    return Math.max(0, ((this.#index(until) - this.#taken) * 1000) / this.sampleRate)
  }

  /** The next samples, left and right in turn, up to a moment and for `most` milliseconds at most. */
  take(until: number, most: number): Int16Array {
    const to = Math.min(this.#index(until), this.#taken + samplesIn(most, this.sampleRate))
    const out = new Int16Array(Math.max(0, to - this.#taken) * 2)
    this.#caller.take(to, out, 0)
    this.#agent.take(to, out, 1)
    this.#taken = Math.max(this.#taken, to)
    return out
  }

  /** How much sound, of the side that has more of it, there is to take up to a moment, in milliseconds. */
  soundBefore(until: number): number {
    const index = this.#index(until)
    return (Math.max(this.#caller.before(index), this.#agent.before(index)) * 1000) / this.sampleRate
  }

  /** Forgets the sound before a moment. Its time stays, as silence. */
  forget(before: number): void {
    this.#caller.forget(this.#index(before))
    this.#agent.forget(this.#index(before))
  }

  #index(moment: number): number {
    return Math.max(0, Math.round(((moment - this.#startedAt) * this.sampleRate) / 1000))
  }
}
