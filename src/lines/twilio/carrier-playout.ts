import { limits } from './limits.ts'

/** Samples, and bytes, of a millisecond of telephone sound. */
const PER_MS = 8

/** What a session is told of its mark. */
export interface HeardMark {
  readonly id: number
  /** Milliseconds, since the mark before. */
  readonly heard: number
}

/** What is to be sent next. */
export type Outgoing =
  | { readonly type: 'sound'; readonly bytes: Uint8Array }
  | { readonly type: 'mark'; readonly name: string }

interface SessionMark {
  readonly id: number
  /** The sound that it tells about: from the mark before it, to `at`. */
  readonly from: number
  readonly at: number
  /** The number of the mark at the carrier that answers for it, once that was sent. */
  wire: number
}

/** A mark at the carrier. */
interface WireMark {
  readonly number: number
  readonly at: number
  /** It was sent right behind a clear: what of the sound before it had been heard until then is to be found out. */
  readonly clear?: {
    readonly sent: number
    /** No more can have been heard. */
    most: number
    told: Place | undefined
  }
}

/** A place in the sound, and when it was there. */
interface Place {
  readonly at: number
  readonly since: number
}

/** Where the caller is if he has listened since. */
const reach = ({ at, since }: Place, now: number): number => at + Math.max(0, now - since) * PER_MS

const UNSENT = Infinity

/**
 * What the caller is to hear, by positions that count the samples ever queued:
 *
 *      heard         at the carrier            waiting
 *   ├──────────┼────────────────────────┼─────────────────┤
 *   0        played                   sent               end
 *                  └── at most `ahead`, by the clock
 *
 * A carrier tells by marks what was played. It has ours, between those of the session, so that the place of the caller
 * is known a few times a second. After a clear it returns all marks at once, heard or not; but sound cannot be heard
 * faster than it lasts, so the place that was known before, and the time since, tell where it stopped (LN3).
 *
 * It does nothing by itself: times are handed in, and whoever holds it sends what `next()` gives.
 */
export class CarrierPlayout {
  #pieces: { readonly at: number; readonly bytes: Uint8Array }[] = []
  #end = 0
  #sent = 0
  #played = 0
  /** Sound before it is not sent again. */
  #from = 0
  /** What was sent last into a silence. Sound cannot be heard faster than it lasts: nobody is farther than from there. */
  #run: Place | undefined
  /** The last place that the carrier told. */
  #told: Place | undefined
  /** What was thrown away, as far back as a mark tells about it. */
  #skipped: { readonly from: number; readonly to: number }[] = []
  #marks: SessionMark[] = []
  #lastMark = 0
  /** At the carrier, in order. */
  #wire: WireMark[] = []
  #number = 0
  #lastWire = 0

  /** Whether there is sound that was not sent. */
  get waits(): boolean {
    return this.#sent < this.#end
  }

