import type { Message } from '../../parts/index.ts'
import { responseOf } from './calls.ts'
import type { Content } from './messages.ts'

/** Pieces that are kept: the oldest make room. A service that gives handles never lets it come to that. */
const MOST = 1_000

/**
 * What it takes to go on with a conversation over another connection: the handle that the service gave last, and what
 * was said since, in words. A service that is asked to resume knows of nothing that came after the handle.
 */
export class Memory {
  #handle: string | undefined
  #since: Content[]
  #owes = false

  /** Begins with what was said before the first connection. */
  constructor(messages: readonly Message[]) {
    this.#since = messages.map(contentOf)
  }

  get handle(): string | undefined {
    return this.#handle
  }

  /** What was said since the handle. */
  get since(): Content[] {
    return [...this.#since]
  }

  /** The user has spoken last, and nobody has answered. */
  get owes(): boolean {
    return this.#owes
  }

  /** The service remembers everything up to here. */
  keep(handle: string): void {
    this.#handle = handle
    this.#since = []
  }

  add(...contents: readonly Content[]): void {
    this.#since.push(...contents)
    if (this.#since.length > MOST) this.#since.splice(0, this.#since.length - MOST)
  }

  userSaid(words: string): void {
    this.#owes = true
    this.add(textOf('user', words))
  }

  /** The model has begun to answer. */
  answered(): void {
    this.#owes = false
  }

  /** The next words of the model. */
  modelSaid(words: string): void {
    const part = this.#last('model')
    if (part) part.text += words
    else this.add(textOf('model', words))
  }

  #last(role: Content['role']): { text: string } | undefined {
    const content = this.#since.at(-1)
    const part = content?.role === role ? content.parts.at(-1) : undefined
    return part && 'text' in part ? part : undefined
  }
}

export const textOf = (role: Content['role'], text: string): Content => ({ role, parts: [{ text }] })

/** The service knows two roles: what neither has said is told to it as the user's. */
function contentOf(message: Message): Content {
  const { role } = message
  if (role === 'tool-call') {
    const { id, name, input } = message
    return { role: 'model', parts: [{ functionCall: { id, name, args: argsOf(input) } }] }
  }
  if (role === 'tool-result') {
    const { output, failed } = message
    return { role: 'user', parts: [{ functionResponse: responseOf(message, output, failed) }] }
  }
  return textOf(role === 'agent' ? 'model' : 'user', message.text)
}

/** The service takes objects only; what a model has written wrong is lost. */
function argsOf(input: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(input)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
