import { silentLevel, type SampleRate } from '../../audio/index.ts'
import { LowCut } from './low-cut.ts'

/** What it works on at a time. */
const BLOCK = 10
/** The room is never taken for quieter than this: of digital silence any breath would stand out. */
const QUIETEST = -60
/** Blocks that the floor is the quietest of: speech has a gap in every three seconds, hum and noise have none. */
const ROOM = 300
/** Blocks that are averaged: a single one of noise is a few decibels off. */
const SMOOTH = 3
/** A stream whose first blocks differ by no more than so many decibels begins in a room that sounds so. */
const STEADY = { blocks: 20, within: 6 }

export interface SpeechDetectorOptions {
  /** How far speech stands out of the room, in decibels: 10 unless set. */
  readonly margin?: number
  /** Milliseconds of sound that make speech, out of half as many more: 80 unless set. Clicks are shorter. */
  readonly minSpeech?: number
  /** Milliseconds of quiet that end it: 300 unless set. Pauses between words are shorter. */
  readonly hangover?: number
}

export interface SpeechChange {
  readonly what: 'started' | 'stopped'
  /** Milliseconds since it was so, seen from the end of what was pushed last. */
  readonly ago: number
}

/**
 * Hears by loudness alone whether somebody speaks. Pure: samples in, changes out.
 *
 * The room is as loud as its quietest moment of the last three seconds; speech is what stands out of it, for longer than
 * a click. A hum that sets in is taken for speech at first, and for the room once it has lasted.
 */
export class SpeechDetector {
  readonly #margin: number
  readonly #minSpeech: number
  readonly #hangover: number
  readonly #size: number
  readonly #cut: LowCut
  /** Levels of the last blocks, the room's memory. */
  readonly #levels = new Float64Array(ROOM).fill(QUIETEST)
  #blocks = 0
  #energy = 0
  #filled = 0
  #speaking = false
  /** Whether each of the last blocks was loud, newest last. */
  #recent: boolean[] = []
  /** Blocks since the last loud one. */
  #quiet = 0

  constructor(sampleRate: SampleRate, options: SpeechDetectorOptions = {}) {
    const { margin = 10, minSpeech = 80, hangover = 300 } = options
    this.#margin = margin
    this.#minSpeech = Math.max(1, Math.round(minSpeech / BLOCK))
    this.#hangover = Math.max(1, Math.round(hangover / BLOCK))
    this.#size = (sampleRate * BLOCK) / 1000
    this.#cut = new LowCut(sampleRate)
  }

  get speaking(): boolean {
    return this.#speaking
  }

  /** What has changed by these samples, of any number. */
  push(samples: Int16Array): SpeechChange[] {
    const changes: SpeechChange[] = []
    for (let done = 0; done < samples.length;) {
      const next = Math.min(samples.length, done + this.#size - this.#filled)
      this.#energy = this.#cut.energy(samples, done, next, this.#energy)
      this.#filled += next - done
      done = next
      if (this.#filled < this.#size) break
      const level = 10 * Math.log10(this.#energy / this.#size)
      this.#energy = 0
      this.#filled = 0
      const change = this.#block(Math.max(silentLevel, level))
      const behind = ((samples.length - done) * BLOCK) / this.#size
      if (change) changes.push({ what: change.what, ago: change.ago + behind })
    }
    return changes
  }

  #block(level: number): SpeechChange | undefined {
    this.#levels[this.#blocks++ % ROOM] = level
    if (this.#blocks === STEADY.blocks) this.#beginIn()
    if (this.#blocks < STEADY.blocks) return undefined
    const over = this.#smooth() - this.#floor()
    // Whoever speaks already may be a little softer.
    const loud = over > (this.#speaking ? this.#margin - 3 : this.#margin)
    this.#quiet = loud ? 0 : this.#quiet + 1
    this.#recent.push(loud)
    return this.#speaking ? this.#stops() : this.#starts()
  }

  #starts(): SpeechChange | undefined {
    const window = Math.ceil(this.#minSpeech * 1.5)
    if (this.#recent.length > window) this.#recent.shift()
    if (this.#recent.filter(Boolean).length < this.#minSpeech) return undefined
    const ago = (this.#recent.length - this.#recent.indexOf(true)) * BLOCK
    this.#speaking = true
    this.#recent = []
    return { what: 'started', ago }
  }

  #stops(): SpeechChange | undefined {
    this.#recent = []
    if (this.#quiet < this.#hangover) return undefined
    this.#speaking = false
    return { what: 'stopped', ago: this.#quiet * BLOCK }
  }

  /** How loud the room is by itself. */
  #floor(): number {
    const levels = this.#levels
    let lowest = Infinity
    // By the index: this loop runs for every block of every call, and an iterator takes seven times as long.
    for (let index = 0; index < ROOM; index++) if (levels[index]! < lowest) lowest = levels[index]!
    return Math.max(QUIETEST, lowest)
  }

  #smooth(): number {
    const count = Math.min(SMOOTH, this.#blocks)
    let sum = 0
    for (let back = 1; back <= count; back++) sum += this.#levels[(this.#blocks - back) % ROOM]!
    return sum / count
  }

  /** What the stream began with, if it was steady: nobody speaks like that, so it is the room. */
  #beginIn(): void {
    const first = this.#levels.subarray(0, STEADY.blocks)
    const [low, high] = [Math.min(...first), Math.max(...first)]
    if (high - low < STEADY.within) this.#levels.fill(low, STEADY.blocks)
  }
}
