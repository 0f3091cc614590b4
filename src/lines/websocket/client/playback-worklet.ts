/**
 * Plays sound in the browser's audio thread. It is a module of its own and imports nothing, so that every server and
 * bundler can serve it as it is.
 */

/** From the page to the audio thread. */
export type PlaybackCommand =
  | { readonly type: 'sound'; readonly position: number; readonly samples: Int16Array }
  | { readonly type: 'mark'; readonly id: number; readonly at: number }
  | { readonly type: 'clear'; readonly at: number }
  | { readonly type: 'stop' }

/** From the audio thread to the page. */
export type PlaybackEvent =
  | { readonly type: 'marked'; readonly id: number; readonly heard: number }
  | { readonly type: 'played'; readonly at: number }
  | { readonly type: 'speaking'; readonly on: boolean }

interface Piece {
  readonly position: number
  readonly samples: Int16Array
}

/** Milliseconds to buffer before playback starts, so that jitter of the network is not heard. */
const SHORTEST_WAIT = 60
/** The buffer grows to this when sound runs out in the middle, and shrinks again when it does not. */
const LONGEST_WAIT = 240
const WAIT_STEP = 60
/** Progress reports per second. */
const REPORTS = 5
/** Returned marks to remember: the line asks again for a mark whose answer was lost in a cut. */
const MOST_RETURNED = 1_000

/** Plays sound by positions (see protocol.ts) and counts what it really renders. */
export class Playout {
  readonly #rate: number
  readonly #emit: (event: PlaybackEvent) => void
  #pieces: Piece[] = []
  #marks: { readonly id: number; readonly at: number }[] = []
  readonly #returned = new Map<number, number>()
  /** The position of the next sample to render, and the end of what has arrived. */
  #at = 0
  #end = 0
  /** Samples rendered since the last mark. */
  #heard = 0
  #state: 'dry' | 'filling' | 'playing' = 'dry'
  #wait = SHORTEST_WAIT
  #waited = 0
  #reportedAt = 0
  #returnedAt = -1

  constructor(rate: number, emit: (event: PlaybackEvent) => void) {
    this.#rate = rate
    this.#emit = emit
  }

