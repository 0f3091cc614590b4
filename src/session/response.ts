import { Channel, type SpokenChunk } from '../parts/index.ts'
import type { Reply } from './reply.ts'
import type { SpeechOptions } from './speech.ts'
import type { ToolOutcome } from './tool-runner.ts'
import type { Utterance } from './utterances.ts'

export interface ResponseEnd {
  readonly how: 'completed' | 'cancelled' | 'failed'
  readonly error?: unknown
}

/** What a response is made for. */
export interface ResponseOptions {
  /** The answer it is a part of; words that the model was given to say belong to none. */
  readonly reply?: Reply | undefined
  /** How often tools were called in that answer before. */
  readonly step?: number
  readonly speech?: SpeechOptions | undefined
  /** The speech that waits for its sound. */
  readonly utterance?: Utterance | undefined
}

/** One stretch of a realtime model's answer: words and sound, and perhaps calls of tools. */
export class Response {
  /** The model's name for it, once it has begun. */
  id: string | undefined
  utterance: Utterance | undefined
  /** Nobody wants it any more. */
  withdrawn = false
  reply: Reply | undefined
  readonly step: number
  readonly speech: SpeechOptions | undefined
  readonly sound = new Channel<SpokenChunk>()
  /** The tools it has called; a call that was taken back has no outcome. */
  readonly uses: Promise<ToolOutcome | undefined>[] = []
  readonly over: Promise<ResponseEnd>
  #end!: (end: ResponseEnd) => void

  constructor({ reply, step = 0, speech, utterance }: ResponseOptions) {
    this.reply = reply
    this.step = step
    this.speech = speech
    this.utterance = utterance
    this.over = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  /** Nothing more comes of it. Later ends change nothing. */
  end(end: ResponseEnd): void {
    if (end.how === 'failed') this.sound.fail(end.error)
    else this.sound.end()
    if (end.how === 'completed') this.utterance?.ends()
    this.#end(end)
  }
}
