import { bytesFromSamples, wavHeader, type SampleRate } from '../../audio/index.ts'
import { RecordingError, type RecordingSink } from './recording-sink.ts'

/**
 * Writes a stereo WAV whose length is not known in advance. The header says "unknown length" until the first patch. From
 * then on it is updated after every chunk, so that after a crash the header never promises more sound than the file has.
 */
export class WavWriter {
  readonly #sink: RecordingSink
  readonly #sampleRate: SampleRate
  readonly #maxBytes: number
  #begun = false
  #length = 0
  #aborted = false

  constructor(sink: RecordingSink, sampleRate: SampleRate, maxBytes: number) {
    this.#sink = sink
    this.#sampleRate = sampleRate
    this.#maxBytes = maxBytes
  }

  /** Appends samples, left and right alternating. */
  async write(samples: Int16Array): Promise<void> {
    await this.#begin()
    const bytes = bytesFromSamples(samples)
    if (this.#length + bytes.length > this.#maxBytes) {
      throw new RecordingError('RECORDING_FULL', `it has reached maxBytes = ${this.#maxBytes} and ends here`)
    }
    if (!this.#aborted) await this.#sink.write(bytes)
    this.#length += bytes.length
    await this.#patch()
  }

  async finish(signal: AbortSignal): Promise<void> {
    await this.#begin()
    await this.#patch()
    if (!this.#aborted) await this.#sink.close(signal)
  }

  /** Aborts the sink. A write in progress does not call the sink again. */
  /** Returns what the sink returns: a sink may be async, and reject. */
  abort(): unknown {
    this.#aborted = true
    return this.#sink.abort()
  }

  async #begin(): Promise<void> {
    if (this.#begun || this.#aborted) return
    this.#begun = true
    await this.#sink.write(wavHeader({ channels: 2, sampleRate: this.#sampleRate }))
  }

  async #patch(): Promise<void> {
    if (this.#aborted) return
    const dataLength = this.#length
    await this.#sink.patch?.(0, wavHeader({ channels: 2, sampleRate: this.#sampleRate, dataLength }))
  }
}
