import {
  Framer,
  bytesOf,
  frameOf,
  silence,
  type AudioFormat,
  type AudioFrame,
  type SampleRate,
} from '../audio/index.ts'
import type {
  LineConnection,
  LineEvents,
  RecordingChange,
  TransferRequest,
  TransferResult,
} from '../parts/index.ts'
import type { Timer } from '../scope/index.ts'
import type { PartInstance } from './part-instance.ts'
import { PlayoutRecord, type HeardFrame, type Sound } from './playout-record.ts'
import type { TestLineOptions } from './test-line-options.ts'

/** Milliseconds per frame, as on phones. */
const FRAME = 20

interface Mark {
  readonly id: number
  /** What was played since the previous mark. */
  readonly sounds: readonly Sound[]
  at: number
  timer: Timer | undefined
}

/** One call on a `TestLine`. */
export class TestConnection implements LineConnection {
  /** The rate of the caller's audio. */
  readonly sampleRate: SampleRate
  /** The calls of `mark()` and `clear()`, in order. */
  readonly log: { readonly at: number; readonly what: 'mark' | 'clear'; readonly id?: number }[] = []
  readonly playedTooLate: AudioFrame[] = []
  /** When the session began to close. */
  closingAt: number | undefined
  /** When the call ended. */
  endedAt: number | undefined
  /** Who ended the call; `nobody` if the caller vanished. */
  endedBy: 'caller' | 'session' | 'nobody' | undefined
  /** Set if the line can transfer calls. */
  readonly consults: boolean
  readonly transfer?: (request: TransferRequest) => Promise<TransferResult>
  /** Set if the line can record calls. */
  readonly record?: (change: RecordingChange) => Promise<boolean>
  /** Set if the caller has a program. */
  readonly sendMessage?: NonNullable<LineConnection['sendMessage']>
  readonly runTool?: NonNullable<LineConnection['runTool']>
  /** Set if the line knows who answered. */
  readonly onVerdict?: NonNullable<TestLineOptions['onVerdict']>
  readonly instance: PartInstance
  readonly press?: (keys: string) => Promise<void>
  readonly #hears: AudioFormat
  readonly #events: LineEvents
  readonly #options: Readonly<TestLineOptions>
  readonly #record = new PlayoutRecord()
  readonly #watchers = new Set<() => void>()
  #sounds: Sound[] = []
  #marks: Mark[] = []
  /** Frames that the caller is about to say. */
  #speech: { readonly frame: AudioFrame; readonly said?: () => void }[] = []
  #ticking = false

