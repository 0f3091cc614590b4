import { durationOf, wavHeaderLength, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import { callOut, type Clock, type Resource } from '../../scope/index.ts'
import { RecordingError, type RecordingReport, type RecordingSink } from './recording-sink.ts'
import { StereoTrack } from './stereo-track.ts'
import { WavWriter } from './wav-writer.ts'

export { RecordingError, type RecordingSink } from './recording-sink.ts'

/** Sound is written this long after it was heard, in milliseconds. Until then, it may be moved or cleared. */
const WRITE_DELAY = 2_000

/** Length of one write, in milliseconds: few writes, and a crash loses little. */
const CHUNK = 1_000

/** The most sound whose length a WAV header can state. */
const MAX_WAV_BYTES = 0xffffffff - wavHeaderLength

export interface RecorderOptions {
  readonly sink: RecordingSink
  readonly clock: Clock
  /** Sample rate of the recording. Sound with another rate is resampled. */
  readonly sampleRate: SampleRate
  /** Called once for each kind of problem. */
  readonly onError: (error: RecordingError) => void
  /**
   * How much sound may wait for a slow sink, in milliseconds. Older sound becomes silence, so that the rest keeps its
   * position. Default: 30 s, which is 1 to 6 MB.
   */
  readonly maxBacklog?: number
  /** How far ahead of playout the agent's sound may be, in milliseconds. The rest is left out. Default: 5 min. */
  readonly maxAhead?: number
  /** The recording ends after this many bytes of sound. Default: 4 GB, the limit of a WAV file, 18 hours at 16 kHz. */
  readonly maxBytes?: number
}

/**
 * Records a call as a stereo WAV: the caller on the left, the agent as it was heard on the right.
 *
 * A resource for a scope. A slow or failing sink does not affect the call: only `close` waits for it.
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
  #state: 'recording' | 'finishing' | 'failed' | 'closed' = 'recording'
  #muted = false
  #isComplete = false
  /** When the recording ends. Unset while it goes on. */
  #endsAt: number | undefined
  #writing: Promise<void> | undefined
  #failure: RecordingError | undefined
  readonly #reported = new Set<string>()

  constructor(options: RecorderOptions) {
    this.#options = { maxBacklog: 30_000, maxAhead: 300_000, maxBytes: MAX_WAV_BYTES, ...options }
    const { sink, clock, sampleRate, maxBytes } = this.#options
    this.#track = new StereoTrack({ sampleRate, startedAt: clock.now() })
    this.#writer = new WavWriter(sink, sampleRate, Math.min(maxBytes, MAX_WAV_BYTES))
  }

  get report(): RecordingReport {
    const { place } = this.#options.sink
    return { ...(typeof place === 'string' ? { place } : {}), complete: this.#isComplete }
  }

  /** Records sound of the caller, as it arrives. */
  caller(frame: AudioFrame): void {
    if (this.#state !== 'recording') return
    if (!this.#track.caller(frame, this.#options.clock.now())) {
      this.#report(
        new RecordingError(
          'RECORDING_OVERRUN',
          'the caller sends sound faster than real time; some of it is left out',
        ),
      )
    }
    this.#advance()
  }

  /** Records sound of the agent, as it is played. `at` is when it is expected to be heard. */
  agent(frame: AudioFrame, at: number): void {
    if (this.#state !== 'recording' || this.#muted || !Number.isFinite(at)) return
    const { clock, maxAhead } = this.#options
    if (at + durationOf(frame) - clock.now() <= maxAhead) this.#track.agent(frame, at)
    else {
      this.#report(
        new RecordingError(
          'RECORDING_OVERRUN',
          `the agent's sound is more than maxAhead = ${maxAhead} ms ahead; some of it is left out`,
        ),
      )
    }
    this.#advance()
  }

  /** The line's queue was cleared: the agent's sound after now is not heard. */
  clear(): void {
    if (this.#state === 'recording') this.#track.clear(this.#options.clock.now())
  }

  /** The line reports that its sound was audible for `ms` milliseconds after the clear. */
  heardAfterClear(ms: number): void {
    if (this.#state === 'recording') this.#track.heardAfterClear(ms)
  }

  /** Called when closing begins: the agent is no longer heard (CL9), but the caller's last words are still recorded. */
  closing(): void {
    this.clear()
    this.#muted = true
  }

  /** Writes what is left. Rejects if the recording is incomplete, or with the signal's reason when the signal aborts. */
  async close(signal: AbortSignal): Promise<void> {
    if (this.#state === 'closed') return
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
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#track.discard(Infinity)
    callOut(
      () => this.#writer.abort(),
      (cause) =>
        this.#report(new RecordingError('RECORDING_FAILED', 'the sink could not be aborted', { cause })),
    )
  }

  /** Writes sound that is final by now. */
  #advance(): void {
    const { maxBacklog } = this.#options
    const until = this.#finalUntil
    if (this.#track.waiting(until) > maxBacklog && this.#track.soundBefore(until) > maxBacklog) {
      this.#track.discard(until - maxBacklog)
      this.#report(
        new RecordingError(
          'RECORDING_BEHIND',
          `the sink is more than maxBacklog = ${maxBacklog} ms behind; the sound it missed becomes silence`,
        ),
      )
    }
    if (!this.#writing && this.#track.waiting(until) >= CHUNK) this.#writing = this.#write()
  }

  /** Writes all final sound, chunk by chunk. Never rejects. */
  async #write(): Promise<void> {
    try {
      for (let chunk = this.#next(); chunk; chunk = this.#next()) await this.#writer.write(chunk)
    } catch (error) {
      this.#fail(error)
    }
    this.#writing = undefined
  }

  /** The next complete chunk or, at the end, the last one. */
  #next(): Int16Array | undefined {
    if (this.#state !== 'recording' && this.#state !== 'finishing') return undefined
    const until = this.#finalUntil
    const waiting = this.#track.waiting(until)
    return waiting >= CHUNK || (this.#endsAt !== undefined && waiting > 0)
      ? this.#track.take(until, CHUNK)
      : undefined
  }

  /** Sound before this time can no longer change. */
  get #finalUntil(): number {
    return this.#endsAt ?? this.#options.clock.now() - WRITE_DELAY
  }

  async #finish(signal: AbortSignal): Promise<void> {
    await this.#writing
    await this.#write()
    if (this.#state === 'closed') return
    try {
      // Even after a failure: the header can still be corrected for what was written before.
      await this.#writer.finish(signal)
    } catch (error) {
      this.#fail(error)
    }
    if (this.#failure) throw this.#failure
    this.#isComplete = this.#reported.size === 0
    this.#state = 'closed'
  }

  #fail(error: unknown): void {
    if (this.#state === 'closed' || this.#failure) return
    this.#state = 'failed'
    this.#track.discard(Infinity)
    this.#failure =
      error instanceof RecordingError
        ? error
        : new RecordingError('RECORDING_FAILED', `the sink failed: ${messageOf(error)}`, { cause: error })
    this.#report(this.#failure)
  }

  #report(error: RecordingError): void {
    if (this.#reported.has(error.code)) return
    this.#reported.add(error.code)
    try {
      this.#options.onError(error)
    } catch {
      // The error listener itself is broken. The call must go on.
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Settles like the promise, or rejects with the signal's reason if the signal aborts first. */
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
