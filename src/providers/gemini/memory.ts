import type { Message } from '../../parts/index.ts'
import { parseObject } from '../parse-object.ts'
import { responseOf } from './calls.ts'
import type { Content } from './messages.ts'

/** The oldest contents beyond this number are dropped. A service that sends handles never lets it get that far. */
const MAX_CONTENTS = 1_000

/**
 * What a new connection needs to continue the conversation: the service's last resumption handle, and as text what was
 * said since. A resumed service knows nothing that came after the handle.
 */
export class Memory {
  #handle: string | undefined
  #sinceHandle: Content[]
  #awaitsAnswer = false

  /** `messages` is the conversation before the first connection. */
  constructor(messages: readonly Message[]) {
    this.#sinceHandle = messages.map(contentOf)
  }

  get handle(): string | undefined {
    return this.#handle
  }

  get sinceHandle(): Content[] {
    return [...this.#sinceHandle]
  }

  /** Whether the user spoke last and the model has not answered. */
  get awaitsAnswer(): boolean {
    return this.#awaitsAnswer
  }

  /** Stores a handle that covers everything said so far. */
  setHandle(handle: string): void {
    this.#handle = handle
    this.#sinceHandle = []
  }

  add(...contents: readonly Content[]): void {
    this.#sinceHandle.push(...contents)
    const excess = this.#sinceHandle.length - MAX_CONTENTS
    if (excess > 0) this.#sinceHandle.splice(0, excess)
  }

  addUserText(text: string): void {
    this.#awaitsAnswer = true
    this.add(textOf('user', text))
  }

  answerStarted(): void {
    this.#awaitsAnswer = false
  }

  /** Appends to what the model is saying. */
  addModelText(text: string): void {
    const part = this.#lastText('model')
    if (part) part.text += text
    else this.add(textOf('model', text))
  }

  #lastText(role: Content['role']): { text: string } | undefined {
    const content = this.#sinceHandle.at(-1)
    const part = content?.role === role ? content.parts.at(-1) : undefined
    return part && 'text' in part ? part : undefined
  }
}

export const textOf = (role: Content['role'], text: string): Content => ({ role, parts: [{ text }] })

/** The service has only two roles, so system messages are sent as the user's. */
function contentOf(message: Message): Content {
  const { role } = message
  if (role === 'tool-call') {
    const { id, name, input } = message
    return { role: 'model', parts: [{ functionCall: { id, name, args: parseObject(input) } }] }
  }
  if (role === 'tool-result') {
    const { output, failed } = message
    return { role: 'user', parts: [{ functionResponse: responseOf(message, output, failed) }] }
  }
  return textOf(role === 'agent' ? 'model' : 'user', message.text)
}
