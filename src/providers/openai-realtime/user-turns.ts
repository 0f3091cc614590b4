import type { RealtimeEvents } from '../../parts/index.ts'
import type { InputEvent, TranscriptionEvent } from './events.ts'
import type { Memory } from './memory.ts'
import { Transcripts } from './transcripts.ts'

export interface UserTurnsHost {
  readonly events: RealtimeEvents
  readonly memory: Memory
  /** Whether the service transcribes the user's turns. */
  readonly transcribes: boolean
  /** Whether a complete transcript may be replaced by another one until the model answers. */
  readonly revisesTranscripts: boolean
  warn(fields: object, message: string): void
}

/** The user's speech and its transcripts, as reported by the service. */
export class UserTurns {
  readonly #host: UserTurnsHost
  readonly #transcripts: Transcripts
  #speaking = false

  constructor(host: UserTurnsHost) {
    const { events, memory } = host
    this.#host = host
    this.#transcripts = new Transcripts(
      {
        interim: (text) => events.userInterim(text),
        final: (text, item, complete) => {
          if (complete || text !== '') memory.setText(item, text)
          events.userFinal(text)
        },
        failed: ({ code }) => host.warn({ code }, "the service could not transcribe the user's turn"),
        revised: (text, item) => memory.setText(item, text),
      },
      host.revisesTranscripts,
    )
  }

  get speaking(): boolean {
    return this.#speaking
  }

  /** Whether the user is silent and every turn is transcribed. */
  get quiet(): boolean {
    return !this.#speaking && this.#transcripts.size === 0
  }

  handleInput(event: InputEvent): void {
    const { events, memory, transcribes } = this.#host
    switch (event.type) {
      case 'input_audio_buffer.speech_started':
        this.#transcripts.settle(event.item_id)
        // The turn goes on after a pause. Each stop has one final text; that of the pause is empty.
        if (this.#transcripts.has(event.item_id)) events.userFinal('')
        this.#speaking = true
        return events.userStarted()
      case 'input_audio_buffer.speech_stopped':
        return this.#stopped()
      case 'input_audio_buffer.committed':
        memory.addUserTurn(event.item_id)
        if (transcribes) this.#transcripts.expect(event.item_id)
        return undefined
      case 'input_audio_buffer.cleared':
        return undefined
    }
    return undefined
  }

  /** Takes the transcripts so far: the model answers them, or no others will arrive. */
  settle(): void {
    this.#transcripts.settle()
  }

  handleTranscription(event: TranscriptionEvent): void {
    this.#transcripts.handle(event)
  }

  /** The connection was lost, and with it the audio it had received: no more text will arrive. */
  lost(): void {
    this.#transcripts.finishAll()
    if (!this.#speaking) return
    this.#stopped()
    this.#host.events.userFinal('')
  }

  #stopped(): void {
    if (!this.#speaking) return
    this.#speaking = false
    this.#host.events.userStopped()
  }
}
