import type { Message } from '../../parts/index.ts'
import type { ClientEvent, NewItem } from './events.ts'

export interface MessageItem {
  readonly type: 'message'
  readonly role: 'system' | 'user' | 'assistant'
  id: string
  /** Undefined until it is transcribed. */
  text: string | undefined
  /** Milliseconds of audio received. */
  duration: number
  /** The index of the audio within the item. */
  contentIndex: number
  /** Whether the item was made on the current connection and has audio there. A carried-over item is only text. */
  hasAudio: boolean
}

interface CallItem {
  readonly type: 'call'
  readonly id: string
  readonly call: string
  readonly name: string
  readonly input: string
}

interface ResultItem {
  readonly type: 'result'
  readonly id: string
  readonly call: string
  readonly output: string
}

export type Item = MessageItem | CallItem | ResultItem

/** Characters that are carried over, roughly what the models can hold. The oldest items are dropped. */
const MAX_CHARACTERS = 120_000
/** Counted per item besides its text. */
const ITEM_OVERHEAD = 100
/** Replaces the text of a user's turn that was never transcribed. */
const UNTRANSCRIBED = '(inaudible)'

/**
 * The conversation as far as it was heard. The service cannot resume a conversation, so each new connection is sent this
 * one item by item, with the same ids, so that a later interruption can still truncate an item (LK8).
 */
export class Memory {
  readonly #items: Item[] = []
  #ids = 0

  constructor(messages: readonly Message[]) {
    for (const message of messages) this.#addPast(message)
  }

  get items(): readonly Item[] {
    return this.#items
  }

  /** Adds a turn of the user, whose text arrives later. A turn that goes on after a pause is already known. */
  addUserTurn(id: string): void {
    if (this.#items.some((each) => each.id === id)) return
    this.#add(messageItem('user', id, undefined, true))
  }

  /** Sets the text of a user's turn. */
  setText(id: string, text: string): void {
    const item = this.#items.find((each) => each.id === id)
    if (item?.type === 'message') item.text = text
  }

  /** Adds a message that the model starts to speak. */
  addModelMessage(id: string): MessageItem {
    const item = messageItem('assistant', id, '', true)
    this.#add(item)
    return item
  }

  addCall(id: string, call: string, name: string, input: string): void {
    this.#add({ type: 'call', id, call, name, input })
  }

  /** Adds a text of the user. Returns the event to send. */
  addUserText(text: string): ClientEvent {
    return creation(this.#addText('user', text))
  }

  /** Adds the result of a call. Returns the event to send; undefined if the call is unknown or already has a result. */
  addResult(call: string, output: string): ClientEvent | undefined {
    const known = this.#items.some((each) => each.type === 'call' && each.call === call)
    const hasResult = this.#items.some((each) => each.type === 'result' && each.call === call)
    if (!known || hasResult) return undefined
    const result: ResultItem = { type: 'result', id: this.#nextId(), call, output }
    this.#add(result)
    return creation(result)
  }

  /** Forgets all but the first `heard` milliseconds. Returns the events that make the service forget them, too. */
  truncate(item: MessageItem, heard: number): ClientEvent[] {
    if (heard <= 0) return [this.remove(item.id)]
    const { id, text = '', duration, contentIndex } = item
    item.text = wordsWithin(text, heard / duration)
    item.duration = heard
    const index = this.#items.indexOf(item)
    if (item.hasAudio || index < 0)
      return [
        {
          type: 'conversation.item.truncate',
          item_id: id,
          content_index: contentIndex,
          audio_end_ms: Math.floor(heard),
        },
      ]
    // The service can truncate audio; text has to be replaced.
    const before = this.#items[index - 1]
    item.id = this.#nextId()
    return [
      { type: 'conversation.item.delete', item_id: id },
      { ...creation(item), previous_item_id: before?.id ?? 'root' },
    ]
  }

  /** Removes an item. Returns the event to send. */
  remove(id: string): ClientEvent {
    const index = this.#items.findIndex((each) => each.id === id)
    if (index >= 0) this.#items.splice(index, 1)
    return { type: 'conversation.item.delete', item_id: id }
  }

  /** Returns the events that recreate the conversation on a new connection. */
  carryOver(): ClientEvent[] {
    const calls = new Set(this.#items.flatMap((each) => (each.type === 'call' ? [each.call] : [])))
    const kept = this.#items.filter((each) => {
      if (each.type === 'result') return calls.has(each.call)
      return each.type === 'call' || each.text !== ''
    })
    for (const each of kept) if (each.type === 'message') each.hasAudio = false
    return kept.map(creation)
  }

  #addPast(message: Message): void {
    if (message.role === 'tool-call')
      return this.addCall(this.#nextId(), message.id, message.name, message.input)
    if (message.role === 'tool-result') {
      this.addResult(message.id, message.output)
      return undefined
    }
    this.#addText(message.role === 'agent' ? 'assistant' : message.role, message.text)
    return undefined
  }

  #addText(role: MessageItem['role'], text: string): MessageItem {
    const item = messageItem(role, this.#nextId(), text, false)
    this.#add(item)
    return item
  }

  #add(item: Item): void {
    this.#items.push(item)
    let size = this.#items.reduce((sum, each) => sum + sizeOf(each), 0)
    while (size > MAX_CHARACTERS && this.#items.length > 1) size -= sizeOf(this.#items.shift()!)
  }

  /** Never equal to an id of the service. */
  #nextId(): string {
    return `own_${++this.#ids}`
  }
}

function messageItem(
  role: MessageItem['role'],
  id: string,
  text: string | undefined,
  hasAudio: boolean,
): MessageItem {
  return { type: 'message', role, id, text, duration: 0, contentIndex: 0, hasAudio }
}

function sizeOf(item: Item): number {
  const text = item.type === 'message' ? item.text : item.type === 'call' ? item.input : item.output
  return ITEM_OVERHEAD + (text?.length ?? 0)
}

function creation(item: Item): Extract<ClientEvent, { type: 'conversation.item.create' }> {
  return { type: 'conversation.item.create', item: newItem(item) }
}

function newItem(item: Item): NewItem {
  const { id } = item
  if (item.type === 'call')
    return { id, type: 'function_call', call_id: item.call, name: item.name, arguments: item.input }
  if (item.type === 'result')
    return { id, type: 'function_call_output', call_id: item.call, output: item.output }
  const { role, text = UNTRANSCRIBED } = item
  return role === 'assistant'
    ? { id, type: 'message', role, content: [{ type: 'output_text', text }] }
    : { id, type: 'message', role, content: [{ type: 'input_text', text }] }
}

/** The whole words within this fraction of a text. */
function wordsWithin(text: string, fraction: number): string {
  const end = Math.round(text.length * Math.min(1, fraction))
  if (end >= text.length || /\s/.test(text[end]!)) return text.slice(0, end).trimEnd()
  return text.slice(0, end).replace(/\S*$/, '').trimEnd()
}
