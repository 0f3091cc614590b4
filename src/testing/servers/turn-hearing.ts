import { Framer, rms, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import { SoundReader } from '../sound-text.ts'

/** Times are in milliseconds from the start of the audio. */
export interface HeardWord {
  readonly text: string
  readonly start: number
  readonly end: number
}

export interface HeardTurn {
  /** The number of the turn, from 0. */
  readonly index: number
  readonly text: string
  readonly words: readonly HeardWord[]
  readonly start: number
  readonly end: number
}

export interface TurnHearingOptions {
  readonly sampleRate: SampleRate
  /** Milliseconds of silence after which a turn may have ended. Default: never. */
  readonly eager?: number | undefined
  /** Milliseconds of silence after which a turn has ended. */
  readonly end: number
  /** The text that the next speech is recognised as; empty if none is scripted. */
  readonly heard: () => string
  readonly events: TurnHearingEvents
}

export interface TurnHearingEvents {
  started(turn: HeardTurn): void
  updated(turn: HeardTurn): void
  maybeEnded(turn: HeardTurn): void
  resumed(turn: HeardTurn): void
  ended(turn: HeardTurn): void
}

const BLOCK = 10
/** Quieter blocks count as silence, 0 to 1 of full scale. */
const SILENCE = 0.003

/** Divides audio into the caller's turns. Time is that of the audio: a client that sends nothing ends no turn. */
export class TurnHearing {
  readonly #options: TurnHearingOptions
  readonly #framer: Framer
  #reader = new SoundReader()
  #blocks = 0
  #index = 0
  #speaking = false
  #maybe = false
  #quiet = 0
  #text = ''
  #words: HeardWord[] = []
  #start = 0

  constructor(options: TurnHearingOptions) {
    this.#options = options
    this.#framer = new Framer({ sampleRate: options.sampleRate, duration: BLOCK })
  }

  /** Milliseconds of audio so far. */
  get time(): number {
    return this.#blocks * BLOCK + this.#framer.remainder
  }

  get speaking(): boolean {
    return this.#speaking
  }

  hear(samples: Int16Array): void {
    const before = this.#text
    for (const frame of this.#framer.push(samples)) this.#block(frame)
    if (this.#speaking && this.#text !== before) this.#options.events.updated(this.#turn)
  }

  /** Ends the turn now, if there is one. */
  force(): void {
    if (this.#speaking) this.#end()
  }

  get #turn(): HeardTurn {
    const { time } = this
    const text = this.#text.trim()
    return { index: this.#index, text, words: this.#words, start: this.#start, end: time }
  }

  #block({ samples }: AudioFrame): void {
    const { events, eager = Infinity, end } = this.#options
    this.#blocks++
    const loud = rms(samples) >= SILENCE
    this.#quiet = loud ? 0 : this.#quiet + BLOCK
    if (loud) this.#loud(events)
    const text = this.#reader.push(samples) || (loud ? this.#options.heard() : '')
    if (text !== '') this.#add(text)
    if (!this.#speaking || loud) return
    if (this.#quiet >= end) return this.#end()
    if (this.#maybe || this.#quiet < eager || this.#text.trim() === '') return
    this.#maybe = true
    events.maybeEnded(this.#turn)
  }

  #loud(events: TurnHearingEvents): void {
    if (!this.#speaking) {
      this.#speaking = true
      this.#start = this.time - BLOCK
      events.started(this.#turn)
    } else if (this.#maybe) {
      this.#maybe = false
      events.resumed(this.#turn)
    }
  }

  #add(text: string): void {
    this.#text += text
    const times = { start: this.time - BLOCK, end: this.time }
    this.#words = [...this.#text.matchAll(/\S+/g)].map(([word], index) => ({
      ...times,
      ...this.#words[index],
      text: word,
    }))
  }

  #end(): void {
    const turn = this.#turn
    this.#reader = new SoundReader()
    this.#speaking = false
    this.#maybe = false
    this.#text = ''
    this.#words = []
    this.#index++
    this.#options.events.ended(turn)
  }
}
