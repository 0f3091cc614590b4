import { durationOf, samplesFromBytes } from '../../audio/index.ts'
import type { RealtimeEvents } from '../../parts/index.ts'
import type { ClientEvent, ItemEvent, OutputItem } from './events.ts'
import type { Memory, Said } from './memory.ts'
import { RATE } from './session-config.ts'

/** What an answer needs of the model. */
export interface AnswerHost {
  readonly events: RealtimeEvents
  readonly memory: Memory
  /** Sends what may come too late. */
  attempt(event: ClientEvent): void
}

/** One answer of the model, as it is told and remembered. */
export class Answer {
  /** What it is called in all that is told of it. */
  readonly name: string
  /** What it was asked for with. */
  readonly instructions: string | undefined
  /** The service's own name for it; another one if it had to be asked for again. */
  id: string
  readonly #host: AnswerHost
  /** What it has said, in order. */
  readonly #said: Said[] = []
  #audible = false
  #over = false
  #cut = false

  constructor(host: AnswerHost, id: string, instructions?: string) {
    this.#host = host
    this.name = id
    this.id = id
    this.instructions = instructions
  }

  /** Words, sound or a call of it were told: it cannot be begun anew. */
  get audible(): boolean {
    return this.#audible
  }

  /** Its end was told: nothing more is. */
  get over(): boolean {
    return this.#over
  }

  /** Something comes of it. */
  heard(event: ItemEvent): void {
    switch (event.type) {
      case 'response.output_item.added':
        return this.#itemBegins(event.item ?? {})
      case 'response.output_item.done':
        return this.#itemEnds(event.item ?? {})
      case 'response.output_audio.delta':
        return this.#sounds(this.#item(event.item_id), event.delta, event.content_index)
      case 'response.output_audio_transcript.delta':
      case 'response.output_text.delta':
        return this.#says(this.#item(event.item_id), event.delta)
    }
    return undefined
  }

  /** Nothing more is told of it. */
  end(how: 'completed' | 'cancelled' | 'failed', error?: unknown): void {
    if (this.#over) return
    this.#over = true
    if (how === 'failed') this.#host.events.responseEnded(this.name, how, error)
    else this.#host.events.responseEnded(this.name, how)
  }

  /** Nobody waits for it: it is not even told that it has begun. */
  ignore(): void {
    this.#over = true
  }

  /** What was not heard of it is forgotten. While it is `running`, so is what still comes. */
  cutTo(heard: number, running: boolean): void {
    if (this.#cut) return
    this.#cut = true
    let left = heard
    for (const item of this.#said) {
      // Never beyond what has come: the service refuses to cut a sound longer than it is.
      const part = Math.min(left, item.sounded)
      left -= part
      if (part === item.sounded && part > 0 && !running) continue
      for (const event of this.#host.memory.cut(item, part)) this.#host.attempt(event)
    }
  }

  /** It will be begun anew. */
  forgetBeginning(): void {
    for (const { id } of this.#said.splice(0)) this.#host.memory.forget(id)
  }

  #item(id: string): Said | undefined {
    return this.#over ? undefined : this.#said.find((each) => each.id === id)
  }

  #itemBegins({ type, id = '' }: OutputItem): void {
    if (type !== 'message') return
    const { memory } = this.#host
    // It belongs to what was not heard.
    if (this.#cut) this.#host.attempt(memory.forget(id))
    else this.#said.push(memory.speaks(id))
  }

  #itemEnds({ type, status, id = '', call_id = id, name = '', arguments: input = '' }: OutputItem): void {
    if (type !== 'function_call') return
    const { events, memory } = this.#host
    if (this.#over) return this.#host.attempt(memory.forget(id))
    if (status === 'incomplete') return
    this.#audible = true
    memory.calls(id, call_id, name, input)
    events.toolCall(this.name, { id: call_id, name, input })
  }

  #sounds(item: Said | undefined, delta = '', part = 0): void {
    if (!item) return
    const frame = { samples: samplesFromBytes(Buffer.from(delta, 'base64')), sampleRate: RATE } as const
    item.sounded += durationOf(frame)
    item.part = part
    this.#audible = true
    this.#host.events.audio(this.name, frame)
  }

  #says(item: Said | undefined, delta = ''): void {
    if (!item) return
    item.text = (item.text ?? '') + delta
    this.#audible = true
    this.#host.events.text(this.name, delta)
  }
}
