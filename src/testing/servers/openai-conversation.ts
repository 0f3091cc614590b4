import type { Ids } from './ids.ts'
import { invalid } from './openai-error.ts'
import type { ItemBase, OpenAIClientItem, OpenAIItem, OpenAIMessage } from './openai-items.ts'

const MAX_ID_LENGTH = 32

/** The content types that a client may send, by role. The assistant's audio cannot be sent back. */
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  system: ['input_text'],
  user: ['input_text', 'input_audio', 'input_image'],
  assistant: ['output_text'],
}

/** The items of one conversation, handled as the vendor does. Invalid operations throw `ApiError`. */
export class OpenAIConversation {
  readonly id: string
  readonly items: OpenAIItem[] = []
  readonly #ids: Ids
  readonly #msPerCharacter: number
  /** Milliseconds of the assistant's audio, by item. */
  readonly #durations = new Map<string, number>()

  constructor(ids: Ids, msPerCharacter: number) {
    this.id = ids.next('conv')
    this.#ids = ids
    this.#msPerCharacter = msPerCharacter
  }

  /** The conversation that a response out of band answers: these items, or without them a copy of this one. */
  copy(input?: readonly (OpenAIClientItem | { type: 'item_reference'; id: string })[]): OpenAIConversation {
    const copy = new OpenAIConversation(this.#ids, this.#msPerCharacter)
    const items = input?.map((each) =>
      each.type === 'item_reference' ? this.find(each.id ?? '', 'retrieve') : copy.accept(each),
    )
    copy.items.push(...(items ?? this.items))
    return copy
  }

  /** The id of the last item; null without items. */
  get last(): string | null {
    return this.items.at(-1)?.id ?? null
  }

  /** The id of the item before this one; null for the first. */
  before(id: string): string | null {
    const index = this.items.findIndex((each) => each.id === id)
    return this.items[index - 1]?.id ?? null
  }

  /** Adds an item at the end or after `previous`. Returns the id of the item before it. */
  add(item: OpenAIItem, previous?: string): string | null {
    const at = previous === undefined ? this.items.length : this.#after(previous)
    this.items.splice(at, 0, item)
    return this.items[at - 1]?.id ?? null
  }

  /** Validates an item of the client. Does not add it to the conversation. */
  accept(given: OpenAIClientItem): OpenAIItem {
    const { id = this.#ids.next('item'), call_id = '', name = '', output } = given
    if (id.length > MAX_ID_LENGTH) {
      const message = `Invalid 'item.id': string too long. Expected a string with maximum length ${MAX_ID_LENGTH}, but got a string with length ${id.length} instead.`
      throw invalid('string_above_max_length', message, 'item.id')
    }
    if (this.items.some((each) => each.id === id))
      throw invalid('invalid_value', `Error adding item: an item with id '${id}' already exists.`, 'item.id')
    const base = { id, object: 'realtime.item', status: 'completed' } as const
    switch (given.type) {
      case 'message':
        return messageOf(base, given)
      case 'function_call':
        return { ...base, type: given.type, call_id, name, arguments: given.arguments ?? '' }
      case 'function_call_output':
        if (!this.items.some((each) => each.type === 'function_call' && each.call_id === call_id)) {
          const message = `Tool call ID '${call_id}' not found in conversation.`
          throw invalid('invalid_tool_call_id', message, 'item.call_id')
        }
        return { ...base, type: given.type, call_id, output: output ?? '' }
      default:
        throw invalid('invalid_value', `Invalid value: '${given.type}'.`, 'item.type')
    }
  }

  find(id: string, operation: string): OpenAIItem {
    const item = this.items.find((each) => each.id === id)
    if (item) return item
    const code = `item_${operation}_invalid_item_id`
    throw invalid(code, `Could not ${operation} item: the item with id '${id}' does not exist.`, 'item_id')
  }

  delete(id: string): void {
    this.items.splice(this.items.indexOf(this.find(id, 'delete')), 1)
  }

  /** Adds to the duration of an item of the assistant. */
  addAudio(id: string, ms: number): void {
    this.#durations.set(id, (this.#durations.get(id) ?? 0) + ms)
  }

  /** Removes the audio after `end`, and its words. */
  truncate(id: string, index: number, end: number): void {
    const item = this.find(id, 'truncate')
    const part = item.type === 'message' && item.role === 'assistant' ? item.content[index] : undefined
    if (part?.type !== 'output_audio')
      throw invalid('invalid_value', 'Only model output audio messages can be truncated.', 'item_id')
    const length = Math.round(this.#durations.get(id) ?? 0)
    if (end > length) {
      const message = `Audio content of ${length}ms is already shorter than ${end}ms`
      throw invalid('invalid_value', message, 'audio_end_ms')
    }
    this.#durations.set(id, end)
    part.transcript = part.transcript.slice(0, Math.floor(end / this.#msPerCharacter))
  }

  #after(previous: string): number {
    if (previous === 'root') return 0
    const index = this.items.findIndex(({ id }) => id === previous)
    if (index >= 0) return index + 1
    throw invalid(
      'item_create_invalid_previous_item_id',
      `Could not create item: the previous item with id '${previous}' does not exist.`,
      'previous_item_id',
    )
  }
}

function messageOf(base: ItemBase, { role = '', content = [] }: OpenAIClientItem): OpenAIMessage {
  const allowed = CONTENT[role]
  if (!allowed) throw invalid('invalid_value', `Invalid value: '${role}'.`, 'item.role')
  for (const [index, { type = '' }] of content.entries()) {
    if (allowed.includes(type)) continue
    const values = allowed.map((each) => `'${each}'`).join(', ')
    const message = `Invalid value: '${type}'. Supported values are: ${values}.`
    throw invalid('invalid_value', message, `item.content[${index}].type`)
  }
  return { ...base, type: 'message', role, content } as OpenAIMessage
}
