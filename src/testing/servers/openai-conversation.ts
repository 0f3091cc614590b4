import type { Ids } from './ids.ts'
import { invalid } from './openai-error.ts'
import type { Held, OpenAIGivenItem, OpenAIItem, OpenAIMessage } from './openai-items.ts'

/** Longer ids are refused. */
const LONGEST_ID = 32

/** What content a message may have when a client brings it: no sound of the assistant can be brought back. */
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  system: ['input_text'],
  user: ['input_text', 'input_audio', 'input_image'],
  assistant: ['output_text'],
}

/** The items of one conversation, kept as the vendor keeps them. What cannot be done throws `ApiError`. */
export class OpenAIConversation {
  readonly id: string
  readonly items: OpenAIItem[] = []
  readonly #ids: Ids
  readonly #msPerCharacter: number
  /** Milliseconds of the assistant's sound, by item. */
  readonly #sounds = new Map<string, number>()

  constructor(ids: Ids, msPerCharacter: number) {
    this.id = ids.next('conv')
    this.#ids = ids
    this.#msPerCharacter = msPerCharacter
  }

  /** The id of the last item. */
  get last(): string | null {
    return this.items.at(-1)?.id ?? null
  }

  /** The id of the item before another. */
  before(id: string): string | null {
    const index = this.items.findIndex((each) => each.id === id)
    return this.items[index - 1]?.id ?? null
  }

  /** Puts an item at the end, or after another; returns the id of the one before it. */
  add(item: OpenAIItem, previous?: string): string | null {
    const at = previous === undefined ? this.items.length : this.#after(previous)
    this.items.splice(at, 0, item)
    return this.items[at - 1]?.id ?? null
  }

  /** An item that a client brings. It is not in the conversation yet. */
  accept(given: OpenAIGivenItem): OpenAIItem {
    const { id = this.#ids.next('item'), call_id = '', name = '', output } = given
    if (id.length > LONGEST_ID) {
      const message = `Invalid 'item.id': string too long. Expected a string with maximum length ${LONGEST_ID}, but got a string with length ${id.length} instead.`
      throw invalid('string_above_max_length', message, 'item.id')
    }
    if (this.items.some((each) => each.id === id))
      throw invalid('invalid_value', `Error adding item: an item with id '${id}' already exists.`, 'item.id')
    const held = { id, object: 'realtime.item', status: 'completed' } as const
    switch (given.type) {
      case 'message':
        return messageOf(held, given)
      case 'function_call':
        return { ...held, type: given.type, call_id, name, arguments: given.arguments ?? '' }
      case 'function_call_output':
        if (!this.items.some((each) => each.type === 'function_call' && each.call_id === call_id)) {
          const message = `Tool call ID '${call_id}' not found in conversation.`
          throw invalid('invalid_tool_call_id', message, 'item.call_id')
        }
        return { ...held, type: given.type, call_id, output: output ?? '' }
      default:
        throw invalid('invalid_value', `Invalid value: '${given.type}'.`, 'item.type')
    }
  }

  find(id: string, doing: string): OpenAIItem {
    const item = this.items.find((each) => each.id === id)
    if (item) return item
    const code = `item_${doing}_invalid_item_id`
    throw invalid(code, `Could not ${doing} item: the item with id '${id}' does not exist.`, 'item_id')
  }

  delete(id: string): void {
    this.items.splice(this.items.indexOf(this.find(id, 'delete')), 1)
  }

  /** An item of the assistant has sounded so much longer. */
  sounded(id: string, ms: number): void {
    this.#sounds.set(id, (this.#sounds.get(id) ?? 0) + ms)
  }

  /** Forgets the sound after `end` and the words that were in it. */
  truncate(id: string, index: number, end: number): void {
    const item = this.find(id, 'truncate')
    const part = item.type === 'message' && item.role === 'assistant' ? item.content[index] : undefined
    if (part?.type !== 'output_audio')
      throw invalid('invalid_value', 'Only model output audio messages can be truncated.', 'item_id')
    const length = Math.round(this.#sounds.get(id) ?? 0)
    if (end > length) {
      const message = `Audio content of ${length}ms is already shorter than ${end}ms`
      throw invalid('invalid_value', message, 'audio_end_ms')
    }
    this.#sounds.set(id, end)
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

function messageOf(held: Held, { role = '', content = [] }: OpenAIGivenItem): OpenAIMessage {
  const allowed = CONTENT[role]
  if (!allowed) throw invalid('invalid_value', `Invalid value: '${role}'.`, 'item.role')
  for (const [index, { type = '' }] of content.entries()) {
    if (allowed.includes(type)) continue
    const values = allowed.map((each) => `'${each}'`).join(', ')
    const message = `Invalid value: '${type}'. Supported values are: ${values}.`
    throw invalid('invalid_value', message, `item.content[${index}].type`)
  }
  return { ...held, type: 'message', role, content } as OpenAIMessage
}
