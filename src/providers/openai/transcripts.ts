import type { TranscriptionEvent } from './events.ts'

/** Turns of the user whose words are waited for. One more, and the oldest counts as not understood. */
const MOST_WAITING = 8

export interface TranscriptEvents {
  /** The words of a turn so far. */
  interim(text: string, item: string): void
  /** The words of a turn. Unless they are `known` to be all of it, it could not be written down to its end. */
  final(text: string, item: string, known: boolean): void
  /** The service could not write a turn down. */
  failed(error: { readonly code?: string; readonly message?: string }): void
}

interface Waiting {
  text: string
  done: boolean
  known: boolean
}

/** What the user has said, turn by turn, in the order of speaking: the service may finish a later turn first. */
export class Transcripts {
  readonly #events: TranscriptEvents
  readonly #waiting = new Map<string, Waiting>()

  constructor(events: TranscriptEvents) {
    this.#events = events
  }

  /** How many turns have no final words. */
  get size(): number {
    return this.#waiting.size
  }

  /** A turn is over: its words will come. */
  expect(item: string): void {
    this.#turn(item)
    const [oldest] = this.#waiting.values()
    if (this.#waiting.size > MOST_WAITING && oldest) oldest.done = true
    this.#tell()
  }

  heard(event: TranscriptionEvent): void {
    const { item_id: item } = event
    switch (event.type) {
      case 'conversation.item.input_audio_transcription.delta':
        return this.#grows(item, event.delta ?? '')
      case 'conversation.item.input_audio_transcription.completed':
        return this.#ends(item, event.transcript)
      case 'conversation.item.input_audio_transcription.failed':
        this.#events.failed(event.error ?? {})
        return this.#ends(item)
    }
    return undefined
  }

  /** No more words will come: those that are there are final. */
  giveUp(): void {
    for (const turn of this.#waiting.values()) turn.done = true
    this.#tell()
  }

  get #first(): Waiting | undefined {
    return this.#waiting.values().next().value
  }

  #grows(item: string, words: string): void {
    const turn = this.#turn(item)
    turn.text += words
    if (turn === this.#first && turn.text !== '') this.#events.interim(turn.text, item)
  }

  #ends(item: string, text?: string): void {
    const turn = this.#turn(item)
    turn.text = text ?? turn.text
    turn.known = text !== undefined
    turn.done = true
    this.#tell()
  }

  #turn(item: string): Waiting {
    let turn = this.#waiting.get(item)
    if (!turn) this.#waiting.set(item, (turn = { text: '', done: false, known: false }))
    return turn
  }

  /** Tells the turns that are done, as far as none before them is not. */
  #tell(): void {
    let told = false
    for (const [item, { text, done, known }] of this.#waiting) {
      if (!done) {
        // These were held back until it was their turn.
        if (told && text !== '') this.#events.interim(text, item)
        return
      }
      this.#waiting.delete(item)
      this.#events.final(text.trim(), item, known)
      told = true
    }
  }
}