  sound(position: number, samples: Int16Array): void {
    // Skips what has arrived already, or was cleared before it arrived.
    const late = Math.max(0, this.#end - position)
    if (late >= samples.length) return
    this.#pieces.push({ position: position + late, samples: late > 0 ? samples.subarray(late) : samples })
    this.#end = position + samples.length
    if (this.#state !== 'dry') return
    this.#state = 'filling'
    this.#waited = 0
  }

  mark(id: number, at: number): void {
    const returned = this.#returned.get(id)
    if (returned !== undefined) return this.#emit({ type: 'marked', id, heard: returned })
    if (this.#marks.some((mark) => mark.id === id)) return
    this.#marks.push({ id, at })
    this.#returnMarks()
  }

  /** Throws away sound before `at`. Silent from the next quantum on. */
  clear(at: number): void {
    if (at <= this.#at) return
    this.#pieces = this.#pieces.flatMap(({ position, samples }) => {
      if (position >= at) return [{ position, samples }]
      const left = samples.subarray(at - position)
      return left.length > 0 ? [{ position: at, samples: left }] : []
    })
    this.#at = at
    this.#end = Math.max(this.#end, at)
    this.#returnMarks()
    if (this.#pieces.length === 0) this.#runDry(true)
  }

  /** Fills one quantum. */
  render(output: Float32Array): void {
    output.fill(0)
    if (this.#state === 'filling') this.#fill(output.length)
    if (this.#state !== 'playing') return
    let filled = 0
    while (filled < output.length && this.#pieces.length > 0) filled += this.#renderPiece(output, filled)
    if (this.#pieces.length === 0) this.#runDry(this.#returnedHere)
    else if (this.#at - this.#reportedAt >= this.#rate / REPORTS) this.#reportPosition()
  }

  #fill(quantum: number): void {
    const needed = (this.#wait * this.#rate) / 1000
    this.#waited += quantum
    // Starts even if no more arrives: the sound may be that short.
    if (this.#end - this.#at < needed && this.#waited < needed) return
    this.#state = 'playing'
    this.#emit({ type: 'speaking', on: true })
  }

  /** Renders from the first piece, up to its end, the end of the quantum or a mark. Returns the number of samples. */
  #renderPiece(output: Float32Array, from: number): number {
    const { position, samples } = this.#pieces[0]!
    // The line left this stretch out.
    if (this.#at < position) {
      this.#at = position
      this.#returnMarks()
    }
    const begin = this.#at - position
    const untilMark = (this.#marks[0]?.at ?? Infinity) - this.#at
    const count = Math.min(output.length - from, samples.length - begin, untilMark > 0 ? untilMark : Infinity)
    for (let i = 0; i < count; i++) output[from + i] = samples[begin + i]! / 32768
    this.#at += count
    this.#heard += count
    if (begin + count === samples.length) this.#pieces.shift()
    this.#returnMarks()
    return count
  }

  #returnMarks(): void {
    for (let mark = this.#marks[0]; mark && mark.at <= this.#at; mark = this.#marks[0]) {
      this.#marks.shift()
      const heard = (this.#heard * 1000) / this.#rate
      this.#heard = 0
      this.#returned.set(mark.id, heard)
      if (this.#returned.size > MOST_RETURNED) this.#returned.delete(this.#returned.keys().next().value!)
      this.#returnedAt = mark.at
      this.#emit({ type: 'marked', id: mark.id, heard })
    }
  }

  /** Whether a mark stands at this position: then a speech ends here, and this is not a gap. */
  get #returnedHere(): boolean {
    return this.#returnedAt === this.#at
  }

  #runDry(meant: boolean): void {
    const wasPlaying = this.#state === 'playing'
    this.#state = 'dry'
    if (!wasPlaying) return
    this.#wait = meant
      ? Math.max(SHORTEST_WAIT, this.#wait - WAIT_STEP / 4)
      : Math.min(LONGEST_WAIT, this.#wait + WAIT_STEP)
    this.#reportPosition()
    this.#emit({ type: 'speaking', on: false })
  }

  #reportPosition(): void {
    this.#reportedAt = this.#at
    this.#emit({ type: 'played', at: this.#at })
  }
}

// Globals of the audio thread, which TypeScript's DOM library lacks.
declare const sampleRate: number
declare function registerProcessor(name: string, processor: new () => Processor): void
declare class AudioWorkletProcessor {
  readonly port: {
    addEventListener(type: 'message', listener: (event: { readonly data: PlaybackCommand }) => void): void
    start(): void
    postMessage(data: PlaybackEvent, transfer: []): void
  }
}
interface Processor {
  process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean
}

function register(): void {
  class PlaybackProcessor extends AudioWorkletProcessor implements Processor {
    readonly #playout = new Playout(sampleRate, (event) => this.port.postMessage(event, []))
    #stopped = false

    constructor() {
      super()
      this.port.addEventListener('message', ({ data }) => this.#run(data))
      this.port.start()
    }

    process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
      const [first, ...others] = outputs[0]!
      this.#playout.render(first!)
      for (const other of others) other.set(first!)
      return !this.#stopped
    }

    #run(command: PlaybackCommand): void {
      switch (command.type) {
        case 'sound':
          return this.#playout.sound(command.position, command.samples)
        case 'mark':
          return this.#playout.mark(command.id, command.at)
        case 'clear':
          return this.#playout.clear(command.at)
        case 'stop':
          this.#stopped = true
      }
    }
  }
  registerProcessor('endwell-playback', PlaybackProcessor)
}

// Tests import this file without an audio thread.
if (typeof registerProcessor === 'function') register()
