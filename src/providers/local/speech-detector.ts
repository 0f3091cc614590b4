import { silentLevel, type SampleRate } from '../../audio/index.ts'
import { HighPass } from './high-pass.ts'

/** Audio is analysed in blocks of this many milliseconds. */
const BLOCK = 10
/** The lowest noise floor, in dBFS. Above digital silence, any breath would count as speech. */
const MIN_FLOOR = -60
/** The noise floor is the quietest of this many blocks. In three seconds speech has a gap, while hum and noise have none. */
const FLOOR_BLOCKS = 300
/** Levels are averaged over this many blocks, because single blocks of noise vary by a few decibels. */
const SMOOTH_BLOCKS = 3
/** If the first blocks of a stream differ by less than this many decibels, they are taken as the noise floor. */
const STEADY = { blocks: 20, range: 6 }

export interface SpeechDetectorOptions {
  /** How far speech is above the noise floor, in decibels. Default: 10. */
  readonly margin?: number
  /** Milliseconds of loud audio, within 1.5 times as long, that count as speech. Clicks are shorter. Default: 80. */
  readonly minSpeech?: number
  /** Milliseconds of quiet that end speech. Pauses between words are shorter. Default: 300. */
  readonly hangover?: number
}

export interface SpeechChange {
  readonly what: 'started' | 'stopped'
  /** Milliseconds between the change and the end of the samples pushed last. */
  readonly ago: number
}

/** The same for every frame without a change, which is nearly every frame of every call. */
const noChanges: readonly SpeechChange[] = []

/**
 * Detects speech by its level alone. Pure: samples in, changes out.
 *
 * The noise floor is the quietest moment of the last three seconds. Speech is louder than that by `margin`, for longer
 * than a click. A hum that starts counts as speech at first, and as the noise floor once it has lasted.
 */
export class SpeechDetector {
  readonly #margin: number
  readonly #minSpeech: number
  readonly #hangover: number
  readonly #size: number
  readonly #highPass: HighPass
  /** Levels of the last blocks, as a ring buffer. */
  readonly #levels = new Float64Array(FLOOR_BLOCKS).fill(MIN_FLOOR)
  /** The lowest of the levels. */
  #lowest = MIN_FLOOR
  #blocks = 0
  #energy = 0
  #filled = 0
  #speaking = false
  /** Which of the last blocks before speech were loud, as a ring buffer of ones and zeros, and how many were. */
  readonly #recent: Uint8Array
  #heard = 0
  #loud = 0
  /** Blocks since the last loud one. */
  #quiet = 0

  constructor(sampleRate: SampleRate, options: SpeechDetectorOptions = {}) {
    const { margin = 10, minSpeech = 80, hangover = 300 } = options
    this.#margin = margin
    this.#minSpeech = Math.max(1, Math.round(minSpeech / BLOCK))
    this.#hangover = Math.max(1, Math.round(hangover / BLOCK))
    this.#size = (sampleRate * BLOCK) / 1000
    this.#highPass = new HighPass(sampleRate)
    this.#recent = new Uint8Array(Math.ceil(this.#minSpeech * 1.5))
  }

  get speaking(): boolean {
    return this.#speaking
  }

  /** Analyses any number of samples and returns the changes. */
  push(samples: Int16Array): readonly SpeechChange[] {
    let changes: SpeechChange[] | undefined
    for (let done = 0; done < samples.length;) {
      const next = Math.min(samples.length, done + this.#size - this.#filled)
      this.#energy += this.#highPass.energy(samples, done, next)
      this.#filled += next - done
      done = next
      if (this.#filled < this.#size) break
      const level = 10 * Math.log10(this.#energy / this.#size)
      this.#energy = 0
      this.#filled = 0
      const change = this.#block(Math.max(silentLevel, level))
      const behind = ((samples.length - done) * BLOCK) / this.#size
      if (change) (changes ??= []).push({ what: change.what, ago: change.ago + behind })
    }
    return changes ?? noChanges
  }

  #block(level: number): SpeechChange | undefined {
    this.#addLevel(level)
    if (this.#blocks === STEADY.blocks) this.#setInitialFloor()
    if (this.#blocks < STEADY.blocks) return undefined
    const excess = this.#smoothed() - Math.max(MIN_FLOOR, this.#lowest)
    // Speech may continue a little more quietly than it starts.
    const loud = excess > (this.#speaking ? this.#margin - 3 : this.#margin)
    this.#quiet = loud ? 0 : this.#quiet + 1
    return this.#speaking ? this.#stops() : this.#starts(loud)
  }

  #starts(loud: boolean): SpeechChange | undefined {
    const recent = this.#recent
    const place = this.#heard++ % recent.length
    this.#loud += Number(loud) - recent[place]!
    recent[place] = Number(loud)
    if (this.#loud < this.#minSpeech) return undefined
    // Blocks since the first loud one.
    let since = recent.length
    while (recent[(place + recent.length + 1 - since) % recent.length] === 0) since--
    this.#speaking = true
    recent.fill(0)
    this.#loud = 0
    return { what: 'started', ago: since * BLOCK }
  }

  #stops(): SpeechChange | undefined {
    if (this.#quiet < this.#hangover) return undefined
    this.#speaking = false
    return { what: 'stopped', ago: this.#quiet * BLOCK }
  }

  /** Replaces the oldest level. Looks for the lowest only if that was the oldest, because this runs for every block. */
  #addLevel(level: number): void {
    const index = this.#blocks++ % FLOOR_BLOCKS
    const oldest = this.#levels[index]!
    this.#levels[index] = level
    if (level <= this.#lowest) this.#lowest = level
    else if (oldest === this.#lowest) this.#findLowest()
  }

  #findLowest(): void {
    const levels = this.#levels
    let lowest = Infinity
    // By index, because an iterator takes seven times as long.
    for (let index = 0; index < FLOOR_BLOCKS; index++) if (levels[index]! < lowest) lowest = levels[index]!
    this.#lowest = lowest
  }

  #smoothed(): number {
    const count = Math.min(SMOOTH_BLOCKS, this.#blocks)
    let sum = 0
    for (let back = 1; back <= count; back++) sum += this.#levels[(this.#blocks - back) % FLOOR_BLOCKS]!
    return sum / count
  }

  /** Takes the start of the stream as the noise floor if it was too steady for speech. */
  #setInitialFloor(): void {
    const first = this.#levels.subarray(0, STEADY.blocks)
    const [low, high] = [Math.min(...first), Math.max(...first)]
    if (high - low < STEADY.range) this.#levels.fill(low, STEADY.blocks)
    this.#findLowest()
  }
}
