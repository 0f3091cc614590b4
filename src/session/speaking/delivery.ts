import {
  Resampler,
  durationOf,
  keyDuration,
  keySound,
  keysHeard,
  type AudioFrame,
  type PlayoutStretch,
} from '../../audio/index.ts'
import { PartMisbehavedError, isFrame, type SpokenChunk, type SpokenWord } from '../../parts/index.ts'
import { LimitError, iterate, type TaskContext, type TaskHandle } from '../../scope/index.ts'
import type { Agent } from '../answering/agent.ts'
import type { ActiveReply } from '../answering/replies.ts'
import type { Part, SessionContext } from '../context.ts'
import { NoSoundError, SpeechStalledError } from '../errors.ts'
import type { AttachedData, SpokenWords } from '../history/history.ts'
import { limits } from '../limits.ts'
import type { SpeechTiming } from '../turn-timing.ts'
import { HeardText } from './heard-text.ts'
import type { PlayoutOutcome, PressOutcome, Speech } from './speech.ts'
import { staged } from './stages.ts'

/** How far off a line's count of what was heard may be, in milliseconds, because of framing and resampling. */
const ROUNDING = 100

/** Makes the sound of words: a TTS, or a realtime model that is given words to say. */
export interface DeliveryVoice {
  /** Whether the voice reports its words to the delivery. Default: false, the delivery records the words it passes on. */
  readonly reportsWords?: boolean
  /** Called once, when the speech comes first in the queue. Stops when the signal aborts. */
  speak(text: AsyncIterable<string>, signal: AbortSignal, delivery: Delivery): AsyncIterable<SpokenChunk>
}

export interface DeliveryOptions {
  /** Who speaks. */
  readonly agent: Agent
  /** Words and the voice that speaks them, finished sound, or telephone keys. */
  readonly source:
    | {
        readonly words: AsyncIterable<string>
        readonly voice: DeliveryVoice
        /** The name of the TTS. Undefined if a realtime model speaks, which reports its own usage. */
        readonly tts: string | undefined
      }
    | { readonly sound: AsyncIterable<SpokenChunk> }
    /** Telephone keys, as tones or pressed by the line. */
    | { readonly keys: string }
  /**
   * The reply that the words belong to, if any. In the history, words of a reply come before the tools that the model
   * called next; other words come where they were heard.
   */
  readonly reply?: ActiveReply | undefined
  /** What the vendor attaches to the words, for its model only. */
  readonly attached?: AttachedData | undefined
  /** Checks the words as they are said. */
  readonly watch?: OutputWatch | undefined
}

/** Output guardrails, as a speech sees them. */
export interface OutputWatch {
  grew(piece: string, speech: Speech): void
  ended(speech: Speech): void
}

/** One speech on its way through the voice and the line: how much of it was made, sent and heard. */
export class Delivery {
  readonly speech: Speech
  readonly #context: SessionContext
  readonly #options: DeliveryOptions
  /** All of its words so far. */
  readonly #said: { text: string }
  #text: HeardText | undefined
  /** Whether all of its words have been made into sound. */
  #isComplete = false
  /** Whether the voice waits for the next words. */
  #awaitsWords = false
  /** The member of a fallback that speaks. */
  #member: string | undefined
  /** Everything made so far and the times of its words, kept so that the speech can be resumed after a pause. */
  readonly #frames: AudioFrame[] | undefined
  readonly #words: SpokenWord[] = []
  /** Its place in the history. */
  #place: SpokenWords | undefined
  /** Where in the speech `stretch` begins, in milliseconds. */
  #sentFrom = 0
  /** How much was heard before the last pause. More than `#sentFrom` if a word is repeated. */
  #heardBefore = 0
  /** How much had been heard when the speech was interrupted. */
  #cutAt = 0
  /** What was sent since the last pause. Undefined until something was sent. */
  stretch: PlayoutStretch | undefined
  /** The task that makes the sound. */
  task: TaskHandle<unknown> | undefined
  /** The line's mark after its last sound. */
  mark: number | undefined
  /** When the last of its sound was made. */
  madeAt: number
  failure: { readonly error: unknown } | undefined
  /** Set while the caller waits for an answer, which this speech may be. Unset once its latency is known. */
  timing: SpeechTiming | undefined

  constructor(context: SessionContext, speech: Speech, said: { text: string }, options: DeliveryOptions) {
    const { turns } = context.settings
    this.speech = speech
    this.madeAt = context.now
    this.#context = context
    this.#said = said
    this.#options = options
    this.#frames = turns.falseInterruption ? [] : undefined
    speech.heardSoFar = this.noteHeard.bind(this)
    if (options.reply) this.takePlace()
  }

