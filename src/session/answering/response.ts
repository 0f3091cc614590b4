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
  /** The reply it is a part of. Words that the model was given to say belong to none. */
  readonly reply?: ActiveReply | undefined
  /** How many rounds of tool calls that reply had before. */
  readonly step?: number
  readonly speech?: SpeechOptions | undefined
  /** The speech that waits for its sound. */
  readonly delivery?: Delivery | undefined
}

/** One stretch of a realtime model's answer: words and sound, and perhaps tool calls. */
export class Response {
  /** The model's name for it, once it has begun. */
  id: string | undefined
  delivery: Delivery | undefined
  /** Whether it is not wanted any more. */
  withdrawn = false
  reply: ActiveReply | undefined
  readonly step: number
  readonly speech: SpeechOptions | undefined
  readonly sound = new Channel<SpokenChunk>()
  /** The tools it has called. A call that the model took back has no outcome. */
  readonly uses: Promise<ToolOutcome | undefined>[] = []
  readonly ended: Promise<ResponseEnd>
  #end!: (end: ResponseEnd) => void

  constructor({ reply, step = 0, speech, delivery }: ResponseOptions) {
    this.reply = reply
    this.step = step
    this.speech = speech
    this.delivery = delivery
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  /** Nothing more comes of it. The first end counts. */
  end(end: ResponseEnd): void {
    if (end.how === 'failed') this.sound.fail(end.error)
    else this.sound.end()
    if (end.how === 'completed') this.delivery?.wordsEnded()
    this.#end(end)
  }
}
