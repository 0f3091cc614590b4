import { bytesFromSamples, wavHeader, type SampleRate } from '../../audio/index.ts'
import { RecordingError, type RecordingSink } from './recording-sink.ts'

/**
 * Writes a stereo WAV of a length that nobody knows yet. The header says so until the first patch, and then, after every
 * part, how much is there: the sound first and its length behind it, so that a crash at any moment leaves a file that
 * does not promise what it does not have.
 */
export class WavWriter {
  readonly #sink: RecordingSink
  readonly #sampleRate: SampleRate
  readonly #maxBytes: number
  #begun = false
  #length = 0
  #over = false

  constructor(sink: RecordingSink, sampleRate: SampleRate, maxBytes: number) {
    this.#sink = sink
    this.#sampleRate = sampleRate
    this.#maxBytes = maxBytes
  }

  /** Adds samples, left and right in turn. */
  async write(samples: Int16Array): Promise<void> {
    await this.#begin()
    const bytes = bytesFromSamples(samples)
    if (this.#length + bytes.length > this.#maxBytes) {
      throw new RecordingError(
        'RECORDING_FULL',
        `it has reached its ${this.#maxBytes} bytes (limit maxBytes) and ends here`,
      )
    }
    if (!this.#over) await this.#sink.write(bytes)
    this.#length += bytes.length
    await this.#patch()
  }

  async finish(signal: AbortSignal): Promise<void> {
    await this.#begin()
    await this.#patch()
    if (!this.#over) await this.#sink.close(signal)
  }

  /** The sink is not touched any more, also by what is under way. */
  abort(): void {
    this.#over = true
    this.#sink.abort()
  }

  async #begin(): Promise<void> {
    if (this.#begun || this.#over) return
    this.#begun = true
    await this.#sink.write(wavHeader({ channels: 2, sampleRate: this.#sampleRate }))
  }

  async #patch(): Promise<void> {
    if (this.#over) return
    const dataLength = this.#length
    await this.#sink.patch?.(0, wavHeader({ channels: 2, sampleRate: this.#sampleRate, dataLength }))
  }
}
