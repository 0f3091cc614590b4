/**
 * What the microphone hears, at the rate of the line. Runs in the audio thread of the browser, as a module of its own:
 * it imports nothing, so that every server and bundler can serve it as it is.
 */

/** From the audio thread to the page. */
export type CaptureNews =
  | { readonly type: 'frame'; readonly samples: Int16Array<ArrayBuffer> }
  /** How loud the last tenth of a second was: 0 to 1, where 1 is full scale. */
  | { readonly type: 'level'; readonly level: number }

export interface CaptureOptions {
  /** The rate that the line wants. */
  readonly sampleRate: number
}

/** Milliseconds in a frame, as the line has it. */
const FRAME = 20
/** Frames from one level to the next. */
const FRAMES_A_LEVEL = 5

/** Turns what the browser captures into frames of the line. */
export class Capture {
  readonly #tell: (news: CaptureNews) => void
  readonly #resample: (samples: Float32Array) => Float32Array
  #frame: Int16Array<ArrayBuffer>
  #filled = 0
  #energy = 0
  #frames = 0

  constructor(from: number, to: number, tell: (news: CaptureNews) => void) {
    this.#tell = tell
    const resampler = from === to ? undefined : new SincResampler(from, to)
    this.#resample = (samples) => resampler?.push(samples) ?? samples
    this.#frame = new Int16Array((to * FRAME) / 1000)
  }

  push(input: Float32Array): void {
    for (const sample of this.#resample(input)) {
      this.#energy += sample * sample
      this.#frame[this.#filled++] = Math.max(-32768, Math.min(32767, Math.round(sample * 32768)))
      if (this.#filled === this.#frame.length) this.#full()
    }
  }

  #full(): void {
    const samples = this.#frame
    this.#frame = new Int16Array(samples.length)
    this.#filled = 0
    this.#tell({ type: 'frame', samples })
    if (++this.#frames < FRAMES_A_LEVEL) return
    // Of the new frame: the old one may have been given away.
    const level = Math.sqrt(this.#energy / (this.#frame.length * FRAMES_A_LEVEL))
    this.#frames = 0
    this.#energy = 0
    this.#tell({ type: 'level', level: Math.min(1, level) })
  }
}

/** Zero crossings of the filter on each side, and how finely it is tabulated between two of them. */
const CROSSINGS = 12
const FINENESS = 128

/** Changes the rate by a windowed sinc that also takes away what the lower rate cannot hold. */
class SincResampler {
  readonly #step: number
  readonly #reach: number
  readonly #scale: number
  readonly #table: Float32Array
  /** What the next samples still need, and where in it the next one lies. */
  #held: Float32Array
  #at: number

  constructor(from: number, to: number) {
    this.#step = from / to
    // A little below the highest frequency, for a filter of this length is not a wall.
    const cutoff = Math.min(1, to / from) * 0.92
    this.#reach = Math.ceil(CROSSINGS / cutoff)
    this.#scale = cutoff
    this.#table = sincTable()
    this.#held = new Float32Array(this.#reach)
    this.#at = this.#reach
  }

  push(input: Float32Array): Float32Array {
    const held = new Float32Array(this.#held.length + input.length)
    held.set(this.#held)
    held.set(input, this.#held.length)
    const output: number[] = []
    for (; this.#at + this.#reach < held.length; this.#at += this.#step) output.push(this.#sampleAt(held))
    const done = Math.max(0, Math.floor(this.#at) - this.#reach)
    this.#held = held.slice(done)
    this.#at -= done
    return Float32Array.from(output)
  }

  #sampleAt(held: Float32Array): number {
    const middle = Math.floor(this.#at)
    let sum = 0
    for (let i = middle - this.#reach + 1; i <= middle + this.#reach; i++) {
      const place = Math.abs(i - this.#at) * this.#scale * FINENESS
      const index = Math.floor(place)
      const low = this.#table[index] ?? 0
      sum += held[i]! * (low + ((this.#table[index + 1] ?? 0) - low) * (place - index))
    }
    return sum * this.#scale
  }
}

function sincTable(): Float32Array {
  return Float32Array.from({ length: CROSSINGS * FINENESS + 1 }, (_, index) => {
    const x = (Math.PI * index) / FINENESS
    const window = 0.5 + 0.5 * Math.cos(x / CROSSINGS)
    return index === 0 ? 1 : (Math.sin(x) / x) * window
  })
}

// What an audio thread has, and TypeScript's DOM library has not.
declare const sampleRate: number
declare function registerProcessor(
  name: string,
  processor: new (options: { readonly processorOptions: CaptureOptions }) => Processor,
): void
declare class AudioWorkletProcessor {
  readonly port: {
    addEventListener(type: 'message', listener: (event: { readonly data: 'stop' }) => void): void
    start(): void
    postMessage(data: CaptureNews, transfer?: ArrayBuffer[]): void
  }
}
interface Processor {
  process(inputs: Float32Array[][]): boolean
}

function register(): void {
  class CaptureProcessor extends AudioWorkletProcessor implements Processor {
    readonly #capture: Capture
    #stopped = false

    constructor({ processorOptions }: { readonly processorOptions: CaptureOptions }) {
      super()
      this.#capture = new Capture(sampleRate, processorOptions.sampleRate, (news) =>
        this.port.postMessage(news, news.type === 'frame' ? [news.samples.buffer] : []),
      )
      this.port.addEventListener('message', () => (this.#stopped = true))
      this.port.start()
    }

    process(inputs: Float32Array[][]): boolean {
      const channel = inputs[0]?.[0]
      if (channel) this.#capture.push(channel)
      return !this.#stopped
    }
  }
  registerProcessor('endwell-capture', CaptureProcessor)
}

// Tests import this file where there is no audio thread.
if (typeof registerProcessor === 'function') register()
