import { durationOf, wavHeaderLength, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import type { Clock, Resource } from '../../scope/index.ts'
import { RecordingError, type RecordingSink } from './recording-sink.ts'
import { StereoTrack } from './stereo-track.ts'
import { WavWriter } from './wav-writer.ts'

export { RecordingError, type RecordingSink } from './recording-sink.ts'

/** Sound is written so long after it was heard, in milliseconds: until then it may move, or turn out to be cleared. */
const LAG = 2_000

/** It is written in parts of so many milliseconds: few enough writes, and little that a crash can lose. */
const PART = 1_000

/** All the sound that a WAV file can tell the length of. */
const MOST_BYTES = 0xffffffff - wavHeaderLength

export interface RecorderOptions {
  readonly sink: RecordingSink
  readonly clock: Clock
  /** Of the recording. Sound of other rates is resampled. */
  readonly sampleRate: SampleRate
  /** Told of each kind of problem once. */
  readonly onError: (error: RecordingError) => void
  /**
   * How much sound may wait for a sink that is slower than the sound, in milliseconds: 30 s unless set, that is 1 to 6 MB.
   * What is older becomes silence, so that everything else stays where it was heard.
   */
  readonly maxBacklog?: number
  /** How far ahead of its hearing the agent's sound may be, in milliseconds: 5 min unless set. The rest is left out. */
  readonly maxAhead?: number
  /** Bytes of sound: 4 GB unless set, all that a WAV file can hold, 18 hours at 16 kHz. There the recording ends. */
  readonly maxBytes?: number
}

/**
 * Records a call as a stereo WAV: left the caller, right the agent as it was heard.
 *
 * It is a resource for a scope. Nothing that the sink does disturbs the call: only `close` waits for it.
 *
 * @example
 * const recorder = new Recorder({ sink: fileSink('call.wav'), clock, sampleRate: 16000, onError: (e) => log(e) })
 * scope.own('recorder', recorder)
 * recorder.caller(frame)
 * recorder.agent(frame, playout.play(durationOf(frame), clock.now()))
 */
export class Recorder implements Resource {
  readonly #options: Required<RecorderOptions>
  readonly #track: StereoTrack
  readonly #writer: WavWriter
  #state: 'recording' | 'finishing' | 'failed' | 'over' = 'recording'
  #muted = false
  /** The moment at which the recording ends, once that is known. */
  #endsAt: number | undefined
  #writing: Promise<void> | undefined
  #failure: RecordingError | undefined
  readonly #told = new Set<string>()

  constructor(options: RecorderOptions) {
    this.#options = { maxBacklog: 30_000, maxAhead: 300_000, maxBytes: MOST_BYTES, ...options }
    const { sink, clock, sampleRate, maxBytes } = this.#options
    this.#track = new StereoTrack({ sampleRate, startedAt: clock.now() })
    this.#writer = new WavWriter(sink, sampleRate, Math.min(maxBytes, MOST_BYTES))
  }

  /** The caller's sound, as it comes. */
  caller(frame: AudioFrame): void {
    if (this.#state !== 'recording') return
    if (!this.#track.caller(frame, this.#options.clock.now())) {
      this.#tell(
        new RecordingError(
          'RECORDING_OVERRUN',
          'the caller brings more sound than time passes; some is left out',
        ),
      )
    }
    this.#advance()
  }

  /** The agent's sound, as it is played, with the moment at which it is expected to be heard. */
  agent(frame: AudioFrame, at: number): void {
    if (this.#state !== 'recording' || this.#muted || !Number.isFinite(at)) return
    const { clock, maxAhead } = this.#options
    if (at + durationOf(frame) - clock.now() <= maxAhead) this.#track.agent(frame, at)
    else {
      this.#tell(
        new RecordingError(
          'RECORDING_OVERRUN',
          `the agent's sound is further ahead than ${maxAhead} ms (limit maxAhead); some is left out`,
        ),
      )
    }
    this.#advance()
  }

  /** The line's queue was cleared: what is behind this moment is not heard. */
  clear(): void {
    if (this.#state === 'recording') this.#track.clear(this.#options.clock.now())
  }

  /** The line tells that its sound went on for so long after the clear, in milliseconds. */
  wentOn(ms: number): void {
    if (this.#state === 'recording') this.#track.wentOn(ms)
  }

  /** From the first moment of closing, the caller hears nothing more (CL9). The caller's last words are still taken. */
  closing(): void {
    this.clear()
    this.#muted = true
  }

  /** Writes what is left. Rejects if the recording is not whole, or with the signal's reason when that aborts. */
  async close(signal: AbortSignal): Promise<void> {
    if (this.#state === 'over') return
    if (this.#state === 'recording') {
      this.#state = 'finishing'
      this.#endsAt = this.#track.finish(this.#options.clock.now())
    }
    const stop = (): void => this.abort()
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    try {
      await untilAborted(this.#finish(signal), signal)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  abort(): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#track.forget(Infinity)
    try {
      this.#writer.abort()
    } catch (error) {
      this.#tell(new RecordingError('RECORDING_FAILED', 'the sink could not be aborted', { cause: error }))
    }
  }

  /** Time has passed: what cannot change any more is written. */
  #advance(): void {
    const { maxBacklog } = this.#options
    const until = this.#settledAt()
    if (this.#track.waiting(until) > maxBacklog && this.#track.soundBefore(until) > maxBacklog) {
      this.#track.forget(until - maxBacklog)
      this.#tell(
        new RecordingError(
          'RECORDING_BEHIND',
          `the sink is more than ${maxBacklog} ms behind (limit maxBacklog); what it missed is silence`,
        ),
      )
    }
    if (!this.#writing && this.#track.waiting(until) >= PART) this.#writing = this.#write()
  }

  /** Writes what there is to write, part by part. Never rejects. */
  async #write(): Promise<void> {
    try {
      for (let part = this.#next(); part; part = this.#next()) await this.#writer.write(part)
    } catch (error) {
      this.#fail(error)
    }
    this.#writing = undefined
  }

  /** The next part, once there is a whole one; at the end, also the last one. */
  #next(): Int16Array | undefined {
    if (this.#state !== 'recording' && this.#state !== 'finishing') return undefined
    const until = this.#settledAt()
    const waiting = this.#track.waiting(until)
    return waiting >= PART || (this.#endsAt !== undefined && waiting > 0)
      ? this.#track.take(until, PART)
      : undefined
  }

  /** What was heard before this moment does not change any more. */
  #settledAt(): number {
    return this.#endsAt ?? this.#options.clock.now() - LAG
  }

  async #finish(signal: AbortSignal): Promise<void> {
    await this.#writing
    await this.#write()
    if (this.#state === 'over') return
    try {
      // Also after a failure: the header of what was written before it may still be set right.
      await this.#writer.finish(signal)
    } catch (error) {
      this.#fail(error)
    }
    if (this.#failure) throw this.#failure
    this.#state = 'over'
  }

  #fail(error: unknown): void {
    if (this.#state === 'over' || this.#failure) return
    this.#state = 'failed'
    this.#track.forget(Infinity)
    this.#failure =
      error instanceof RecordingError
        ? this.#tell(error)
        : this.#tell(
            new RecordingError('RECORDING_FAILED', `the sink failed: ${messageOf(error)}`, { cause: error }),
          )
  }

  #tell<E extends RecordingError>(error: E): E {
    if (this.#told.has(error.code)) return error
    this.#told.add(error.code)
    try {
      this.#options.onError(error)
    } catch {
      // Nobody is left to tell that the listener for errors is broken; the call goes on.
    }
    return error
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What the promise becomes, unless the signal aborts first. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    promise.then(
      (value) => {
        signal.removeEventListener('abort', stop)
        resolve(value)
      },
      (error: unknown) => {
        signal.removeEventListener('abort', stop)
        reject(error)
      },
    )
  })
}
