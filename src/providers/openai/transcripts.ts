import { clip } from '../../scope/index.ts'
import type { TranscriptionEvent } from './events.ts'

/** Turns of the user that may wait for their text. Beyond that, the oldest is emitted as it is. */
const MAX_PENDING = 8
/** Characters of one turn of the user: an hour of speech. */
const MAX_TEXT = 50_000

export interface TranscriptEvents {
  /** The text of a turn so far. */
  interim(text: string, item: string): void
  /** The text of a turn. It is not `complete` if the service failed to transcribe all of it. */
  final(text: string, item: string, complete: boolean): void
  /** The service could not transcribe a turn. */
  failed(error: { readonly code?: string; readonly message?: string }): void
}

interface Turn {
  text: string
  /** Whether the service has all of its audio. A live model sends text before that. */
  committed: boolean
  done: boolean
  complete: boolean
}

/** Emits the user's turns in the order of speaking, although the service may finish a later one first. */
export class Transcripts {
  readonly #events: TranscriptEvents
  readonly #turns = new Map<string, Turn>()

  constructor(events: TranscriptEvents) {
    this.#events = events
  }

  /** The number of turns without a final text. */
  get size(): number {
    return this.#turns.size
  }

  /** The number of complete turns whose final text the service owes. */
  get owed(): number {
    let count = 0
    for (const { committed } of this.#turns.values()) if (committed) count++
    return count
  }

  /** Adds a complete turn, whose text will arrive. */
  expect(item: string): void {
    this.#turn(item).committed = true
    this.#limit()
  }

  /** The audio after the last complete turn was discarded: no more text will arrive for it. */
  finishUncommitted(): void {
    for (const turn of this.#turns.values()) turn.done ||= !turn.committed
    this.#emitDone()
  }

  #limit(): void {
    const [oldest] = this.#turns.values()
    if (this.#turns.size > MAX_PENDING && oldest) oldest.done = true
    this.#emitDone()
  }

  handle(event: TranscriptionEvent): void {
    const { item_id: item } = event
    switch (event.type) {
      case 'conversation.item.input_audio_transcription.delta':
        return this.#append(item, event.delta ?? '')
      case 'conversation.item.input_audio_transcription.completed':
        return this.#finish(item, event.transcript)
      case 'conversation.item.input_audio_transcription.failed':
        this.#events.failed(event.error ?? {})
        return this.#finish(item)
    }
    return undefined
  }

  /** Finishes all turns with the text received so far. */
  finishAll(): void {
    for (const turn of this.#turns.values()) turn.done = true
    this.#emitDone()
  }

  get #first(): Turn | undefined {
    return this.#turns.values().next().value
  }

  #append(item: string, text: string): void {
    const turn = this.#turn(item)
    this.#limit()
    turn.text = clip(turn.text + text, MAX_TEXT)
    if (turn === this.#first && turn.text !== '') this.#events.interim(turn.text, item)
  }

  #finish(item: string, text?: string): void {
    const turn = this.#turn(item)
    turn.text = text ?? turn.text
    turn.complete = text !== undefined
    turn.done = true
    this.#emitDone()
  }

  #turn(item: string): Turn {
    let turn = this.#turns.get(item)
    if (!turn) this.#turns.set(item, (turn = { text: '', committed: false, done: false, complete: false }))
    return turn
  }

  /** Emits the finished turns up to the first unfinished one. */
  #emitDone(): void {
    let emitted = false
    for (const [item, { text, done, complete }] of this.#turns) {
      if (!done) {
        // This turn has become the first: emit the interim text that was held back.
        if (emitted && text !== '') this.#events.interim(text, item)
        return
      }
      this.#turns.delete(item)
      this.#events.final(text.trim(), item, complete)
      emitted = true
    }
  }
}
