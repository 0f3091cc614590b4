import type { Message } from '../../parts/index.ts'
import type { ClientEvent, NewItem } from './events.ts'

/** What was said: by whom, and in which words. */
export interface Said {
  readonly type: 'message'
  readonly role: 'system' | 'user' | 'assistant'
  id: string
  /** Undefined as long as nobody has written it down. */
  text: string | undefined
  /** Milliseconds of sound that have come of it, and in which part of the item. */
  sounded: number
  part: number
  /** It was made on this very connection, and has sound there; an item that was carried over is text. */
  native: boolean
}

interface Called {
  readonly type: 'call'
  readonly id: string
  readonly call: string
  readonly name: string
  readonly input: string
}

interface Result {
  readonly type: 'result'
  readonly id: string
  readonly call: string
  readonly output: string
}

export type Remembered = Said | Called | Result

/** Characters of a conversation that are carried over, about what the models can hold. The oldest make room. */
const MOST_CHARACTERS = 120_000
/** What an item costs besides its words. */
const OVERHEAD = 100
/** Stands for a turn of the user that nobody has written down when it is carried over. */
const UNKNOWN_WORDS = '(inaudible)'

/**
 * The conversation as it was heard. The service cannot resume one, so this is told to each new connection, item by item
 * and with the same ids: what is interrupted later can still be cut short (LK8).
 */
export class Memory {
  readonly #items: Remembered[] = []
  #made = 0

  constructor(messages: readonly Message[]) {
    for (const message of messages) this.#recall(message)
  }

  get items(): readonly Remembered[] {
    return this.#items
  }

  // ── what happens ──

  /** The user has said something; the words come later. */
  heard(id: string): void {
    this.#add({ type: 'message', role: 'user', id, text: undefined, sounded: 0, part: 0, native: true })
  }

  /** The words of the user are known. */
  wrote(id: string, text: string): void {
    const item = this.#items.find((each) => each.id === id)
    if (item?.type === 'message') item.text = text
  }

  /** The model begins to say something. */
  speaks(id: string): Said {
    const said: Said = {
      type: 'message',
      role: 'assistant',
      id,
      text: '',
      sounded: 0,
      part: 0,
      native: true,
    }
    this.#add(said)
    return said
  }

  calls(id: string, call: string, name: string, input: string): void {
    this.#add({ type: 'call', id, call, name, input })
  }

  /** A text of the user, to be sent. */
  types(text: string): ClientEvent {
    return creation(this.#say('user', text))
  }

  /** The result of a call, to be sent; undefined if there was no such call, or it has its result. */
  returns(call: string, output: string): ClientEvent | undefined {
    const known = this.#items.some((each) => each.type === 'call' && each.call === call)
    const given = this.#items.some((each) => each.type === 'result' && each.call === call)
    if (!known || given) return undefined
    const result: Result = { type: 'result', id: this.#id(), call, output }
    this.#add(result)
    return creation(result)
  }

  /** Only `heard` milliseconds of it were heard: the rest is forgotten here, and by what is returned there, too. */
  cut(item: Said, heard: number): ClientEvent[] {
    if (heard <= 0) return [this.forget(item.id)]
    const { id, text = '', sounded, part } = item
    item.text = heardOf(text, heard / sounded)
    item.sounded = heard
    const index = this.#items.indexOf(item)
    if (item.native || index < 0)
      return [
        {
          type: 'conversation.item.truncate',
          item_id: id,
          content_index: part,
          audio_end_ms: Math.floor(heard),
        },
      ]
    // It is text there, which can only be replaced.
    const before = this.#items[index - 1]
    item.id = this.#id()
    return [
      { type: 'conversation.item.delete', item_id: id },
      { ...creation(item), previous_item_id: before?.id ?? 'root' },
    ]
  }

  forget(id: string): ClientEvent {
    const index = this.#items.findIndex((each) => each.id === id)
    if (index >= 0) this.#items.splice(index, 1)
    return { type: 'conversation.item.delete', item_id: id }
  }

  /** All of it, for a new connection. */
  carryOver(): ClientEvent[] {
    const calls = new Set(this.#items.flatMap((each) => (each.type === 'call' ? [each.call] : [])))
    const kept = this.#items.filter((each) => {
      if (each.type === 'result') return calls.has(each.call)
      return each.type === 'call' || each.text !== ''
    })
    for (const each of kept) if (each.type === 'message') each.native = false
    return kept.map(creation)
  }

  // ── keeping ──

  #recall(message: Message): void {
    if (message.role === 'tool-call') return this.calls(this.#id(), message.id, message.name, message.input)
    if (message.role === 'tool-result') {
      this.returns(message.id, message.output)
      return undefined
    }
    this.#say(message.role === 'agent' ? 'assistant' : message.role, message.text)
    return undefined
  }

  #say(role: Said['role'], text: string): Said {
    const said: Said = { type: 'message', role, id: this.#id(), text, sounded: 0, part: 0, native: false }
    this.#add(said)
    return said
  }

  #add(item: Remembered): void {
    this.#items.push(item)
    let size = this.#items.reduce((sum, each) => sum + sizeOf(each), 0)
    while (size > MOST_CHARACTERS && this.#items.length > 1) size -= sizeOf(this.#items.shift()!)
  }

  /** Unlike any that the service makes. */
  #id(): string {
    return `own_${++this.#made}`
  }
}

function sizeOf(item: Remembered): number {
  const words = item.type === 'message' ? item.text : item.type === 'call' ? item.input : item.output
  return OVERHEAD + (words?.length ?? 0)
}

function creation(item: Remembered): Extract<ClientEvent, { type: 'conversation.item.create' }> {
  return { type: 'conversation.item.create', item: asNew(item) }
}

function asNew(item: Remembered): NewItem {
  const { id } = item
  if (item.type === 'call')
    return { id, type: 'function_call', call_id: item.call, name: item.name, arguments: item.input }
  if (item.type === 'result')
    return { id, type: 'function_call_output', call_id: item.call, output: item.output }
  const { role, text = UNKNOWN_WORDS } = item
  return role === 'assistant'
    ? { id, type: 'message', role, content: [{ type: 'output_text', text }] }
    : { id, type: 'message', role, content: [{ type: 'input_text', text }] }
}

/** The whole words in this share of a text. */
function heardOf(text: string, share: number): string {
  const end = Math.round(text.length * Math.min(1, share))
  if (end >= text.length || /\s/.test(text[end]!)) return text.slice(0, end).trimEnd()
  return text.slice(0, end).replace(/\S*$/, '').trimEnd()
}
