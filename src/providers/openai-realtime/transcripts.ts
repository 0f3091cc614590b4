import { clip } from '../../scope/index.ts'
import type { TranscriptionEvent } from './events.ts'

/** Turns of the user that may wait for their text. Beyond that, the oldest is emitted as it is. */
const MAX_PENDING = 8
/** Characters of one turn of the user: an hour of speech. */
const MAX_TEXT = 50_000
/** Turns whose late transcripts are recognised. */
const MAX_EMITTED = 16

export interface TranscriptEvents {
  /** The text of a turn so far. */
  interim(text: string, item: string): void
  /** The text of a turn. It is not `complete` if the service failed to transcribe all of it. */
  final(text: string, item: string, complete: boolean): void
  /** The service could not transcribe a turn. */
  failed(error: { readonly code?: string; readonly message?: string }): void
  /** Another transcript of a turn whose text was final. */
  revised?(text: string, item: string): void
}

interface Turn {
  text: string
  /** Whether the service has all of its audio. A live model sends text before that. */
  committed: boolean
  done: boolean
  complete: boolean
  /** Whether the next complete text is final, even if the service may revise its texts. */
  settled: boolean
}

/** Emits the user's turns in the order of speaking, although the service may finish a later one first. */
export class Transcripts {
  readonly #events: TranscriptEvents
  /** Whether the service may replace a complete text until `settle`. */
  readonly #revises: boolean
  readonly #turns = new Map<string, Turn>()
  /** The latest turns whose text was emitted as final. */
  readonly #emitted: string[] = []

  constructor(events: TranscriptEvents, revises = false) {
    this.#events = events
    this.#revises = revises
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

  /** Whether the final text of this turn has not been emitted yet. */
  has(item: string): boolean {
    return this.#turns.has(item)
  }

  /** Adds a complete turn, whose text will arrive. */
  expect(item: string): void {
    if (this.#emitted.includes(item)) return
    this.#turn(item).committed = true
    this.#limit()
  }

  /** Takes the texts so far, except of `item`: the model answers them, or the user has begun another turn. */
  settle(item?: string): void {
    for (const [each, turn] of this.#turns) {
      if (each === item || !(turn.committed || turn.complete)) continue
      turn.settled = true
      turn.done ||= turn.complete
    }
    this.#emitDone()
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
    if (this.#emitted.includes(item)) return this.#revise(event)
    switch (event.type) {
      case 'conversation.item.input_audio_transcription.delta':
        return this.#append(item, event)
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

  #append(item: string, { delta = '', soFar }: { delta?: string; soFar?: string }): void {
    const turn = this.#turn(item)
    this.#limit()
    turn.text = clip(soFar ?? turn.text + delta, MAX_TEXT)
    this.#emitInterim(item, turn)
  }

  #finish(item: string, text?: string): void {
    const turn = this.#turn(item)
    turn.text = text ?? turn.text
    turn.complete = text !== undefined
    turn.done = !this.#revises || turn.settled
    if (turn.done) this.#emitDone()
    else this.#emitInterim(item, turn)
  }

  #revise(event: TranscriptionEvent): void {
    if (event.type !== 'conversation.item.input_audio_transcription.completed') return
    if (event.transcript !== undefined) this.#events.revised?.(event.transcript.trim(), event.item_id)
  }

  #emitInterim(item: string, turn: Turn): void {
    if (turn === this.#first && turn.text !== '') this.#events.interim(turn.text, item)
  }

  #turn(item: string): Turn {
    let turn = this.#turns.get(item)
    if (!turn) this.#turns.set(item, (turn = newTurn()))
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
      this.#emitted.push(item)
      if (this.#emitted.length > MAX_EMITTED) this.#emitted.shift()
      this.#events.final(text.trim(), item, complete)
      emitted = true
    }
  }
}

function newTurn(): Turn {
  return { text: '', committed: false, done: false, complete: false, settled: false }
}
