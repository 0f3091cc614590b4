import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { PartContext, Stt, SttEvents, SttStream } from '../parts/index.ts'
import type { PartInstance } from './part-instance.ts'
import { PartInstances, type PartCounts, type PartManners } from './part-instances.ts'
import { SoundReader } from './sound-text.ts'

/** One thing that a stream tells, `after` milliseconds of pushed sound since the step before. */
export type SttStep = { readonly after?: number } & (
  | { readonly interim: string }
  | { readonly final: string }
  | { readonly endOfTurn: true }
  | { readonly fail: unknown }
)

export interface ScriptedSttOptions extends PartManners {
  /** 16,000 unless set. */
  sampleRate?: SampleRate
  /** It says by itself when the user has finished. */
  endsTurns?: boolean
  /** Each stream plays it from the beginning, driven by the sound it is given. */
  script?: readonly SttStep[]
  /** When words become final: `flush` waits until it is told that the user has stopped; at once unless set. */
  finalOn?: 'end' | 'flush'
  /** And how much later, in milliseconds; 0 unless set. `never` keeps them interim. */
  finalAfter?: number | 'never'
  /** Rude: it goes on telling things after it was ended or has failed. */
  talksAfterEnd?: boolean
}

/**
 * Understands what it is told to: by a script, by `hear('book me in')`, or by ear, since the words that a `TestLine`
 * caller says are in the sound.
 */
export class ScriptedStt implements Stt {
  readonly name: string
  readonly sampleRate: SampleRate
  readonly endsTurns: boolean
  readonly counts: PartCounts
  /** What was done to its streams, in order. */
  readonly log: ('flush' | 'detach')[] = []
  /** Milliseconds of sound pushed into streams that lived, and into such that had ended. */
  readonly pushed = { live: 0, late: 0 }
  readonly #instances: PartInstances
  readonly #options: ScriptedSttOptions
  readonly #streams = new Set<ScriptedSttStream>()

  constructor(options: ScriptedSttOptions = {}) {
    this.#options = options
    this.#instances = new PartInstances('stt', options, 'closed')
    this.counts = this.#instances
    this.name = this.#instances.name
    this.sampleRate = options.sampleRate ?? 16_000
    this.endsTurns = options.endsTurns ?? false
  }

  open(context: PartContext, events: SttEvents): Promise<SttStream> {
    return this.#instances.open(context, (instance) => {
      const stream = new ScriptedSttStream(this, instance, events, this.#options)
      this.#streams.add(stream)
      if (!this.#options.talksAfterEnd) instance.onEnd(() => this.#streams.delete(stream))
      return stream
    })
  }

  /**
   * The user's words are understood: as interim text that grows word by word for `over` milliseconds (at once unless
   * set), then as final text when the options say so. Resolves when they have grown to the end.
   */
  async hear(text: string, over = 0): Promise<void> {
    await Promise.all([...this.#streams].map((stream) => stream.hear(text, over)))
  }

  interim(text: string): void {
    for (const stream of this.#streams) stream.interim(text)
  }

  final(text: string): void {
    for (const stream of this.#streams) stream.final(text)
  }

  endOfTurn(): void {
    for (const stream of this.#streams) stream.endOfTurn()
  }

  /** The streams break for good. */
  fail(error: unknown = new Error('the transcriber is gone')): void {
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
  /** Sound since the last step of the script. */
  #sinceStep = 0
  /** Words told as interim text, and not final yet. */
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
    if (this.#silent) return
    this.#pending = text
    this.#events.interim(text)
  }

  final(text: string): void {
    if (this.#silent) return
    this.#pending = ''
    this.#events.final(text)
  }

  endOfTurn(): void {
    if (!this.#silent) this.#events.endOfTurn()
  }

  fail(error: unknown): void {
    if (this.#silent) return
    this.#failed = true
    this.#instance.disconnected('dropped')
    this.#events.failed(error)
  }

  get #silent(): boolean {
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
    if (this.#stt.endsTurns) this.endOfTurn()
  }

  #play(ms: number): void {
    this.#sinceStep += ms
    for (let step = this.#script[0]; step; step = this.#script[0]) {
      const { after = 0 } = step
      if (this.#sinceStep < after) return
      this.#sinceStep -= after
      this.#script.shift()
      this.#tell(step)
    }
  }

  #tell(step: SttStep): void {
    if ('interim' in step) this.interim(step.interim)
    else if ('final' in step) this.final(step.final)
    else if ('endOfTurn' in step) this.endOfTurn()
    else this.fail(step.fail)
  }
}
