/**
 * Captures the microphone at the sample rate of the line, in the browser's audio thread. It is a module of its own and
 * imports nothing, so that every server and bundler can serve it as it is.
 */

/** From the audio thread to the page. */
export type CaptureEvent =
  | { readonly type: 'frame'; readonly samples: Int16Array<ArrayBuffer> }
  /** Level of the last tenth of a second: 0 to 1, where 1 is full scale. */
  | { readonly type: 'level'; readonly level: number }

export interface CaptureOptions {
  /** The sample rate of the line. */
  readonly sampleRate: number
}

/** Milliseconds per frame. */
const FRAME = 20
/** Frames per `level` event. */
const FRAMES_PER_LEVEL = 5

/** Turns captured sound into frames of the line. */
export class Capture {
  readonly #emit: (event: CaptureEvent) => void
  readonly #resample: (samples: Float32Array) => Float32Array
  readonly #gate = new EchoGate()
  #frame: Int16Array<ArrayBuffer>
  #filled = 0
  /** Energy of the current frame. */
  #energy = 0
  /** Energy of what the page plays during that frame. */
  readonly #played = { energy: 0, count: 0 }
  /** Energy of all frames since the last `level` event. */
  #levelEnergy = 0
  #frames = 0

  constructor(from: number, to: number, emit: (event: CaptureEvent) => void) {
    this.#emit = emit
    const resampler = from === to ? undefined : new SincResampler(from, to)
    const resample = (samples: Float32Array): Float32Array => resampler?.push(samples) ?? samples
    this.#resample = resample
    this.#frame = new Int16Array((to * FRAME) / 1000)
  }

