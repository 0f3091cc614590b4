import type { RealtimeEvents } from '../../parts/index.ts'
import type { InputEvent, TranscriptionEvent } from './events.ts'
import type { Memory } from './memory.ts'
import { Transcripts } from './transcripts.ts'

export interface UserTurnsHost {
  readonly events: RealtimeEvents
  readonly memory: Memory
  /** Whether the user's words are written down. */
  readonly transcribes: boolean
  warn(fields: object, message: string): void
}

/** What the user does, as the service notices it. */
export class UserTurns {
  readonly #host: UserTurnsHost
  readonly #transcripts: Transcripts
  #speaking = false

  constructor(host: UserTurnsHost) {
    const { events, memory } = host
    this.#host = host
    this.#transcripts = new Transcripts({
      interim: (text) => events.userInterim(text),
      final: (text, item, known) => {
        if (known || text !== '') memory.wrote(item, text)
        events.userFinal(text)
      },
      failed: ({ code }) => host.warn({ code }, 'what the user said could not be written down'),
    })
  }

  get speaking(): boolean {
    return this.#speaking
  }

  /** Nobody speaks, and everything is written down. */
  get quiet(): boolean {
    return !this.#speaking && this.#transcripts.size === 0
  }

  input(event: InputEvent): void {
    const { events, memory, transcribes } = this.#host
    switch (event.type) {
      case 'input_audio_buffer.speech_started':
        this.#speaking = true
        return events.userStarted()
      case 'input_audio_buffer.speech_stopped':
        return this.#stopped()
      case 'input_audio_buffer.committed':
        memory.heard(event.item_id)
        if (transcribes) this.#transcripts.expect(event.item_id)
        return undefined
      case 'input_audio_buffer.cleared':
        return undefined
    }
    return undefined
  }

  words(event: TranscriptionEvent): void {
    this.#transcripts.heard(event)
  }

  /** The connection is gone, and with it what it had heard: what is known of it is all there will be. */
  lost(): void {
    this.#transcripts.giveUp()
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
