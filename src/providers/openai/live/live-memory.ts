import type { Message } from '../../../parts/index.ts'
import type { LiveItem } from './live-events.ts'

/** The service's limits for the conversation before a session: messages, and 8,192 tokens, in bytes of UTF-8. */
const MAX_ITEMS = 128
const MAX_BYTES = 24_000
/** 500 tokens, the service's limit for what is appended to a session, in bytes of UTF-8. */
const MAX_APPENDED = 1_500

/** Its text may change. */
export interface Entry {
  readonly role: LiveItem['role']
  readonly text: string
}

const roles = { system: 'developer', user: 'user', agent: 'assistant' } as const

/** What a new session needs to continue the conversation. The service takes it as text. */
export class LiveMemory {
  #entries: Entry[] = []
  #added = 0

  constructor(messages: readonly Message[]) {
    for (const message of messages) {
      if (message.role === 'tool-call') continue
      if (message.role === 'tool-result')
        this.add({ role: 'developer', text: resultText(message.name, message.output) })
      else this.add({ role: roles[message.role], text: message.text })
    }
  }

  /** How many entries have been added in all. */
  get added(): number {
    return this.#added
  }

  /** Whether the user spoke last. */
  get awaitsAnswer(): boolean {
    return this.#entries.at(-1)?.role === 'user'
  }

  /** Adds an entry. `late` means that it belongs before the last one. */
  add(entry: Entry, late = false): void {
    this.#added++
    const { length } = this.#entries
    this.#entries.splice(late ? Math.max(0, length - 1) : length, 0, entry)
    if (this.#entries.length > MAX_ITEMS) this.#entries.shift()
  }

  /** The newest entries that fit into the limits of a new session. */
  items(): LiveItem[] {
    const items: LiveItem[] = []
    let bytes = 0
    for (const { role, text } of this.#entries.toReversed()) {
      bytes += Buffer.byteLength(text)
      if (bytes > MAX_BYTES) break
      if (text.trim() === '') continue
      const type = role === 'assistant' ? 'output_text' : 'input_text'
      items.unshift({ type: 'message', role, content: [{ type, text }] })
    }
    return items
  }

  /** The texts of the entries since `added` had this value. */
  since(added: number): string[] {
    const count = Math.min(this.#added - added, this.#entries.length)
    return this.#entries.slice(this.#entries.length - count).map(({ role, text }) => `${role}: ${text}`)
  }
}

export const resultText = (tool: string, output: string): string => `The tool ${tool} returned: ${output}`

/** Splits a text into pieces that can be appended to a session, between words if possible. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const word of text.match(/\s*\S{1,300}/gu) ?? []) {
    if (piece !== '' && Buffer.byteLength(piece + word) > MAX_APPENDED) {
      pieces.push(piece)
      piece = ''
    }
    piece += word
  }
  return piece === '' ? pieces : [...pieces, piece]
}
