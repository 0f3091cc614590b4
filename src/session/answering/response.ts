import { type SpokenChunk } from '../../parts/index.ts'
import { Channel } from '../../scope/index.ts'
import type { Delivery } from '../speaking/delivery.ts'
import type { SpeechOptions } from '../speaking/speech.ts'
import type { ActiveReply } from './replies.ts'
import type { ToolOutcome } from './tool.ts'

export interface ResponseEnd {
  readonly how: 'completed' | 'cancelled' | 'failed'
  readonly error?: unknown
}

/** What a response is made for. */
export interface ResponseOptions {
  /** The reply it is part of. Undefined if the model was given words to say. */
  readonly reply?: ActiveReply | undefined
  /** How many rounds of tool calls the reply has had. */
  readonly step?: number
  readonly speech?: SpeechOptions | undefined
  /** The speech that plays its sound. */
  readonly delivery?: Delivery | undefined
}

/** One response of a realtime model: words, sound, and possibly tool calls. */
export class Response {
  /** The model's id for it, once it has begun. */
  id: string | undefined
  delivery: Delivery | undefined
  /** Whether it was stopped before the model began it. */
  withdrawn = false
  reply: ActiveReply | undefined
  readonly step: number
  readonly speech: SpeechOptions | undefined
  readonly sound = new Channel<SpokenChunk>()
  /** Its text, if the model writes and a TTS speaks. */
  readonly words = new Channel<string>()
  /** Its tool calls. A call that the model cancelled resolves to undefined. */
  readonly uses: Promise<ToolOutcome | undefined>[] = []
  readonly ended: Promise<ResponseEnd>
  #end!: (end: ResponseEnd) => void
  #hasEnded = false

  constructor({ reply, step = 0, speech, delivery }: ResponseOptions) {
    this.reply = reply
    this.step = step
    this.speech = speech
    this.delivery = delivery
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Ends it. The first end counts. */
  end(end: ResponseEnd): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const channel of [this.sound, this.words]) {
      if (end.how === 'failed') channel.fail(end.error)
      else channel.end()
    }
    if (end.how === 'completed') this.delivery?.wordsEnded()
    this.#end(end)
  }
}
