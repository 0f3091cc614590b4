import { PlayoutClock, Resampler, durationOf, type AudioFrame, type PlayoutStretch } from '../audio/index.ts'
import { iterate, type LineConnection, type SpokenChunk, type SpokenWord } from '../parts/index.ts'
import type { Scope, TaskContext, TaskHandle, Timer } from '../scope/index.ts'
import { SpeechStalledError } from './errors.ts'
import { HeardText } from './heard-text.ts'
import { Speech, type PlayoutOutcome, type SpeechOptions } from './speech.ts'

/** Where the sound of a speech comes from. */
export interface SpeechSource {
  /** Called once, when it is this speech's turn. What it makes stops when the signal aborts. */
  sound(speech: Speech, signal: AbortSignal): AsyncIterable<SpokenChunk>
}

export interface SpeakerOptions {
  readonly scope: Scope<string>
  readonly line: LineConnection
  readonly sampleRate: AudioFrame['sampleRate']
  /** How long a line may fail to confirm that a sound has stopped (SP3). */
  readonly playoutTimeout: number
  /** How long a speech may stand still: no sound on the line, and none made. It is given up then, and fails. */
  readonly stallTimeout: number
  /** Whether a speech may be paused. If not, its sound is kept no longer than it takes to send it. */
  readonly pauses: boolean
  /** The first sound of a speech is on its way to the caller. */
  readonly started: (speech: Speech) => void
  /** A speech was interrupted that has been heard so far, as far as is known by now: its sound may go on. */
  readonly interrupted: (speech: Speech, heard: string, ms: number) => void
  /** A speech has ended, in whatever way; `heard` is final. */
  readonly ended: (speech: Speech, outcome: PlayoutOutcome) => void
  /** A frame is expected to be heard at a moment. */
  readonly played: (frame: AudioFrame, at: number) => void
  /** The line tells that the sound has gone on for so many milliseconds after it was cleared. */
  readonly wentOn: (ms: number) => void
}

/** How far a line's count of what was heard may be off, in milliseconds: frames, resampling. */
const ROUNDING = 100

/** One speech on its way through the voice and the line. */
interface Delivery {
  readonly speech: Speech
  readonly text: HeardText
  /** All that was made, and when its words are spoken, for a pause to go on from; nothing if there are no pauses. */
  readonly frames: AudioFrame[]
  readonly words: SpokenWord[]
  /** What of it was sent since the last pause, and where in the sound that began. */
  stretch: PlayoutStretch
  sentFrom: number
  /** How much was heard before that: more, if a word is said again. */
  heardBefore: number
  task: TaskHandle<unknown> | undefined
  /** The mark that tells that it is over. */
  mark: number | undefined
  /** How much was heard of it when it was interrupted. */
  cutAt: number
  timer: Timer | undefined
  /** Looks whether it stands still, until all of it is made; and when the last sound of it was made. */
  watch: Timer | undefined
  madeAt: number
  sounding: boolean
  allMade: boolean
  failure: { readonly error: unknown } | undefined
}

/**
 * Speaks: one speech after the other, to the line, and knows what of it was heard.
 *
 *   queued ─▶ delivering ─▶ all sent, mark out ─▶ mark back ─▶ ended
 *                  │                 │                └ or playoutTimeout after the expected end: not confirmed
 *                  └── interrupt ────┴─▶ cleared, mark out ─▶ mark back, or playoutTimeout ─▶ ended
 */
export class Speaker {
  readonly #options: SpeakerOptions
  readonly #playout = new PlayoutClock()
  readonly #queue: { readonly speech: Speech; readonly source: SpeechSource }[] = []
  /** The one that sounds, or will next. Whatever is not it sends nothing to the line. */
  #current: Delivery | undefined
  /** Interrupted ones whose sound may still go on. */
  readonly #stopping = new Set<Delivery>()
  #paused = false
  #muted = false
  #lastId = 0
  /** A line that failed to confirm is not waited for again, until it does (SP5). */
  #confirms = true
  /**
   * The line is hung up after what is said, so it is waited for all the same: what was sent takes a while to be heard,
   * and nobody knows how long.
   */
  patient = false

  constructor(options: SpeakerOptions) {
    this.#options = options
  }

  /** The speech that sounds, or will next. */
  get current(): Speech | undefined {
    return this.#current?.speech
  }

  /** Whether nothing sounds and nothing waits. */
  get idle(): boolean {
    return !this.#current && this.#queue.length === 0
  }

  /** Those that wait for their turn, the next one first. */
  get waiting(): readonly Speech[] {
    return this.#queue.map(({ speech }) => speech)
  }

  /** The words of the current speech that were heard so far. */
  get heardSoFar(): string {
    return this.#current ? this.#heardText(this.#current) : ''
  }

  /** When what is on the line is expected to have been heard. */
  get endsAt(): number | undefined {
    return this.#playout.endsAt
  }

