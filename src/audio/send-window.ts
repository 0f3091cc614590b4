import { samplesIn, type SampleRate } from './frame.ts'

/** Bytes per block: a quarter of a second at 16 kHz. */
const BLOCK = 8 * 1024
/** How many blocks to keep that no window uses, 4 MB: what calls give back and take again within a moment. */
const SPARE = 512
/**
 * Blocks that no window uses. Without them, sound would be a tenth of the CPU time of a call: it waits for seconds, so that
 * the garbage collector takes it for old, and marks the whole heap to find it.
 */
const spare: ArrayBuffer[] = []

/** Bytes of all blocks that no window uses. */
export const spareMemory = (): number => spare.length * BLOCK

/** Makes `Int16Array` for PCM, or `Uint8Array` for G.711. */
export interface SampleType<Samples> {
  readonly BYTES_PER_ELEMENT: number
  new (length: number): Samples
  new (memory: ArrayBuffer): Samples
}

export interface SendWindowOptions<Samples = Int16Array> {
  readonly samples: SampleType<Samples>
  readonly sampleRate: SampleRate
  /** Milliseconds of sound to send ahead of what the listener has played. */
  readonly ahead: number
  /** Milliseconds of it that must be missing before more is sent: the more, the fewer system calls. Default: 0. */
  readonly refill?: number
  /** Milliseconds of sound in one piece. */
  readonly piece: number
  /** Milliseconds of sound that may be queued; `play` refuses more. */
  readonly queued: number
  /** Marks that may be pending; the oldest is dropped for a new one. */
  readonly marks: number
}

/** A piece of sound to send. */
export interface SoundPiece<Samples = Int16Array> {
  readonly position: number
  /** Valid until the window is used again: encode or copy them at once. */
  readonly samples: Samples
}

/** A mark to send: the listener returns it when it reaches position `at`. */
export interface SoundMark {
  readonly id: number
  readonly at: number
}

/** Tells the listener to throw away all sound before a position. */
export interface SoundClear {
  readonly clearTo: number
}

/** A mark that was returned or given up, and the milliseconds of sound that were heard since the mark before it. */
export interface HeardMark {
  readonly id: number
  readonly heard: number
}

interface PendingMark extends SoundMark {
  /** Numbers marks in the order in which they were added. */
  readonly order: number
  /** Where the sound of this mark starts: at the mark before it. */
  readonly from: number
  /** Samples of its sound that a previous listener heard. */
  carried: number
}

/**
 * Sound on its way to a listener, sent a little ahead of what the listener has played.
 *
 *       released            sent               waiting
 *   ├──────────────┼─────────────────────┼─────────────────┤
 *   0            from                  sent               end
 *                  └─ at most `ahead` ───┘
 *
 * A position counts the samples that were ever queued. It names the same moment for both sides, also after a clear or a
 * reconnect. Sound before `from` was played or thrown away, and is never sent again. A stretch that was thrown away
 * stays on record until the last mark that spans it has come back, so that every mark reports what was really heard (LN3).
 *
 * Samples are PCM, or G.711 with one byte per sample. They are copied into blocks of memory, which windows of any call use again
 * once their sound was dropped: what `next()` returns must be encoded or copied at once (LN18). A window has no clock and sends
 * nothing itself: times are passed in, and `next()` returns what to send.
 */
export class SendWindow<Samples extends Int16Array | Uint8Array = Int16Array> {
  readonly #rate: SampleRate
  readonly #ahead: number
  readonly #refill: number
  readonly #piece: number
  readonly #queued: number
  readonly #mostMarks: number
  readonly #type: SampleType<Samples>
  /** Samples per block. */
  readonly #size: number
  /** The sound from `from` to `end`. Block `n` has the samples from position `n · size` on. */
  #blocks: Samples[] = []
  /** The number of the first block. */
  #first = 0
  #end = 0
  #sent = 0
  /** Whether sound is sent until the listener has as much as it should have. */
  #isFilling = true
  #played = 0
  #from = 0
  /** Stretches that were thrown away. */
  #skipped: { readonly from: number; readonly to: number }[] = []
  #marks: PendingMark[] = []
  #lastMark = { order: 0, at: 0 }
  /** Order of the last mark that was sent. */
  #lastSentMark = 0
  /** Where a listener that makes no sound is assumed to be, and since when. */
  #assumed: { readonly at: number; readonly since: number } | undefined

