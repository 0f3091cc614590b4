import OpusScript from 'opusscript'

/** What a codec has in the memory of its module. Not in the types of the package. */
interface Buffers {
  inPCM: Uint16Array
  outPCM: Uint16Array
}

/** Settings of the encoder, by their numbers in `opus_defines.h`. */
const SET_COMPLEXITY = 4010
const SET_INBAND_FEC = 4012
const SET_PACKET_LOSS = 4014

/** Bits per second, which is transparent for a voice. */
const BIT_RATE = 32_000
/** Percent of loss that the encoder prepares for: without it, it adds no redundancy. */
const EXPECTED_LOSS = 5
/** The longest packet that the decoder takes. */
const MAX_PACKET = 1_275 * 3

/** Encodes a voice in packets of 20 ms. */
export class OpusEncoder {
  readonly #codec: OpusScript
  readonly #frame: number

  constructor(sampleRate: 24_000) {
    this.#codec = codecFor(sampleRate)
    this.#frame = sampleRate / 50
    this.#codec.setBitrate(BIT_RATE)
    this.#codec.encoderCTL(SET_COMPLEXITY, 5)
    this.#codec.encoderCTL(SET_INBAND_FEC, 1)
    this.#codec.encoderCTL(SET_PACKET_LOSS, EXPECTED_LOSS)
  }

  /** Samples per packet. */
  get frame(): number {
    return this.#frame
  }

  encode(samples: Int16Array): Buffer {
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
    return this.#codec.encode(bytes, this.#frame)
  }

  delete(): void {
    this.#codec.delete()
  }
}

/** Decodes packets of any length to mono. */
export class OpusDecoder {
  readonly #codec: OpusScript

  constructor(sampleRate: 16_000) {
    this.#codec = codecFor(sampleRate)
  }

  /** Returns the sound of a packet, or undefined if it is not one. */
  decode(packet: Uint8Array): Int16Array | undefined {
    // An empty packet asks for concealment.
    if (packet.length === 0 || packet.length > MAX_PACKET) return undefined
    try {
      const bytes = this.#codec.decode(Buffer.from(packet.buffer, packet.byteOffset, packet.length))
      return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
    } catch {
      return undefined
    }
  }

  delete(): void {
    this.#codec.delete()
  }
}

/** Bytes at the end of the module's memory that all codecs use in turn, for the samples of one packet each way. */
const SCRATCH = 64 * 1024

/**
 * The package computes the place of a codec's samples wrongly: at twice the address that it has allocated, which is in the memory
 * of another codec, or beyond the end for the 40th. So all codecs share a place at the end, which nothing else uses: the codecs of
 * a thread take a quarter of the memory. A codec needs the samples only while it is called.
 */
function codecFor(sampleRate: 16_000 | 24_000): OpusScript {
  const codec = new OpusScript(sampleRate, 1, OpusScript.Application.VOIP)
  const buffers = codec as unknown as Buffers
  const { buffer } = buffers.inPCM
  buffers.inPCM = new Uint16Array(buffer, buffer.byteLength - SCRATCH, SCRATCH / 4)
  buffers.outPCM = new Uint16Array(buffer, buffer.byteLength - SCRATCH / 2, SCRATCH / 4)
  return codec
}
