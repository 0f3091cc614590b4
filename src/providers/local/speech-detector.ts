import { silentLevel, type SampleRate } from '../../audio/index.ts'
import { RATE, filter, newHighPass, takeEnergy } from './high-pass.ts'

/** Audio is analysed in blocks of this many milliseconds. */
const BLOCK = 10
/** Analysed samples per block. */
const SIZE = (RATE * BLOCK) / 1000
/** Levels are whole numbers of hundredths of a decibel, which V8 keeps in the objects that have them. */
const DECIBEL = 100
/** The lowest noise floor, relative to full scale. Above digital silence, any breath would count as speech. */
const MIN_FLOOR = -60 * DECIBEL
/** Blocks per stretch. */
const STRETCH = 10
/** The noise floor is the quietest block of so many stretches. In three seconds speech has a gap, while hum and noise have none. */
const STRETCHES = 30
/** If the first blocks of a stream differ by less than this, the quietest is taken as the noise floor. */
const STEADY = { blocks: 2 * STRETCH, range: 6 * DECIBEL }

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
  /** Analyses one sample of so many, 8,000 per second: enough for a level. */
  readonly #step: number
  readonly #highPass = newHighPass()
  #filled = 0
  /** How many of the next samples come before the next one to analyse. */
  #skip = 0
  #blocks = 0
  /** The levels of the last two blocks. Single blocks of noise vary by a few decibels, so three are averaged. */
  #last = MIN_FLOOR
  #beforeLast = MIN_FLOOR
  /** The quietest block of each of the last stretches, as a ring buffer. */
  readonly #quietest = new Int16Array(STRETCHES).fill(MIN_FLOOR)
  /** The quietest block of the current stretch; the first one lasts until the floor is known. */
  #low = 0
  /** The loudest block so far. */
  #high = silentLevel * DECIBEL
  /** The quietest block of all of them. */
  #floor = MIN_FLOOR
  #speaking = false
  /** Which of the last blocks before speech were loud, as a ring buffer of ones and zeros, and how many were. */
  readonly #recent: Uint8Array
  #heard = 0
  #loud = 0
  /** Blocks since the last loud one. */
  #quiet = 0

  constructor(sampleRate: SampleRate, options: SpeechDetectorOptions = {}) {
    const { margin = 10, minSpeech = 80, hangover = 300 } = options
    this.#margin = margin * DECIBEL
    this.#minSpeech = Math.max(1, Math.round(minSpeech / BLOCK))
    this.#hangover = Math.max(1, Math.round(hangover / BLOCK))
    this.#step = sampleRate / RATE
    this.#recent = new Uint8Array(Math.ceil(this.#minSpeech * 1.5))
  }

  get speaking(): boolean {
    return this.#speaking
  }

  /** Analyses any number of samples and returns the changes. */
  push(samples: Int16Array): readonly SpeechChange[] {
    const step = this.#step
    let changes: SpeechChange[] | undefined
    let next = this.#skip
    while (next < samples.length) {
      const count = Math.ceil(Math.min((samples.length - next) / step, SIZE - this.#filled))
      const end = next + count * step
      filter(this.#highPass, samples, next, end, step)
      this.#filled += count
      next = end
      if (this.#filled < SIZE) break
      const level = Math.max(silentLevel, 10 * Math.log10(takeEnergy(this.#highPass) / SIZE))
      this.#filled = 0
      const change = this.#block(Math.round(level * DECIBEL))
      const behind = ((samples.length - next) * BLOCK) / (SIZE * step)
      if (change) (changes ??= []).push({ what: change.what, ago: change.ago + behind })
    }
    this.#skip = next - samples.length
    return changes ?? noChanges
  }

  #block(level: number): SpeechChange | undefined {
    const average = (level + this.#last + this.#beforeLast) / 3
    this.#beforeLast = this.#last
    this.#last = level
    this.#addLevel(level)
    if (this.#blocks < STEADY.blocks) return undefined
    const excess = average - Math.max(MIN_FLOOR, this.#floor)
    // Speech may continue a little more quietly than it starts.
    const loud = excess > (this.#speaking ? this.#margin - 3 * DECIBEL : this.#margin)
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

  #addLevel(level: number): void {
    this.#low = Math.min(level, this.#low)
    this.#high = Math.max(level, this.#high)
    this.#floor = Math.min(level, this.#floor)
    if (++this.#blocks === STEADY.blocks && this.#high - this.#low < STEADY.range)
      this.#quietest.fill(this.#low)
    if (this.#blocks % STRETCH === 0 && this.#blocks >= STEADY.blocks) this.#endStretch()
  }

  #endStretch(): void {
    this.#quietest[(this.#blocks / STRETCH) % STRETCHES] = this.#low
    this.#low = 0
    let floor = 0
    // By index, because an iterator takes seven times as long.
    for (let index = 0; index < STRETCHES; index++) floor = Math.min(floor, this.#quietest[index]!)
    this.#floor = floor
  }
}
