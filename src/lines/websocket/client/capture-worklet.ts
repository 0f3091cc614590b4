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
  readonly #gate = new EchoGate()
  #frame: Int16Array<ArrayBuffer>
  #filled = 0
  /** Of the frame that is filled, of what the page plays meanwhile, and of all frames since the last level. */
  #energy = 0
  readonly #played = { energy: 0, count: 0 }
  #levelEnergy = 0
  #frames = 0

  constructor(from: number, to: number, tell: (news: CaptureNews) => void) {
    this.#tell = tell
    const resampler = from === to ? undefined : new SincResampler(from, to)
    this.#resample = (samples) => resampler?.push(samples) ?? samples
    this.#frame = new Int16Array((to * FRAME) / 1000)
  }

  /** `playing` is what the page itself plays at the same time, if that is known. */
  push(input: Float32Array, playing: Float32Array = nothing): void {
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
    this.#tell({ type: 'frame', samples })
    if (++this.#frames < FRAMES_A_LEVEL) return
    // Of the new frame: the old one may have been given away.
    const level = Math.sqrt(this.#levelEnergy / (this.#frame.length * FRAMES_A_LEVEL))
    this.#frames = 0
    this.#levelEnergy = 0
    this.#tell({ type: 'level', level: Math.min(1, level) })
  }
}

const nothing = new Float32Array(0)
const SILENT = -100
const decibels = (energy: number): number => Math.max(SILENT, 10 * Math.log10(energy))

/** Frames for which what was played may come back: the way through loudspeaker, room and microphone takes its time. */
const REACH = 20
/** Decibels above which what the page plays is loud enough to come back. */
const AUDIBLE = -50
/** By how many decibels a voice must stand out of the echo that is expected, and of the room. */
const STANDS_OUT = 6
/** Frames that pass after a voice was heard, so that its soft sounds are not cut out. */
const HOLD = 10
/** Frames after which it is looked how loud the echo was, and how many such looks count. */
const LOOK = 15
const LOOKS = 4
/** How much softer than what was played the echo is, in decibels, before anybody knows; and how fast it may grow. */
const ASSUMED = -10
const GROWTH = 1
/** Frames out of which the quietest are the room, by how many decibels those may differ, and how many are kept. */
const MEMORY = 150
const ALIKE = 3
const ROOM = 8

/**
 * Keeps what the page plays out of what it hears, where the browser does not: else an agent on a loudspeaker interrupts
 * itself, and answers itself. It goes by loudness. From what was played, and how loud the microphone was then, it learns
 * how loud the echo is. While that may be heard, only what stands out of it passes; in place of the rest the room is
 * heard, as it sounds when nobody speaks. So it costs nothing where there is no echo: with headphones, or a browser that
 * cancels it, every voice stands out.
 */
class EchoGate {
  /** Levels, in decibels, of the last frames. */
  readonly #played = new Ring(REACH, SILENT)
  readonly #heard = new Ring(MEMORY, 0)
  /** How much louder than what was played the microphone was, at the last looks. */
  readonly #ratios = new Ring(LOOKS, ASSUMED)
  /** What the room sounds like: the last frames that were as quiet as any, and the one that is heard next. */
  readonly #room: Int16Array[] = []
  #turn = 0
  #echo = ASSUMED
  #looked = 0
  #loudest = SILENT
  #hold = 0
  /** How much of what is heard passes: 0 or 1. */
  #open = 1

  /** One frame, changed where it is. */
  pass(samples: Int16Array, heard: number, playing: number): void {
    this.#played.push(playing)
    this.#heard.push(heard)
    if (heard <= this.#heard.lowest + ALIKE) this.#room.push(samples.slice())
    if (this.#room.length > ROOM) this.#room.shift()
    const loudest = this.#played.highest
    const from = this.#open
    this.#open = loudest < AUDIBLE || this.#standsOut(heard, loudest) ? 1 : 0
    if (from === 1 && this.#open === 1) return
    const room = this.#room[this.#turn++ % this.#room.length]!
    // From one to the other within the frame, so that nothing clicks.
    for (let i = 0; i < samples.length; i++) {
      const share = from + ((this.#open - from) * (i + 1)) / samples.length
      samples[i] = Math.round(samples[i]! * share + room[i]! * (1 - share))
    }
  }

  #standsOut(heard: number, played: number): boolean {
    const expected = Math.max(played + this.#echo, this.#heard.lowest)
    this.#hold = heard > expected + STANDS_OUT ? HOLD : Math.max(0, this.#hold - 1)
    this.#learn(heard, played)
    return this.#hold > 0
  }

  /** A voice makes it believe in more echo than there is: slowly enough that the voice is heard before. */
  #learn(heard: number, played: number): void {
    this.#loudest = Math.max(this.#loudest, heard)
    if (++this.#looked < LOOK) return
    this.#ratios.push(this.#loudest - played)
    this.#looked = 0
    this.#loudest = SILENT
    this.#echo = Math.min(this.#ratios.highest, this.#echo + GROWTH)
  }
}

/** The last values, as many as there is room for. */
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
      const [microphone, playing] = inputs
      if (microphone?.[0]) this.#capture.push(microphone[0], playing?.[0])
      return !this.#stopped
    }
  }
  registerProcessor('endwell-capture', CaptureProcessor)
}

// Tests import this file where there is no audio thread.
if (typeof registerProcessor === 'function') register()
