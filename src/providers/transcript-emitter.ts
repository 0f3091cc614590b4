import type { SttEvents, TranscriptDetails } from '../parts/index.ts'

/** Emits the transcripts of an STT stream. */
export class TranscriptEmitter {
  readonly #events: SttEvents
  /** The last interim text that is not final yet. */
  #interim = ''

  constructor(events: SttEvents) {
    this.#events = events
  }

  /** Emits an interim text if it differs from the last one. */
  interim(text: string): void {
    if (text === this.#interim) return
    this.#interim = text
    this.#events.interim(text)
  }

  /** Emits a final text. An empty one only withdraws the interim text. Returns whether a final text was emitted. */
  final(text: string, details?: TranscriptDetails): boolean {
    if (text === '') {
      this.interim('')
      return false
    }
    this.#interim = ''
    if (details) this.#events.final(text, details)
    else this.#events.final(text)
    return true
  }

  /** Makes the interim text final. Returns whether there was one. */
  finish(): boolean {
    return this.final(this.#interim)
  }
}
