import { durationOf, type AudioFormat } from '../../audio/index.ts'
import type { RealtimeEvents } from '../../parts/index.ts'
import { answerProblem } from '../sound-limit.ts'
import { AudioDecoder } from '../vendor-message.ts'
import type { ClientEvent, ItemEvent, OutputItem } from './events.ts'
import type { Memory, MessageItem } from './memory.ts'

export interface AnswerHost {
  /** The name of the provider. */
  readonly name: string
  readonly events: RealtimeEvents
  readonly memory: Memory
  /** The format of the model's audio. */
  readonly format: AudioFormat
  /** Sends an event that may arrive too late to have an effect. */
  attempt(event: ClientEvent): void
}

/** What a response is asked for: to answer, with instructions for this response alone, or to say these words. */
export interface Wish {
  readonly instructions?: string | undefined
  readonly words?: string
}

/** How long a voice takes for a character, in milliseconds. */
const MS_PER_CHARACTER = 65

/** One answer of the model. */
export class Answer {
  /** Identifies the answer in all events. */
  readonly name: string
  readonly wish: Wish
  /** The service's id. Changes when the answer has to be requested again. */
  id: string
  readonly #host: AnswerHost
  /** The spoken messages, in order. */
  readonly #items: MessageItem[] = []
  #hasOutput = false
  #ended = false
  #truncated = false
  #decoder: AudioDecoder
  /** Milliseconds of audio and characters of text received. */
  #sound = 0
  #characters = 0

  constructor(host: AnswerHost, id: string, wish: Wish = {}) {
    this.#host = host
    this.name = id
    this.id = id
    this.wish = wish
    this.#decoder = new AudioDecoder(host.format)
  }

  /** Whether text, audio or a call was emitted, so that the answer cannot be started again. */
  get hasOutput(): boolean {
    return this.#hasOutput
  }

  get ended(): boolean {
    return this.#ended
  }

  handle(event: ItemEvent): void {
    switch (event.type) {
      case 'response.output_item.added':
        return this.#itemAdded(event.item ?? {})
      case 'response.output_item.done':
        return this.#itemDone(event.item ?? {})
      case 'response.output_audio.delta':
        return this.#emitAudio(this.#item(event.item_id), event.delta, event.content_index)
      case 'response.output_audio_transcript.delta':
        return this.#emitText(this.#item(event.item_id), event.delta)
      case 'response.output_text.delta':
        return this.#emitWriting(this.#item(event.item_id), event.delta)
      case 'response.output_audio_transcript.done':
        return undefined
    }
    return undefined
  }

  end(how: 'completed' | 'cancelled' | 'failed', error?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    if (how === 'failed') this.#host.events.responseEnded(this.name, how, error)
    else this.#host.events.responseEnded(this.name, how)
  }

  /** Ends the answer without any event. */
  ignore(): void {
    this.#ended = true
  }

  /** Forgets all but the first `heard` milliseconds. While the answer is `running`, later items are removed, too. */
  truncate(heard: number, running: boolean): void {
    if (this.#truncated) return
    this.#truncated = true
    let left = heard
    for (const item of this.#items) {
      // Never more than was received: the service refuses to truncate audio beyond its end.
      const part = Math.min(left, item.duration)
      left -= part
      if (part === item.duration && part > 0 && !running) continue
      for (const event of this.#host.memory.truncate(item, part)) this.#host.attempt(event)
    }
  }

  /** Removes all items, because the answer will be started again. */
  discardItems(): void {
    for (const { id } of this.#items.splice(0)) this.#host.memory.remove(id)
  }

  #item(id: string): MessageItem | undefined {
    return this.#ended ? undefined : this.#items.find((each) => each.id === id)
  }

  #itemAdded({ type, id = '' }: OutputItem): void {
    if (type !== 'message') return
    const { memory } = this.#host
    // An item after the truncation was never heard.
    if (this.#truncated) this.#host.attempt(memory.remove(id))
    else this.#items.push(memory.addModelMessage(id))
    this.#decoder = new AudioDecoder(this.#host.format)
  }

  #itemDone({ type, status, id = '', call_id = id, name = '', arguments: input = '' }: OutputItem): void {
    if (type !== 'function_call') return
    const { events, memory } = this.#host
    if (this.#ended) return this.#host.attempt(memory.remove(id))
    if (status === 'incomplete') return
    this.#hasOutput = true
    memory.addCall(id, call_id, name, input)
    events.toolCall(this.name, { id: call_id, name, input })
  }

  #emitAudio(item: MessageItem | undefined, delta?: string, contentIndex = 0): void {
    if (!item) return
    const frame = this.#decoder.push(delta)
    this.#sound += durationOf(frame)
    if (this.#failIfEndless()) return
    item.duration += durationOf(frame)
    item.contentIndex = contentIndex
    this.#hasOutput = true
    this.#host.events.audio(this.name, frame)
  }

  /** Text that a voice of the session speaks. How much of it was heard can only be estimated by its length. */
  #emitWriting(item: MessageItem | undefined, delta = ''): void {
    if (item) {
      item.hasAudio = false
      item.duration += delta.length * MS_PER_CHARACTER
    }
    this.#emitText(item, delta)
  }

  #emitText(item: MessageItem | undefined, delta = ''): void {
    if (!item) return
    this.#characters += delta.length
    if (this.#failIfEndless()) return
    item.text = (item.text ?? '') + delta
    this.#hasOutput = true
    this.#host.events.text(this.name, delta)
  }

  /** Stops an answer that does not end. Returns whether it did. */
  #failIfEndless(): boolean {
    const problem = answerProblem(this.#host.name, this.#sound, this.#characters)
    if (!problem) return false
    this.#host.attempt({ type: 'response.cancel', response_id: this.id })
    this.end('failed', problem)
    return true
  }
}
