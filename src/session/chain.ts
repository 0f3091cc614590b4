import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { LlmClient, SpokenChunk, SttStream, TurnJudge, VadStream, Voice } from '../parts/index.ts'
import { Ear } from './ear.ts'
import type { Mind, MindTurn } from './mind.ts'
import type { Reply } from './reply.ts'
import { tap } from './stages.ts'
import { Thinker, type Preparation, type ReplyOptions, type ThinkerHost } from './thinker.ts'
import type { Utterance } from './utterances.ts'

/** The models of a chain, opened. */
export interface OpenChain {
  readonly kind: 'chain'
  readonly llm: LlmClient
  readonly voice: Voice
  readonly stt?: { readonly stream: SttStream; readonly rate: SampleRate } | undefined
  readonly vad?: { readonly stream: VadStream; readonly rate: SampleRate } | undefined
  readonly judge?: TurnJudge | undefined
}

/** A mind made of several models: one hears, one thinks, one speaks. */
export class Chain implements Mind {
  /** Nobody answers here without being asked. */
  readonly expecting = false
  readonly #host: ThinkerHost
  readonly #models: OpenChain
  readonly #thinker: Thinker
  readonly #ears: Ear[] = []

  constructor(host: ThinkerHost, models: OpenChain, lineRate: SampleRate) {
    const { vad, stt, llm } = models
    this.#host = host
    this.#models = models
    this.#thinker = new Thinker(host, llm)
    const hearing = [vad, stt].filter((model) => model !== undefined)
    // Those that want the same rate share an ear: resampling is most of what a call on the phone costs.
    for (const rate of new Set(hearing.map((model) => model.rate))) {
      const streams = hearing.filter((model) => model.rate === rate).map(({ stream }) => stream)
      this.#ears.push(
        new Ear(lineRate, rate, (frame) => {
          for (const stream of streams) stream.push(frame)
        }),
      )
    }
  }

  get replies(): readonly Reply[] {
    return this.#thinker.replies
  }

  hear(frame: AudioFrame): void {
    for (const ear of this.#ears) ear.hear(frame)
  }

  flush(): void {
    this.#models.stt?.stream.flush()
  }

  detach(): boolean {
    const { stt } = this.#models
    stt?.stream.flush()
    stt?.stream.detach()
    return stt !== undefined
  }

  judge(text: string): Promise<number> | undefined {
    const { judge } = this.#models
    return (
      judge && this.#host.scope.spawn('turn detector', ({ signal }) => judge.finished(text, signal)).result
    )
  }

  prepare(text: string): Preparation {
    return this.#thinker.prepare(text)
  }

  answer({ prepared }: MindTurn): Reply {
    return this.#thinker.reply({}, prepared)
  }

  reply(options: ReplyOptions): Reply {
    return this.#thinker.reply(options)
  }

  sound(text: AsyncIterable<string>, utterance: Utterance, signal: AbortSignal): AsyncIterable<SpokenChunk> {
    return this.#models.voice.speak(tap(text, utterance), signal)
  }

  /** Each request says who asks. */
  agentChanged(): void {}

  /** It takes none by itself. */
  takesTurns(): void {}
}