  /** Reserves a place in the history: for a reply at once, for other speech at its first sound. */
  takePlace(): void {
    const { history, settings } = this.#context
    const { agent, attached } = this.#options
    const at = settings.clock.date()
    if (this.keys === undefined) this.#place ??= history.speak({ at, agent: agent.name, attached })
    else this.#place ??= history.press({ at, agent: agent.name })
  }

  /** The telephone keys to press, if it is not a speech. */
  get keys(): string | undefined {
    const { source } = this.#options
    return 'keys' in source ? source.keys : undefined
  }

  /** The line has pressed all of the keys. */
  pressedByLine(): void {
    this.takePlace()
    this.#isComplete = true
  }

  // ── words and sound ──

  /** Adds words. */
  said(piece: string): void {
    const { speechText } = limits
    if (this.#said.text.length + piece.length > speechText)
      throw new LimitError('speechText', speechText, 'a speech has too many characters')
    this.#said.text += piece
    this.#context.movedAt = this.#context.now
    this.#options.watch?.grew(piece, this.speech)
    this.#emit(piece, false)
  }

  /** A model that speaks for itself has no more words. Words that a voice reads end when it has read them. */
  wordsEnded(): void {
    const { source } = this.#options
    if ('words' in source && !source.voice.reportsWords) return
    this.#options.watch?.ended(this.speech)
    this.#emit('', true)
  }

  #emit(text: string, last: boolean): void {
    const by = this.#options.reply ? 'reply' : 'say'
    this.#context.events.emit('words', { speech: this.speech, text, by, last })
  }