  /** Milliseconds of sound that are not known to have been heard. */
  get unheard(): number {
    return (this.#end - this.#played) / PER_MS
  }

  /** Queues sound. False if there is too much already. */
  play(bytes: Uint8Array, now: number): boolean {
    this.#forget(now)
    if (this.#end - this.#from + bytes.length > limits.queued * PER_MS) return false
    if (bytes.length > 0) this.#pieces.push({ at: this.#end, bytes })
    this.#end += bytes.length
    return true
  }

  mark(id: number): void {
    this.#marks.push({ id, from: this.#lastMark, at: this.#end, wire: UNSENT })
    this.#lastMark = this.#end
    if (this.#marks.length > limits.marks) this.#marks.shift()
  }

  /** Throws away what has not been heard. Returns the name of the mark that is to be sent right behind the clear. */
  clear(now: number): string {
    // Sound and clear take the same way, so what was sent is over by now; what is told takes the way back, and is not.
    const most = this.#run ? reach(this.#run, now) : this.#sent
    const clear = { sent: this.#sent, most, told: this.#told }
    this.#skip(this.#sent, this.#end)
    this.#pieces = []
    this.#sent = this.#from = this.#end
    this.#run = this.#told = undefined
    return this.#putMark({ clear })
  }

  /** What the carrier should have next, if it has not enough. */
  next(now: number): Outgoing | undefined {
    const due = this.#marks.find(({ wire }) => wire === UNSENT)
    if ((due && due.at <= this.#sent) || this.#sent - this.#lastWire >= limits.step * PER_MS)
      return { type: 'mark', name: this.#putMark() }
    const here = this.#here(now)
    if (!this.waits || this.#sent - here >= limits.ahead * PER_MS) return undefined
    if (!this.#run || reach(this.#run, now) > this.#sent) this.#run = { at: this.#sent, since: now }
    const until = Math.min(this.#sent + limits.piece * PER_MS, due?.at ?? Infinity)
    const holder = this.#pieces.find(({ at, bytes }) => at + bytes.length > this.#sent)!
    const bytes = holder.bytes.subarray(this.#sent - holder.at, until - holder.at)
    this.#sent += bytes.length
    return { type: 'sound', bytes }
  }

  /** The carrier returns a mark, and with it all before it. Gives the marks of the session that are answered by it. */
  returned(name: string, now: number): HeardMark[] {
    const last = this.#wire.findIndex(({ number }) => String(number) === name)
    const marks = this.#wire.slice(0, last + 1)
    return marks.flatMap((mark) => {
      this.#reached(mark, now)
      this.#wire.shift()
      return this.#answer(({ wire }) => wire <= mark.number)
    })
  }

  /** There will be no answers: gives all marks of the session, each with what is known to have been heard of it. */
  giveUp(): HeardMark[] {
    return this.#answer(() => true)
  }

  /**
   * A new stream, with nothing in it: everything is sent again that the one before it is not known to have played. Gives
   * the marks of what was cleared, of which nothing will be heard.
   */
  joined(): HeardMark[] {
    const clears = this.#wire.filter(({ clear }) => clear)
    for (const clear of clears) this.#stopAt(this.#played, clear)
    const cleared = clears.at(-1)?.number ?? 0
    const answered = this.#answer(({ wire }) => wire <= cleared)
    this.#wire = []
    for (const mark of this.#marks) mark.wire = UNSENT
    this.#sent = this.#lastWire = Math.max(this.#played, this.#from)
    // What was forgotten meanwhile cannot be told again.
    this.#skip(this.#played, this.#sent)
    this.#run = this.#told = undefined
    return answered
  }

  #putMark(more: Pick<WireMark, 'clear'> = {}): string {
    const mark = { number: ++this.#number, at: this.#sent, ...more }
    this.#wire.push(mark)
    if (this.#wire.length > limits.marks) this.#wire.shift()
    for (const each of this.#marks) if (each.at <= this.#sent && each.wire === UNSENT) each.wire = mark.number
    this.#lastWire = this.#sent
    return String(mark.number)
  }

  /** A mark is at the caller, or was thrown away. */
  #reached(mark: WireMark, now: number): void {
    const fence = this.#wire.find(({ clear, number }) => clear && number >= mark.number)
    if (!fence?.clear) {
      this.#played = Math.max(this.#played, mark.at)
      this.#told = { at: mark.at, since: now }
      return this.#forget(now)
    }
    const { clear } = fence
    const most = Math.floor(Math.min(clear.most, clear.told ? reach(clear.told, now) : Infinity))
    const stopped = Math.max(this.#played, Math.min(mark === fence ? clear.sent : mark.at, most))
    if (mark === fence) return this.#stopAt(stopped, fence)
    this.#played = stopped
    // It was thrown away, and so was everything behind it; or it was heard while the clear was on its way.
    if (mark.at > most) clear.most = stopped
    else clear.told = { at: mark.at, since: now }
    return undefined
  }

  #stopAt(stopped: number, { at, clear }: WireMark): void {
    if (clear) this.#skip(stopped, clear.sent)
    this.#played = Math.max(this.#played, at)
  }

  #answer(which: (mark: SessionMark) => boolean): HeardMark[] {
    const answered = this.#marks.filter(which)
    this.#marks = this.#marks.filter((mark) => !which(mark))
    const heard = answered.map(({ id, from, at }) => ({ id, heard: this.#heardBetween(from, at) / PER_MS }))
    const oldest = this.#marks[0]?.from ?? this.#lastMark
    this.#skipped = this.#skipped.filter(({ to }) => to > oldest)
    return heard
  }

  /** Where the caller is taken to be. */
  #here(now: number): number {
    const run = this.#run ? reach(this.#run, now) : Infinity
    const told = this.#told ? reach(this.#told, now) : Infinity
    return Math.floor(Math.min(this.#sent, run, told))
  }

  #skip(from: number, to: number): void {
    if (to > from) this.#skipped.push({ from, to })
  }

  /** Lets go of what need not be sent again. */
  #forget(now: number): void {
    this.#from = Math.max(this.#from, this.#played, this.#here(now) - limits.doubt * PER_MS)
    const kept = this.#pieces.findIndex(({ at, bytes }) => at + bytes.length > this.#from)
    this.#pieces.splice(0, kept < 0 ? this.#pieces.length : kept)
  }

  #heardBetween(from: number, to: number): number {
    const until = Math.min(to, this.#played)
    const missed = this.#skipped.reduce(
      (sum, gap) => sum + Math.max(0, Math.min(gap.to, until) - Math.max(gap.from, from)),
      0,
    )
    return Math.max(0, until - from - missed)
  }
}
