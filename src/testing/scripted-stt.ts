import { pcm, type AudioFormat, type AudioFrame } from '../audio/index.ts'
import type {
  PartContext,
  PartUsage,
  Stt,
  SttEvents,
  SttSetup,
  SttStream,
  TranscriptDetails,
} from '../parts/index.ts'
import type { PartInstance } from './part-instance.ts'
import { PartInstances, mannerNames, type PartCounts, type PartManners } from './part-instances.ts'
import { SoundReader } from './sound-text.ts'
import { checkOptions, type OptionNames } from '../scope/index.ts'

/** An event that a stream emits `after` milliseconds of audio since the previous step. */
export type SttStep = { readonly after?: number } & (
  | { readonly started: true }
  | { readonly interim: string }
  | { readonly final: string; readonly details?: TranscriptDetails }
  | { readonly maybeEndOfTurn: true }
  | { readonly resumed: true }
  | { readonly endOfTurn: true }
  | { readonly fail: unknown }
)

export interface ScriptedSttOptions extends PartManners {
  /** Default: PCM of 16 kHz. */
  hears?: readonly AudioFormat[]
  /** Whether it emits ends of turns. Default: false. */
  endsTurns?: boolean
  /** The script of each stream, driven by the audio it receives. */
  script?: readonly SttStep[]
  /** When words become final: at the end of the words, or on `flush()`. Default: `end`. */
  finalOn?: 'end' | 'flush'
  /** The delay before words become final, in milliseconds. `never` keeps them interim. Default: 0. */
  finalAfter?: number | 'never'
  /** Misbehaves: emits events after its end or failure. */
  talksAfterEnd?: boolean
}

const optionNames: OptionNames<ScriptedSttOptions> = {
  ...mannerNames,
  hears: true,
  endsTurns: true,
  script: true,
  finalOn: true,
  finalAfter: true,
  talksAfterEnd: true,
}

/**
 * An STT that is controlled by a script or by `hear('book me in')`, and that understands the speech of a `TestLine`
 * caller, whose audio encodes its words.
 */
export class ScriptedStt implements Stt {
  readonly name: string
  readonly hears: readonly AudioFormat[]
  readonly endsTurns: boolean
  readonly counts: PartCounts
  /** The calls of `flush()` and `detach()`, in order. */
  readonly log: ('flush' | 'detach')[] = []
  /** What its streams were opened with, and configured with later, in order. */
  readonly setups: Partial<SttSetup>[] = []
  /** Milliseconds of audio pushed into open streams (`live`), and into ended ones (`late`). */
  readonly pushed = { live: 0, late: 0 }
  readonly #instances: PartInstances
  readonly #options: ScriptedSttOptions
  readonly #streams = new Set<ScriptedSttStream>()

  constructor(options: ScriptedSttOptions = {}) {
    checkOptions('ScriptedStt', options, optionNames)
    this.#options = options
    this.#instances = new PartInstances('stt', options, 'closed')
    this.counts = this.#instances
    this.name = this.#instances.name
    this.hears = options.hears ?? [pcm(16_000)]
    this.endsTurns = options.endsTurns ?? false
  }

  open(context: PartContext, events: SttEvents, setup: Partial<SttSetup> = {}): Promise<SttStream> {
    this.setups.push(setup)
    return this.#instances.open(context, (instance) => {
      const stream = new ScriptedSttStream(this, instance, events, this.#options)
      this.#streams.add(stream)
      if (!this.#options.talksAfterEnd) instance.onEnd(() => this.#streams.delete(stream))
      return stream
    })
  }