  /** `playing` is what the page plays at the same time, if known. */
  push(input: Float32Array, playing: Float32Array = noSamples): void {
    for (const sample of playing) this.#played.energy += sample * sample
    this.#played.count += playing.length
    for (const sample of this.#resample(input)) {
      this.#energy += sample * sample
      this.#frame[this.#filled++] = Math.max(-32768, Math.min(32767, Math.round(sample * 32768)))
      if (this.#filled === this.#frame.length) this.#full()
    }
  }

  #full(): void {
    const samples = this.#frame
    const { energy, count } = this.#played
    this.#gate.pass(samples, decibels(this.#energy / samples.length), decibels(energy / Math.max(1, count)))
    this.#levelEnergy += this.#energy
    this.#energy = 0
    this.#played.energy = 0
    this.#played.count = 0
    this.#frame = new Int16Array(samples.length)
    this.#filled = 0
    this.#emit({ type: 'frame', samples })
    if (++this.#frames < FRAMES_PER_LEVEL) return
    // Uses the length of the new frame: the old one may have been transferred.
    const level = Math.sqrt(this.#levelEnergy / (this.#frame.length * FRAMES_PER_LEVEL))
    this.#frames = 0
    this.#levelEnergy = 0
    this.#emit({ type: 'level', level: Math.min(1, level) })
  }
}

const noSamples = new Float32Array(0)
const SILENT = -100
const decibels = (energy: number): number => Math.max(SILENT, 10 * Math.log10(energy))

/** Frames during which played sound may return as echo: loudspeaker, room and microphone add delay. */
const REACH = 20
/** Level, in decibels, above which played sound is loud enough to cause an echo. */
const AUDIBLE = -50
/** Decibels by which a voice must exceed the expected echo and the room noise. */
const STANDS_OUT = 6
/** Frames to let pass after a voice was detected, so that its soft sounds are not cut out. */
const HOLD = 10
/** Frames per measurement of the echo, and how many measurements count. */
const MEASUREMENT = 15
const MEASUREMENTS = 4
/** Assumed level of the echo relative to the played sound, in decibels; and how fast the estimate may grow. */
const ASSUMED = -10
const GROWTH = 1
/** Frames among which the quietest are room noise, their range in decibels, and how many to keep. */
const MEMORY = 150
const ALIKE = 3
const ROOM = 8

/**
 * Keeps the page's own sound out of the microphone where the browser does not: otherwise an agent on a loudspeaker
 * interrupts and answers itself. The gate works by level. From what was played, and how loud the microphone was then,
 * it learns how loud the echo is. While an echo is possible, only frames that exceed it pass; other frames are replaced
 * by recent room noise. Where there is no echo, with headphones or an echo-cancelling browser, every voice exceeds the
 * estimate, so the gate has no effect.
 */
class EchoGate {
  /** Levels of the last frames, in decibels. */
  readonly #played = new Ring(REACH, SILENT)
  readonly #heard = new Ring(MEMORY, 0)
  /** Level of the microphone relative to the played sound, in the last measurements. */
  readonly #ratios = new Ring(MEASUREMENTS, ASSUMED)
  /** Room noise: the last of the quietest frames, and the index of the next one to use. */
  readonly #room: Int16Array[] = []
  #nextRoom = 0
  #echo = ASSUMED
  #measured = 0
  #loudest = SILENT
  #hold = 0
  /** Whether frames pass: 0 or 1. */
  #open = 1

  /** Passes or replaces one frame, in place. */
  pass(samples: Int16Array, heard: number, playing: number): void {
    this.#played.push(playing)
    this.#heard.push(heard)
    if (heard <= this.#heard.lowest + ALIKE) this.#room.push(samples.slice())
    if (this.#room.length > ROOM) this.#room.shift()
    const loudest = this.#played.highest
    const from = this.#open
    this.#open = loudest < AUDIBLE || this.#exceedsEcho(heard, loudest) ? 1 : 0
    if (from === 1 && this.#open === 1) return
    const room = this.#room[this.#nextRoom++ % this.#room.length]!
    // Cross-fades within the frame, so that nothing clicks.
    for (let i = 0; i < samples.length; i++) {
      const share = from + ((this.#open - from) * (i + 1)) / samples.length
      samples[i] = Math.round(samples[i]! * share + room[i]! * (1 - share))
    }
  }

  #exceedsEcho(heard: number, played: number): boolean {
    const expected = Math.max(played + this.#echo, this.#heard.lowest)
    this.#hold = heard > expected + STANDS_OUT ? HOLD : Math.max(0, this.#hold - 1)
    this.#learn(heard, played)
    return this.#hold > 0
  }

  /** A voice raises the estimate above the real echo, but slowly enough that the voice passes first. */
  #learn(heard: number, played: number): void {
    this.#loudest = Math.max(this.#loudest, heard)
    if (++this.#measured < MEASUREMENT) return
    this.#ratios.push(this.#loudest - played)
    this.#measured = 0
    this.#loudest = SILENT
    this.#echo = Math.min(this.#ratios.highest, this.#echo + GROWTH)
  }
}

/** The last values, up to a fixed number. */
class Ring {
  readonly #values: Float32Array
  #next = 0

  constructor(size: number, value: number) {
    this.#values = new Float32Array(size).fill(value)
  }

  get highest(): number {
    return this.#values.reduce((one, other) => Math.max(one, other))
  }

  get lowest(): number {
    return this.#values.reduce((one, other) => Math.min(one, other))
  }

  push(value: number): void {
    this.#values[this.#next] = value
    this.#next = (this.#next + 1) % this.#values.length
  }
}

/** Zero crossings of the filter on each side, and table entries between two of them. */
const CROSSINGS = 12
const FINENESS = 128

/** Changes the sample rate with a windowed sinc, which also removes frequencies that the lower rate cannot represent. */
class SincResampler {
  readonly #step: number
  readonly #reach: number
  readonly #scale: number
  readonly #table: Float32Array
  /** Input that later outputs still need, and the place of the next output in it. */
  #held: Float32Array
  #at: number

  constructor(from: number, to: number) {
    this.#step = from / to
    // A little below the Nyquist frequency, since a filter of this length is not that steep.
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

// Globals of the audio thread, which TypeScript's DOM library lacks.
declare const sampleRate: number
declare function registerProcessor(
  name: string,
  processor: new (options: { readonly processorOptions: CaptureOptions }) => Processor,
): void
declare class AudioWorkletProcessor {
  readonly port: {
    addEventListener(type: 'message', listener: (event: { readonly data: 'stop' }) => void): void
    start(): void
    postMessage(data: CaptureEvent, transfer?: ArrayBuffer[]): void
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
      this.#capture = new Capture(sampleRate, processorOptions.sampleRate, (event) =>
        this.port.postMessage(event, event.type === 'frame' ? [event.samples.buffer] : []),
      )
      this.port.addEventListener('message', () => (this.#stopped = true))
      this.port.start()
    }

    process(inputs: Float32Array[][]): boolean {
      const [microphone, playing] = inputs
      if (microphone?.[0]) this.#capture.push(microphone[0], playing?.[0])
      return !this.#stopped
    }
  }
  registerProcessor('endwell-capture', CaptureProcessor)
}

// Tests import this file without an audio thread.
if (typeof registerProcessor === 'function') register()
