import { pcm, type AudioFormat, type AudioFrame } from '../audio/index.ts'
import type { Filter, FilterStream, PartContext, SoundSetup } from '../parts/index.ts'
import { checkOptions, type OptionNames } from '../scope/index.ts'
import { never } from './never.ts'
import { PartInstances, mannerNames, type PartCounts, type PartManners } from './part-instances.ts'

export interface ScriptedFilterOptions extends PartManners {
  /** Default: PCM of 16 kHz. */
  hears?: readonly AudioFormat[]
  /** What it makes of a frame. Default: the frame. */
  filter?: (frame: AudioFrame) => AudioFrame
  /** How long a frame takes, in milliseconds. Default: it is returned at once. */
  takes?: number
  /** Every frame throws this. */
  fails?: unknown
  /** Misbehaves: a frame never comes back. */
  hangs?: boolean
}

const optionNames: OptionNames<ScriptedFilterOptions> = {
  ...mannerNames,
  hears: true,
  filter: true,
  takes: true,
  fails: true,
  hangs: true,
}

/** A filter that is controlled by its options, which may change during a call. */
export class ScriptedFilter implements Filter {
  readonly name: string
  readonly hears: readonly AudioFormat[]
  readonly counts: PartCounts
  /** Every frame it was given. */
  readonly frames: AudioFrame[] = []
  readonly #instances: PartInstances
  readonly #options: ScriptedFilterOptions

  constructor(options: ScriptedFilterOptions = {}) {
    checkOptions('ScriptedFilter', options, optionNames)
    this.#options = options
    this.#instances = new PartInstances('filter', options)
    this.counts = this.#instances
    this.name = this.#instances.name
    this.hears = options.hears ?? [pcm(16_000)]
  }

  open(context: PartContext, _setup?: Partial<SoundSetup>): Promise<FilterStream> {
    return this.#instances.open(context, (instance) => ({
      filter: (frame) => {
        const { filter = same, takes, fails, hangs } = this.#options
        this.frames.push(frame)
        if (fails !== undefined) throw fails
        if (hangs) return never()
        if (takes === undefined || instance.ended) return filter(frame)
        return instance.wait(takes, 'filters').then(
          () => filter(frame),
          () => frame,
        )
      },
    }))
  }
}

const same = (frame: AudioFrame): AudioFrame => frame
