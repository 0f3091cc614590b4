import type { TranscriptEntry } from '../protocol.ts'
import { emptyTranscript, type Transcript } from './transcript.ts'

/** The fields of RTVI messages that a transcript is made from. */
export interface RtviMessage {
  readonly type: string
  readonly data?: {
    readonly text?: string
    readonly final?: boolean
    readonly timestamp?: string
    readonly segment_id?: number
    readonly spoken_progress?: { readonly accumulated_text?: string }
    readonly fatal?: boolean
  }
}

/** Makes the transcript of a call from RTVI messages. Like the line's own, it has only those words of the agent that were heard. */
export class RtviTranscript {
  #current = emptyTranscript
  /** What was heard of each sentence of the entry that the agent is at. */
  #sentences = new Map<number, string>()
  /** The entry that the agent is at. */
  #entry: TranscriptEntry | undefined
  /** Added to the ids of the caller's entries. */
  #turns = 0

  /** Returns the transcript if the message has changed it. `now` is in milliseconds since 1970. */
  read({ type, data = {} }: RtviMessage, now: number): Transcript | undefined {
    const {
      text = '',
      final = false,
      timestamp = '',
      segment_id: segment = 0,
      spoken_progress: spoken,
    } = data
    switch (type) {
      case 'user-transcription': {
        if (!final) return this.#become(this.#current.entries, text)
        const at = Date.parse(timestamp)
        const entry = { id: `caller ${++this.#turns}`, by: 'caller', text, at: at || now } as const
        this.#finishEntry()
        return this.#become([...this.#current.entries, entry], '')
      }
      case 'bot-output':
        return this.#hear(segment, spoken?.accumulated_text ?? '', now)
      case 'bot-interrupted': {
        const entry = this.#entry
        this.#finishEntry()
        return entry && this.#replace(entry, { ...entry, interrupted: true })
      }
      case 'bot-stopped-speaking':
        this.#finishEntry()
        return undefined
      default:
        return undefined
    }
  }

  /** The caller has heard so much of a sentence. */
  #hear(segment: number, heard: string, now: number): Transcript | undefined {
    if (heard === '' || this.#sentences.get(segment) === heard) return undefined
    this.#sentences.set(segment, heard)
    const text = [...this.#sentences.values()].join(' ')
    const before = this.#entry
    this.#entry = before ? { ...before, text } : { id: `agent ${segment}`, by: 'agent', text, at: now }
    return this.#replace(before, this.#entry)
  }

  #finishEntry(): void {
    this.#sentences = new Map()
    this.#entry = undefined
  }

  #replace(before: TranscriptEntry | undefined, entry: TranscriptEntry): Transcript {
    const { entries, interim } = this.#current
    const others = before ? entries.filter(({ id }) => id !== before.id) : entries
    return this.#become([...others, entry], interim)
  }

  #become(entries: readonly TranscriptEntry[], interim: string): Transcript {
    this.#current = { entries, interim }
    return this.#current
  }
}