  /** Makes the sound, at the line's sample rate. */
  async *sound(task: TaskContext): AsyncGenerator<AudioFrame, void, undefined> {
    const { source, agent } = this.#options
    const { sampleRate } = this.#context.settings.line.speaks
    const { text: textStage, sound: soundStage } = agent.stages
    if ('keys' in source) {
      yield* keySound(source.keys, sampleRate)
      return
    }
    let made: AsyncIterable<SpokenChunk>
    if ('sound' in source) made = source.sound
    else {
      const text = textStage ? textStage(source.words) : source.words
      made = source.voice.speak(source.voice.reportsWords ? text : this.#read(text), task.signal, this)
    }
    let resampler: Resampler | undefined
    try {
      const sound = soundStage ? staged(made, soundStage) : made
      for await (const { frame, words, by } of iterate(sound, task, { name: 'sound of the voice' })) {
        if (!isFrame(frame)) throw new PartMisbehavedError('tts', 'speak', frame, 'frame')
        const ms = durationOf(frame)
        if (typeof by === 'string') this.#member = by
        this.#text ??= new HeardText()
        this.#text.addSound(ms, this.speech.text, words)
        if (this.#text.made > limits.speechSound)
          throw new LimitError('speechSound', limits.speechSound, 'a speech has too much sound')
        if (this.#frames && words) this.#words.push(...words)
        if (frame.sampleRate !== sampleRate)
          resampler ??= new Resampler({ from: frame.sampleRate, to: sampleRate })
        const heard = resampler ? { samples: resampler.push(frame.samples), sampleRate } : frame
        this.#frames?.push(heard)
        yield heard
      }
      this.#isComplete = true
      if (!this.#text?.made && /[\p{L}\p{N}]/u.test(this.speech.text))
        throw new NoSoundError(this.speech.text)
      if (!resampler) return
      const rest = { samples: resampler.flush(), sampleRate }
      this.#frames?.push(rest)
      yield rest
    } finally {
      // Whatever became of the speech: the vendor charges for it (PT4).
      if ('words' in source && source.tts !== undefined && this.#said.text !== '') {
        const { models } = this.#context.book
        const by = this.#member ?? source.tts
        const name = models.has(by) || models.size < limits.models ? by : 'other'
        const { characters = 0, spokenSeconds = 0, ...rest } = models.get(name) ?? {}
        models.set(name, {
          ...rest,
          characters: characters + this.#said.text.length,
          spokenSeconds: spokenSeconds + (this.#text?.made ?? 0) / 1000,
        })
        if (this.#context.settings.budget?.cost !== undefined) this.#context.spent()
      }
    }
  }

  /** Records the words while it passes them to the voice. */
  async *#read(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
    this.#awaitsWords = true
    for await (const piece of text) {
      this.said(piece)
      this.#awaitsWords = false
      yield piece
      this.#awaitsWords = true
    }
    this.#awaitsWords = false
    this.#options.watch?.ended(this.speech)
    this.#emit('', true)
  }

  // ── what is heard ──

  /** How many milliseconds of it were heard. */
  get heard(): number {
    return Math.max(this.#heardBefore, this.#sentFrom + (this.stretch?.heard(this.#context.now).ms ?? 0))
  }

  get heardText(): string {
    const { heard, keys } = this
    if (keys !== undefined) return this.#isComplete ? keys : keysHeard(keys, heard)
    if (this.#isComplete) this.#text?.end(this.speech.text)
    return this.#text?.upTo(heard) ?? ''
  }

  /** Writes into the history what was heard so far, and returns it. */
  noteHeard(): string {
    const { heardText } = this
    this.#place?.heard(heardText)
    return heardText
  }

  /** The speech is interrupted. The caller may hear it for a while longer. */
  cut(): void {
    this.#cutAt = this.heard
  }

  /** Resumes after a pause with the first word that was not completely heard. Returns the frames to send again. */
  resume(stretch: PlayoutStretch): readonly AudioFrame[] {
    this.#heardBefore = this.heard
    const first = firstFrameAt(this.#frames ?? [], wordAt(this.#words, this.#heardBefore))
    this.#sentFrom = first.at
    this.stretch = stretch
    this.mark = undefined
    return this.#frames?.slice(first.index) ?? []
  }

  /** The speech has ended: settles it, and records what was heard in the history. */
  end(how: PlayoutOutcome['how'], confirmed: boolean): void {
    const { recorder, events } = this.#context
    const { heardText: heard } = this
    const overrun = this.heard - this.#cutAt
    if (this.speech.interrupted && this.stretch && overrun > 0) recorder?.heardAfterClear(overrun)
    const isCut = how === 'played' && confirmed && this.#wasCut
    const error = how === 'failed' ? { error: this.failure?.error } : {}
    const outcome: PlayoutOutcome = { how: isCut ? 'interrupted' : how, confirmed, heard, ...error }
    this.#place?.heard(heard)
    this.#place?.end({ interrupted: outcome.how === 'interrupted' })
    this.speech.settle(outcome)
    // A speech that we gave up on is not progress.
    if (how !== 'failed') this.#context.movedAt = this.#context.now
    if (this.keys === undefined) events.emit('spoken', { speech: this.speech, outcome })
    else events.emit('pressed', { outcome: pressOutcome(outcome) })
    if (how === 'failed') this.#reportFailure()
    else if (this.#text?.made && this.#context.lastFailure) this.#context.partWorked(this.#voice)
  }

  get #voice(): Part {
    return this.#context.settings.models.tts ? 'tts' : 'realtime voice'
  }

  /** Reports that the voice has failed. If its words failed to come, that is not the voice's fault. */
  #reportFailure(): void {
    const { source, reply } = this.#options
    const error = this.failure?.error
    const isSilent = error instanceof NoSoundError
    const hasNoWords = error instanceof SpeechStalledError && this.speech.text.trim() === ''
    const isVoice = isSilent || ('words' in source && !this.#awaitsWords && !hasNoWords)
    if (isVoice) this.#context.partFailed(this.#voice, error)
    // The reply reports its own failure.
    else if (!reply) this.#context.failed(this.keys === undefined ? 'speech' : 'press', error)
  }

  /** Whether the line knows that less was heard than was made: the caller left without interrupting. */
  get #wasCut(): boolean {
    const heard = this.stretch?.heard(this.#context.now)
    const made = this.keys === undefined ? this.#text?.made : keyDuration(this.keys)
    if (!heard?.known || this.failure || made === undefined) return false
    return this.#sentFrom + heard.ms < made - ROUNDING
  }
}

export function pressOutcome({ heard: keys, ...outcome }: PlayoutOutcome): PressOutcome {
  return { ...outcome, keys }
}

/** Where to resume a sound that was heard up to `ms`: at the start of the word that was cut. */
function wordAt(words: readonly SpokenWord[], ms: number): number {
  return words.find(({ start, end }) => start < ms && ms < end)?.start ?? ms
}

/** The frame that plays at `ms`, and when it begins. */
function firstFrameAt(frames: readonly AudioFrame[], ms: number): { index: number; at: number } {
  let at = 0
  for (const [index, frame] of frames.entries()) {
    const end = at + durationOf(frame)
    if (end > ms) return { index, at }
    at = end
  }
  return { index: frames.length, at }
}