  constructor(
    instance: PartInstance,
    events: LineEvents,
    hears: AudioFormat,
    options: Readonly<TestLineOptions>,
  ) {
    this.instance = instance
    this.sampleRate = hears.sampleRate
    this.#hears = hears
    this.#events = events
    this.#options = options
    if (options.press) this.press = options.press
    instance.onClosing(() => this.#beginClosing())
    instance.onEnd(() => this.#end('session'))
    const { transfer, record } = options
    if (record) this.record = recordsBy(record)
    this.consults = transfer !== undefined
    if (transfer) this.transfer = transfersBy(transfer)
    if (options.onVerdict) this.onVerdict = options.onVerdict
    const { sendMessage, runTool } = options.program ?? {}
    if (sendMessage) this.sendMessage = sendMessage
    if (runTool) this.runTool = runTool
    if (options.streams) this.#tick()
  }

  // ── LineConnection ──

  play(frame: AudioFrame): void {
    if (this.closingAt !== undefined || this.endedAt !== undefined) {
      this.playedTooLate.push(frame)
      return
    }
    const sound = this.#record.add(frame, this.#now + (this.#options.latency ?? 0))
    this.#sounds.push(sound)
    if (this.#watchers.size > 0) this.#checkAt(sound.end)
  }

  mark(id: number): void {
    if (this.endedAt !== undefined) return
    this.log.push({ at: this.#now, what: 'mark', id })
    const at = Math.max(this.#now, this.#record.endsAt)
    const mark: Mark = { id, sounds: this.#sounds, at, timer: undefined }
    this.#sounds = []
    this.#marks.push(mark)
    this.#arm(mark)
  }

  clear(): void {
    if (this.endedAt !== undefined) return
    this.log.push({ at: this.#now, what: 'clear' })
    this.#stopSound()
  }

  // ── for tests ──

  get heard(): HeardFrame[] {
    return this.#record.heardBy(this.#now)
  }

  get heardText(): string {
    return this.#record.textBy(this.#now)
  }

  heardKeys(sampleRate: SampleRate): string {
    return this.#record.keysBy(this.#now, sampleRate)
  }

  get audibleAfterClosing(): number {
    return this.closingAt === undefined ? 0 : this.#record.audible(this.closingAt, this.#now)
  }

  /** Milliseconds of queued audio that the caller has not heard yet. */
  get queued(): number {
    return Math.max(0, this.#record.endsAt - this.#now)
  }

  /** Calls `callback` whenever the caller may have heard more, and at the end. Returns an unsubscribe function. */
  watch(callback: () => void): () => void {
    this.#watchers.add(callback)
    for (let at = this.#now; at < this.#record.endsAt; at += FRAME) this.#checkAt(at + FRAME)
    return () => this.#watchers.delete(callback)
  }

  // ── the caller ──

  /** Queues audio of the caller. Resolves when it has been said, or the call has ended. */
  says(sound: AudioFrame): Promise<void> {
    const framer = new Framer({ sampleRate: this.sampleRate, duration: FRAME })
    const frames = framer.push(sound.samples)
    const last = framer.flush()
    if (last) frames.push(last)
    if (frames.length === 0 || !this.#isOpen) return Promise.resolve()
    return new Promise((said) => {
      this.#speech.push(
        ...frames.map((frame, index) => (index < frames.length - 1 ? { frame } : { frame, said })),
      )
      if (!this.#ticking) this.#tick()
    })
  }

  types(text: string): void {
    if (this.#isOpen) this.#events.text(text)
  }

  presses(digit: string): void {
    if (this.#isOpen) this.#events.dtmf(digit)
  }

  hangsUp(): void {
    if (!this.#end('caller')) return
    this.instance.disconnected('closed')
    this.#events.hungUp()
  }

  /** Somebody else takes the call over: it goes on without the session. */
  isTaken(): void {
    if (!this.#end('nobody')) return
    this.instance.disconnected('closed')
    this.#events.handedOver()
  }

  /** The connection to the caller breaks, and may come back. */
  goesAway(): void {
    if (this.#isOpen) this.#events.away?.()
  }

  /** The connection to the caller is back. */
  comesBack(): void {
    if (this.#isOpen) this.#events.back?.()
  }

  vanishes(error?: unknown): void {
    const { lostAfter = 0 } = this.#options
    if (!this.#end('nobody')) return
    const noticed = (): void => {
      this.instance.disconnected('dropped')
      this.#events.lost(error)
    }
    if (lostAfter === 0) noticed()
    else this.instance.after(lostAfter, 'notices that the caller vanished', noticed)
  }

  get #now(): number {
    return this.instance.clock.now()
  }

  get #isOpen(): boolean {
    return this.endedAt === undefined
  }

  #beginClosing(): void {
    this.closingAt = this.#now
    this.#stopSound()
  }

  /** Discards the queue. An avatar stops a little later. */
  #stopSound(): void {
    const { latency = 0, avatar, marksAtOnce } = this.#options
    const stops = this.#now + (avatar ? latency + avatar.lag : 0)
    this.#record.cut(stops)
    for (const mark of this.#marks.filter(({ at }) => at >= stops)) {
      mark.at = stops
      mark.timer?.clear()
      if (marksAtOnce && stops <= this.#now) this.#confirm(mark)
      else this.#arm(mark)
    }
  }

  #end(by: 'caller' | 'session' | 'nobody'): boolean {
    if (this.endedAt !== undefined) return false
    this.endedAt = this.#now
    this.endedBy = by
    this.#record.cut(this.#now)
    for (const mark of this.#marks) mark.timer?.clear()
    this.#marks = []
    for (const watcher of this.#watchers) watcher()
    for (const { said } of this.#speech) said?.()
    this.#speech = []
    return true
  }

  #arm(mark: Mark): void {
    if (this.#options.confirms === false) return
    mark.timer = this.instance.after(mark.at - this.#now, `mark ${mark.id} is heard`, () =>
      this.#confirm(mark),
    )
  }

  #confirm(mark: Mark): void {
    this.#marks.splice(this.#marks.indexOf(mark), 1)
    if (this.#options.confirms === false) return
    const heard = mark.sounds.reduce((sum, { start, end }) => sum + end - start, 0)
    const { knows = true, assumes = false } = this.#options
    this.#events.marked(mark.id, knows ? heard : undefined, assumes)
  }

  #checkAt(at: number): void {
    this.instance.after(at - this.#now, 'hears', () => {
      for (const watcher of this.#watchers) watcher()
    })
  }

  /** The microphone: each frame arrives at its end. */
  #tick(): void {
    this.#ticking = true
    this.instance.after(FRAME, 'the caller speaks', () => {
      this.#ticking = false
      const { frame, said } = this.#speech.shift() ?? { frame: silence(FRAME, this.sampleRate) }
      if (this.#isOpen) this.#events.frame(inFormat(frame, this.#hears))
      said?.()
      if (this.#isOpen && !this.#ticking && (this.#speech.length > 0 || this.#options.streams)) this.#tick()
    })
  }
}

function recordsBy(record: NonNullable<TestLineOptions['record']>): NonNullable<LineConnection['record']> {
  return async (change) => record(change)
}

function transfersBy(
  transfer: NonNullable<TestLineOptions['transfer']>,
): NonNullable<LineConnection['transfer']> {
  return async (request) => {
    const result = await transfer(request)
    return typeof result === 'string' ? { outcome: result } : result
  }
}

function inFormat(frame: AudioFrame, format: AudioFormat): AudioFrame {
  return format.encoding === 'pcm' ? frame : frameOf(bytesOf(frame, format), format)
}