  /**
   * Simulates speech of the user: interim text that grows word by word over `over` milliseconds (default: 0), and then
   * final text as the options say. Resolves when the interim text is complete.
   */
  async hear(text: string, over = 0): Promise<void> {
    await Promise.all([...this.#streams].map((stream) => stream.hear(text, over)))
  }

  /** Reports the start of speech. */
  started(): void {
    for (const stream of this.#streams) stream.emit('started')
  }

  /** Reports that the user may have finished. */
  maybeEndOfTurn(): void {
    for (const stream of this.#streams) stream.emit('maybeEndOfTurn')
  }

  /** Reports that the user goes on. */
  resumed(): void {
    for (const stream of this.#streams) stream.emit('resumed')
  }

  usage(usage: PartUsage): void {
    for (const stream of this.#streams) stream.usage(usage)
  }

  interim(text: string): void {
    for (const stream of this.#streams) stream.interim(text)
  }

  final(text: string, details?: TranscriptDetails): void {
    for (const stream of this.#streams) stream.final(text, details)
  }

  endOfTurn(): void {
    for (const stream of this.#streams) stream.emit('endOfTurn')
  }

  /** Fails all streams. */
  fail(error: unknown = new Error('the STT failed')): void {
    for (const stream of this.#streams) stream.fail(error)
  }
}

class ScriptedSttStream implements SttStream {
  readonly #stt: ScriptedStt
  readonly #instance: PartInstance
  readonly #events: SttEvents
  readonly #options: ScriptedSttOptions
  readonly #reader = new SoundReader()
  readonly #script: SttStep[]
  /** Milliseconds of audio since the last step of the script. */
  #sinceStep = 0
  /** Interim text that is not final yet. */
  #pending = ''
  #failed = false
  #detached = false

  constructor(stt: ScriptedStt, instance: PartInstance, events: SttEvents, options: ScriptedSttOptions) {
    this.#stt = stt
    this.#instance = instance
    this.#events = events
    this.#options = options
    this.#script = [...(options.script ?? [])]
  }

  push(frame: AudioFrame): void {
    const ms = (frame.samples.length * 1000) / frame.sampleRate
    if (this.#instance.ended || this.#detached) {
      this.#stt.pushed.late += ms
      return
    }
    this.#stt.pushed.live += ms
    const words = this.#reader.push(frame.samples)
    if (words) this.interim(this.#pending + words)
    this.#play(ms)
  }

  flush(): void {
    this.#stt.log.push('flush')
    this.#finalSoon()
  }

  configure(setup: Pick<SttSetup, 'keyTerms'>): void {
    this.#stt.setups.push(setup)
  }

  detach(): void {
    this.#stt.log.push('detach')
    this.#detached = true
    this.#finalSoon()
  }

  async hear(text: string, over: number): Promise<void> {
    const words = text.match(/\S+\s*/g) ?? [text]
    const before = this.#pending
    let said = ''
    for (const word of over > 0 ? words : [text]) {
      if (over > 0) await this.#instance.wait(over / words.length, 'understands').catch(() => {})
      said += word
      this.interim(before + said)
    }
    if ((this.#options.finalOn ?? 'end') === 'end') this.#finalSoon()
  }

  interim(text: string): void {
    if (this.#isSilent) return
    this.#pending = text
    this.#events.interim(text)
  }

  final(text: string, details?: TranscriptDetails): void {
    if (this.#isSilent) return
    this.#pending = ''
    this.#events.final(text, details)
  }

  emit(event: 'started' | 'maybeEndOfTurn' | 'resumed' | 'endOfTurn'): void {
    if (!this.#isSilent) this.#events[event]()
  }

  usage(usage: PartUsage): void {
    if (!this.#isSilent) this.#events.usage(usage)
  }

  fail(error: unknown): void {
    if (this.#isSilent) return
    this.#failed = true
    this.#instance.disconnected('dropped')
    this.#events.failed(error)
  }

  get #isSilent(): boolean {
    return (this.#failed || this.#instance.ended) && !this.#options.talksAfterEnd
  }

  #finalSoon(): void {
    const { finalAfter = 0 } = this.#options
    if (finalAfter === 'never') return
    if (finalAfter === 0) this.#finish()
    else this.#instance.after(finalAfter, 'makes final', () => this.#finish())
  }

  #finish(): void {
    if (this.#pending) this.final(this.#pending.trim())
    else return
    if (this.#stt.endsTurns) this.emit('endOfTurn')
  }

  #play(ms: number): void {
    this.#sinceStep += ms
    for (let step = this.#script[0]; step; step = this.#script[0]) {
      const { after = 0 } = step
      if (this.#sinceStep < after) return
      this.#sinceStep -= after
      this.#script.shift()
      this.#emit(step)
    }
  }

  #emit(step: SttStep): void {
    if ('interim' in step) this.interim(step.interim)
    else if ('final' in step) this.final(step.final, step.details)
    else if ('started' in step) this.emit('started')
    else if ('maybeEndOfTurn' in step) this.emit('maybeEndOfTurn')
    else if ('resumed' in step) this.emit('resumed')
    else if ('endOfTurn' in step) this.emit('endOfTurn')
    else this.fail(step.fail)
  }
}
