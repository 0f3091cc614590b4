/** Samples as little-endian bytes, the way every transport and vendor carries PCM16. Always a copy. */
export function bytesFromSamples(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.length * 2)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < samples.length; i++) view.setInt16(i * 2, samples[i]!, true)
  return bytes
}

/**
 * Little-endian bytes as samples. Always a copy: the bytes may start at an odd address, and they are often a
 * slice of a pool that one frame would keep alive. Half a sample at the end is left out; in a stream it
 * belongs to the next chunk, and {@link SampleReader} keeps it.
 */
export function samplesFromBytes(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  const samples = new Int16Array(bytes.length >> 1)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let i = 0; i < samples.length; i++) samples[i] = view.getInt16(i * 2, true)
  return samples
}

/**
 * Reads samples from a stream of bytes that was cut anywhere, also in the middle of a sample. HTTP bodies
 * are: losing that one byte would turn the rest of the speech into noise.
 */
export class SampleReader {
  #half: number | undefined

  /** The samples that are complete with these bytes. */
  push(bytes: Uint8Array): Int16Array<ArrayBuffer> {
    const half = this.#half
    if (half === undefined) {
      this.#half = bytes.length % 2 === 1 ? bytes[bytes.length - 1] : undefined
      return samplesFromBytes(bytes)
    }
    if (bytes.length === 0) return new Int16Array(0)

    const whole = new Uint8Array(bytes.length + 1)
    whole[0] = half
    whole.set(bytes, 1)
    this.#half = undefined
    return this.push(whole)
  }

  /** Forgets half a sample that waits for its other half: the next byte starts a new stream. */
  clear(): void {
    this.#half = undefined
  }
}
