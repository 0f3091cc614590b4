import { SentenceSplitter } from '../../parts/index.ts'

/** How far a sentence of a speech is: known, heard in part, or heard to its end. */
export interface SegmentProgress {
  readonly id: number
  readonly text: string
  readonly status: 'new' | 'in-progress' | 'completed'
  /** The beginning that was heard. */
  readonly heard: string
}

interface Segment {
  readonly id: number
  readonly text: string
  /** Where it begins in the speech. */
  readonly start: number
  isComplete: boolean
}

/** The sentences of one speech, and how much of each was heard. `nextId` numbers the sentences of a call. */
export class SpeechOutput {
  readonly #nextId: () => number
  readonly #splitter = new SentenceSplitter()
  readonly #segments: Segment[] = []
  /** Characters that are in segments. */
  #length = 0
  #heard = ''

  constructor(nextId: () => number) {
    this.#nextId = nextId
  }

  /** Adds words. Returns the sentences that they complete. */
  add(text: string, last: boolean): SegmentProgress[] {
    const sentences = [...this.#splitter.push(text), ...(last ? this.#splitter.flush() : [])]
    return sentences.flatMap((sentence) => {
      const start = this.#length + (sentence.length - sentence.trimStart().length)
      this.#length += sentence.length
      const words = sentence.trim()
      if (words === '') return []
      const segment: Segment = { id: this.#nextId(), text: words, start, isComplete: false }
      this.#segments.push(segment)
      return [{ id: segment.id, text: words, status: 'new', heard: '' } as const]
    })
  }

  /** The caller has heard this beginning of the speech. Returns the words that are new, and the sentences they belong to. */
  hear(heard: string): { readonly words: string; readonly progress: SegmentProgress[] } {
    if (heard.length <= this.#heard.length) return { words: '', progress: [] }
    const words = heard.slice(this.#heard.length)
    this.#heard = heard
    const progress = this.#segments.flatMap((segment): SegmentProgress[] => {
      const { id, text, start, isComplete } = segment
      if (isComplete || heard.length <= start) return []
      segment.isComplete = heard.length >= start + text.length
      const status = segment.isComplete ? 'completed' : 'in-progress'
      return [{ id, text, status, heard: text.slice(0, heard.length - start) }]
    })
    return { words, progress }
  }
}