  constructor({ samples, sampleRate, ahead, refill = 0, piece, queued, marks }: SendWindowOptions<Samples>) {
    this.#type = samples
    this.#size = BLOCK / samples.BYTES_PER_ELEMENT
    this.#rate = sampleRate
    this.#ahead = samplesIn(ahead, sampleRate)
    this.#refill = samplesIn(refill, sampleRate)
    this.#piece = samplesIn(piece, sampleRate)
    this.#queued = samplesIn(queued, sampleRate)
    this.#mostMarks = marks
  }

  get sent(): number {
    return this.#sent
  }

  get played(): number {
    return this.#played
  }

  get from(): number {
    return this.#from
  }

  /** Whether sound waits to be sent. */
  get waiting(): boolean {
    return this.#sent < this.#end
  }

  /** Whether the next unsent mark is due: all sound before it has been sent. */
  get markDue(): boolean {
    const mark = this.#unsentMark
    return mark !== undefined && mark.at <= this.#sent
  }

  /** Milliseconds of sound that were neither played nor thrown away. */
  get unheard(): number {
    return this.#ms(this.#end - this.#from)
  }

  /** Queues sound. Returns false if too much is queued already. */
  play({ samples }: { readonly samples: Samples }, now: number): boolean {
    if (this.#assumed) this.#assume(this.#assumed, now)
    if (this.#end - this.#from + samples.length > this.#queued) return false
    this.#add(samples)
    return true
  }

  /** Puts a mark behind everything queued so far. */
  mark(id: number): void {
    const order = this.#lastMark.order + 1
    this.#marks.push({ id, order, from: this.#lastMark.at, at: this.#end, carried: 0 })
    this.#lastMark = { order, at: this.#end }
    if (this.#marks.length > this.#mostMarks) this.#marks.shift()
  }

  /** Returns what to send next: a mark, or sound if the listener should have more by now. */
  next(): SoundMark | SoundPiece<Samples> | undefined {
    const mark = this.nextMark()
    if (mark) return mark
    const missing = this.#from + this.#ahead - this.#sent
    if (missing <= 0) this.#isFilling = false
    else if (missing >= this.#refill) this.#isFilling = true
    return this.#isFilling ? this.nextSound(Infinity) : undefined
  }

  /** Returns the next mark to send. A mark carries its position, so it may overtake its sound. */
  nextMark(): SoundMark | undefined {
    const mark = this.#unsentMark
    if (mark) this.#lastSentMark = mark.order
    return mark
  }

  /** Returns the next piece of sound to send, unless it starts beyond the limit. */
  nextSound(limit: number): SoundPiece<Samples> | undefined {
    if (this.#assumed || this.#sent >= Math.min(this.#end, limit)) return undefined
    const position = this.#sent
    // A piece ends at the next mark, for listeners that need each mark at its place in the stream.
    this.#sent = Math.min(position + this.#piece, this.#end, this.#unsentMark?.at ?? Infinity)
    return { position, samples: this.#read(position, this.#sent) }
  }

  /** Counts every mark that is due as sent. Returns the order of the last one, for `settle`. */
  sendMarks(): number {
    while (this.markDue) this.nextMark()
    return this.#lastSentMark
  }

  /** The listener has played everything before `at`, as far as it was sent. */
  confirm(at: number): void {
    this.#played = Math.max(this.#played, Math.min(at, this.#sent))
    this.release(this.#played)
  }

  /** The listener returned a mark and reports how much it heard, at most the sound of the mark. */
  marked(id: number, heard: number): HeardMark | undefined {
    const index = this.#marks.findIndex((mark) => mark.id === id)
    const mark = this.#marks[index]
    if (!mark) return undefined
    this.#marks.splice(index, 1)
    this.confirm(mark.at)
    return { id, heard: Math.min(heard + this.#ms(mark.carried), this.#ms(mark.at - mark.from)) }
  }

  /** Takes back all marks up to an order, each with what is known to have been heard. */
  settle(order: number): HeardMark[] {
    const count = this.#marks.findIndex((mark) => mark.order > order)
    const settled = this.#marks.splice(0, count < 0 ? this.#marks.length : count)
    const heard = settled.map(({ id, from, at }) => ({ id, heard: this.#ms(this.#heardBetween(from, at)) }))
    this.#forgetSkipped()
    return heard
  }

  /** Takes back all marks, because the listener will not return any. */
  giveUp(): HeardMark[] {
    return this.settle(Infinity)
  }

  /**
   * Throws away all sound that is queued. By default nothing beyond `from` counts as heard, unless the listener reports
   * it; a caller that finds out later how much was heard passes `sent` and calls `skip`. Returns what to send.
   */
  clear(unheardFrom: number = this.#from): SoundClear {
    this.skip(unheardFrom, this.#end)
    this.#sent = this.#end
    this.release(this.#end)
    return { clearTo: this.#end }
  }

  /** Records that a stretch was thrown away and will not be heard. */
  skip(from: number, to: number): void {
    if (to > from) this.#skipped.push({ from, to })
  }

  /** Discards sound before a position: it will not be sent again. */
  release(position: number): void {
    if (position <= this.#from) return
    this.#from = position
    this.#dropBefore(position)
    this.#forgetSkipped()
  }

  /**
   * Starts over with a new listener: sends again everything that the previous one is not known to have played. Returns
   * the position at which the listener starts.
   */
  restart(): number {
    for (const mark of this.#marks) mark.carried = this.#heardBetween(mark.from, mark.at)
    this.#rewind(this.#from)
    return this.#from
  }

  /** Resumes with the same listener, which has played and buffered up to these positions. Returns where it starts. */
  resume(played: number, buffered: number): number {
    this.confirm(played)
    this.#rewind(Math.max(this.#from, Math.min(buffered, this.#sent)))
    return this.#from
  }

  /** The listener makes no sound. From now on, what it would have played passes in real time, unheard. */
  mute(now: number): void {
    this.#assumed ??= { at: this.#from, since: now }
  }

  /** The listener makes sound again. It resumes with what is said now, and skips what was said while it was mute. */
  unmute(now: number): void {
    if (this.#assumed) this.#assume(this.#assumed, now)
    this.#assumed = undefined
  }

  #assume({ at, since }: { readonly at: number; readonly since: number }, now: number): void {
    const elapsed = samplesIn(Math.max(0, now - since), this.#rate)
    const reached = Math.min(this.#end, Math.max(at, this.#from) + elapsed)
    this.#assumed = { at: reached, since: now }
    this.skip(this.#from, reached)
    this.#sent = Math.max(this.#sent, reached)
    this.release(reached)
  }

  #rewind(position: number): void {
    this.#sent = position
    this.#lastSentMark = 0
  }

  /** The first mark that was not sent. */
  get #unsentMark(): PendingMark | undefined {
    const last = this.#marks.at(-1)
    if (!last || last.order <= this.#lastSentMark) return undefined
    return this.#marks.find(({ order }) => order > this.#lastSentMark)
  }

  #add(samples: Samples): void {
    for (let done = 0; done < samples.length;) {
      const number = Math.floor(this.#end / this.#size)
      if (this.#blocks.length === 0) this.#first = number
      if (number === this.#first + this.#blocks.length)
        this.#blocks.push(new this.#type(spare.pop() ?? new ArrayBuffer(BLOCK)))
      const at = this.#end % this.#size
      const part = samples.subarray(done, done + this.#size - at)
      this.#blocks.at(-1)!.set(part, at)
      this.#end += part.length
      done += part.length
    }
  }

  #read(from: number, to: number): Samples {
    const number = Math.floor(from / this.#size)
    const begin = number * this.#size
    const start = this.#blocks[number - this.#first]!.subarray(from - begin, to - begin) as Samples
    if (start.length === to - from) return start
    const samples = new this.#type(to - from)
    samples.set(start)
    samples.set(this.#read(begin + this.#size, to), start.length)
    return samples
  }

  #dropBefore(position: number): void {
    const { length } = this.#blocks
    // If nothing is left to read, the last block is dropped as well.
    const count = position >= this.#end ? length : Math.floor(position / this.#size) - this.#first
    if (count <= 0) return
    for (const { buffer } of this.#blocks.splice(0, count))
      if (spare.length < SPARE) spare.push(buffer as ArrayBuffer)
    this.#first += count
  }

  #forgetSkipped(): void {
    if (this.#skipped.length === 0) return
    const oldest = this.#marks[0]?.from ?? this.#lastMark.at
    this.#skipped = this.#skipped.filter(({ to }) => to > oldest)
  }

  #heardBetween(from: number, to: number): number {
    const until = Math.min(to, this.#played)
    let heard = Math.max(0, until - from)
    for (const gap of this.#skipped) {
      const missed = Math.min(gap.to, until) - Math.max(gap.from, from)
      if (missed > 0) heard -= missed
    }
    return Math.max(0, heard)
  }

  #ms(samples: number): number {
    return (samples * 1000) / this.#rate
  }
}