  enqueue(source: SpeechSource, options: SpeechOptions = {}): Speech {
    const speech = new Speech(++this.#lastId, options, (one) => this.#interrupt(one))
    const place = this.#queue.findIndex((other) => other.speech.priority < speech.priority)
    this.#queue.splice(place < 0 ? this.#queue.length : place, 0, { speech, source })
    this.#next()
    return speech
  }

  /** The caller may be interrupting: silence, but ready to go on (SP9). */
  pause(): void {
    const delivery = this.#current
    if (this.#paused || this.#muted || !delivery || !this.#options.pauses) return
    this.#paused = true
    delivery.timer?.clear()
    this.#clear(delivery)
  }

  /** It was nothing: goes on with the first word that was not heard to its end. */
  resume(): void {
    const delivery = this.#current
    if (!this.#paused || this.#muted) return
    this.#paused = false
    if (!delivery) return
    delivery.heardBefore = this.#heard(delivery)
    const first = firstFrameAt(delivery.frames, beginningOf(delivery.words, delivery.heardBefore))
    delivery.sentFrom = first.at
    delivery.stretch = this.#playout.begin()
    delivery.mark = undefined
    for (const frame of delivery.frames.slice(first.index)) this.#send(delivery, frame)
    if (delivery.allMade) this.#allSent(delivery)
  }

  /** The line returns a mark. */
  marked(id: number, heard: number | undefined): void {
    if (!this.#playout.marked(id, heard, this.#now())) return
    this.#confirms = true
    const delivery = [this.#current, ...this.#stopping].find((one) => one?.mark === id)
    if (!delivery || (this.#paused && delivery === this.#current)) return
    this.#end(delivery, true)
  }

  /** Closing: nothing more is heard, and every speech ends now (CL9, CL10). */
  mute(): void {
    if (this.#muted) return
    this.#muted = true
    for (const speech of this.waiting) speech.interrupt({ force: true })
    this.#current?.speech.interrupt({ force: true })
    // Also if nothing should sound: a line that did not confirm may be behind.
    this.#playout.clear(this.#now())
    this.#options.line.clear()
    for (const delivery of this.#stopping) this.#end(delivery, false)
  }

  #next(): void {
    if (this.#current || this.#muted) return
    const next = this.#queue.shift()
    if (!next) return
    const { speech, source } = next
    const delivery: Delivery = {
      speech,
      text: new HeardText(),
      frames: [],
      words: [],
      stretch: this.#playout.begin(),
      sentFrom: 0,
      heardBefore: 0,
      task: undefined,
      mark: undefined,
      cutAt: 0,
      timer: undefined,
      watch: undefined,
      madeAt: this.#now(),
      sounding: false,
      allMade: false,
      failure: undefined,
    }
    this.#current = delivery
    this.#paused = false
    this.#watch(delivery)
    delivery.task = this.#options.scope.spawn(`speech ${speech.id}`, (context) =>
      this.#deliver(delivery, source, context),
    )
    // By whatever makes the sound, while it began to.
    if (speech.interrupted) delivery.task.cancel('interrupted')
  }

  async #deliver(delivery: Delivery, source: SpeechSource, context: TaskContext): Promise<void> {
    const { speech, text } = delivery
    const { sampleRate, pauses } = this.#options
    let resampler: Resampler | undefined
    try {
      for await (const { frame, words } of iterate(source.sound(speech, context.signal), context)) {
        if (frame.sampleRate !== sampleRate)
          resampler ??= new Resampler({ from: frame.sampleRate, to: sampleRate })
        if (pauses) delivery.words.push(...(words ?? []))
        text.sounds(durationOf(frame), speech.text, words)
        this.#made(delivery, resampler ? { samples: resampler.push(frame.samples), sampleRate } : frame)
      }
    } catch (error) {
      if (context.cancelled) throw error
      delivery.failure = { error }
    }
    // Interrupted just as the last sound came: nobody waits for more.
    if (delivery !== this.#current) return
    if (resampler) this.#made(delivery, { samples: resampler.flush(), sampleRate })
    // A voice that broke has not said all of it.
    if (!delivery.failure) text.ends(speech.text)
    this.#allMade(delivery)
    // As long as there is sound, there is work: a drain waits for it.
    await context.until(speech.waitForPlayout())
  }

  #allMade(delivery: Delivery): void {
    delivery.allMade = true
    delivery.watch?.clear()
    if (!this.#paused) this.#allSent(delivery)
  }

  /** One timer that looks again, instead of one a frame. */
  #watch(delivery: Delivery): void {
    const { scope, stallTimeout } = this.#options
    const { speech, stretch } = delivery
    const now = this.#now()
    // While it is paused nobody waits for more.
    const since = this.#paused ? now : Math.max(delivery.madeAt, stretch.endsAt ?? 0)
    const left = since + stallTimeout - now
    if (left <= 0) return this.#giveUp(delivery)
    delivery.watch = scope.after(left, `stall of speech ${speech.id}`, () => this.#watch(delivery))
  }

  /** Nobody waits for the rest: it ends with what has been made of it, and the next one has its turn. */
  #giveUp(delivery: Delivery): void {
    delivery.failure = { error: new SpeechStalledError(delivery.speech.id, this.#options.stallTimeout) }
    delivery.task?.cancel('it stood still')
    this.#allMade(delivery)
  }

  #made(delivery: Delivery, frame: AudioFrame): void {
    if (this.#options.pauses) delivery.frames.push(frame)
    delivery.madeAt = this.#now()
    if (!this.#paused) this.#send(delivery, frame)
  }

  #send(delivery: Delivery, frame: AudioFrame): void {
    if (delivery !== this.#current || frame.samples.length === 0) return
    const at = this.#playout.play(durationOf(frame), this.#now())
    this.#options.line.play(frame)
    this.#options.played(frame, at)
    if (delivery.sounding) return
    delivery.sounding = true
    this.#options.started(delivery.speech)
  }

  /** Everything is on the line: its mark will tell when it has been heard. */
  #allSent(delivery: Delivery): void {
    const now = this.#now()
    if (!delivery.sounding) return this.#end(delivery, true)
    delivery.mark = this.#playout.mark(now)
    this.#options.line.mark(delivery.mark)
    const left = Math.max(0, (delivery.stretch.endsAt ?? now) - now)
    this.#expect(delivery, left)
  }

  /** Puts a mark behind what is queued and throws it away: the mark tells when the sound has really stopped. */
  #clear(delivery: Delivery): void {
    const now = this.#now()
    if (delivery.sounding) {
      delivery.mark = this.#playout.mark(now)
      this.#options.line.mark(delivery.mark)
    }
    // The line comes last: a rude one confirms from inside `clear()`.
    this.#playout.clear(now)
    this.#options.line.clear()
  }

  #interrupt(speech: Speech): void {
    const waiting = this.#queue.findIndex((one) => one.speech === speech)
    if (waiting >= 0) {
      this.#queue.splice(waiting, 1)
      return this.#finish(speech, { how: 'interrupted', confirmed: true, heard: '' })
    }
    const delivery = this.#current
    if (delivery?.speech !== speech) return
    this.#current = undefined
    this.#paused = false
    delivery.watch?.clear()
    this.#stopping.add(delivery)
    delivery.task?.cancel('interrupted')
    if (delivery.sounding) this.#expect(delivery, 0)
    delivery.cutAt = this.#heard(delivery)
    this.#clear(delivery)
    this.#options.interrupted(speech, this.#heardText(delivery), this.#heard(delivery))
    if (!delivery.sounding) this.#end(delivery, true)
    this.#next()
  }

  /** If the line does not confirm in time, it is taken for silent: it must not mute the session (SP5). */
  #expect(delivery: Delivery, left: number): void {
    const { scope, playoutTimeout } = this.#options
    const patience = this.#confirms || this.patient ? playoutTimeout : 0
    delivery.timer?.clear()
    delivery.timer = scope.after(left + patience, `playout of speech ${delivery.speech.id}`, () => {
      // It has become the last one meanwhile.
      if (patience === 0 && this.patient) return this.#expect(delivery, 0)
      this.#confirms = false
      this.#end(delivery, false)
    })
  }

  #end(delivery: Delivery, confirmed: boolean): void {
    delivery.timer?.clear()
    delivery.watch?.clear()
    this.#stopping.delete(delivery)
    if (this.#current === delivery) this.#current = undefined
    const { speech, failure } = delivery
    const heard = this.#heardText(delivery)
    const longer = this.#heard(delivery) - delivery.cutAt
    if (speech.interrupted && delivery.sounding && longer > 0) this.#options.wentOn(longer)
    const cut = speech.interrupted || (confirmed && this.#isCut(delivery))
    if (cut) this.#finish(speech, { how: 'interrupted', confirmed, heard })
    else if (failure) this.#finish(speech, { how: 'failed', confirmed, heard, error: failure.error })
    else this.#finish(speech, { how: 'played', confirmed, heard })
    this.#next()
  }

  #finish(speech: Speech, outcome: PlayoutOutcome): void {
    if (speech.outcome) return
    speech.settle(outcome)
    this.#options.ended(speech, outcome)
  }

  /** The line knows that less was heard than was made: the caller is gone, though nobody interrupted. */
  #isCut({ stretch, sentFrom, text, failure }: Delivery): boolean {
    const { ms, known } = stretch.heard(this.#now())
    return known && !failure && sentFrom + ms < text.made - ROUNDING
  }

  #heardText(delivery: Delivery): string {
    return delivery.text.upTo(this.#heard(delivery))
  }

  #heard(delivery: Delivery): number {
    const { sentFrom, heardBefore, stretch } = delivery
    return Math.max(heardBefore, sentFrom + stretch.heard(this.#now()).ms)
  }

  #now(): number {
    return this.#options.scope.clock.now()
  }
}

/** Where to go on in a sound that was heard up to `ms`: nobody understands the second half of a word. */
function beginningOf(words: readonly SpokenWord[], ms: number): number {
  return words.find(({ start, end }) => start < ms && ms < end)?.start ?? ms
}

/** The frame that sounds at `ms`, and where it begins. */
function firstFrameAt(frames: readonly AudioFrame[], ms: number): { index: number; at: number } {
  let at = 0
  for (const [index, frame] of frames.entries()) {
    const end = at + durationOf(frame)
    if (end > ms) return { index, at }
    at = end
  }
  return { index: frames.length, at }
}
