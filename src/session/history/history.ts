import type { Message } from '../../parts/index.ts'
import { OptionError, clip } from '../../scope/index.ts'
import {
  MAX_TEXT,
  historyVersion,
  type HandoffItem,
  type HistoryItem,
  type HistoryJSON,
  type MessageItem,
  type ToolItem,
  type ToolResult,
} from './history-item.ts'
import { readHistory } from './history-json.ts'

export interface HistoryOptions {
  /**
   * Items that are kept; 1,000 unless set, which is hours of talk. A call that never ends must not grow for ever, nor
   * make each request to the model dearer than the last. Beyond it the oldest exchange is dropped: what the user said
   * and all that came of it. A single exchange that is longer than that loses its oldest items.
   */
  readonly maxItems?: number
}

/** The place of something that the user has said. */
export interface UserWords {
  /** Once: blank words leave no item, and what comes later changes nothing. */
  are(text: string): void
}

/** The words of an agent while they are spoken. */
export interface SpokenWords {
  /** The id that the item has, or will have. */
  readonly id: string
  /** Everything heard so far; replaces what was there before. While nothing was heard, there is no item (SP6). */
  heard(text: string): void
  /** Nothing more will be heard. Later calls change nothing. */
  end(options?: { readonly interrupted?: boolean }): void
}

/** A place in the history. It holds no item while nothing of a speech was heard. */
interface Place {
  readonly id: string
  item: HistoryItem | undefined
  /** More is to come: words, or a tool's result. It is not dropped meanwhile. */
  open: boolean
}

/**
 * What was said and done in a conversation: only what was heard (SP6), and every tool call with one result (TL2).
 *
 * @example
 * const history = new History()
 * history.addUser('Are you open?', { at: clock.date() })
 * const words = history.speak({ at: clock.date(), agent: 'desk' })
 * words.heard('Yes, until')
 * words.end({ interrupted: true })
 * history.items // a frozen snapshot
 */
export class History {
  readonly #maxItems: number
  #places: Place[] = []
  #lastId = 0
  #dropped = 0
  #snapshot: readonly HistoryItem[] | undefined

  constructor({ maxItems = 1_000 }: HistoryOptions = {}) {
    if (!Number.isSafeInteger(maxItems) || maxItems < 1) {
      throw new OptionError(`maxItems must be a whole number, 1 or more; it is ${maxItems}`)
    }
    this.#maxItems = maxItems
  }

  /**
   * Goes on with a history that was stored by `toJSON()`. Throws `HistoryError` if it is none. A tool that was running
   * when it was stored has failed: nobody is left to bring its result.
   */
  static from(json: unknown, options?: HistoryOptions): History {
    const stored = readHistory(json)
    const history = new History(options)
    history.#dropped = stored.dropped
    history.#lastId = stored.lastId
    for (const item of stored.items) {
      history.#lastId = Math.max(history.#lastId, numberOf(item.id))
      history.#places.push({ id: item.id, item: item.type === 'tool' ? cutOff(item) : item, open: false })
    }
    history.#changed()
    return history
  }

  /** All items so far: frozen, and not changed by what happens later. */
  get items(): readonly HistoryItem[] {
    if (this.#snapshot) return this.#snapshot
    const items: HistoryItem[] = []
    for (const { item } of this.#places) if (item) items.push(item)
    this.#snapshot = Object.freeze(items)
    return this.#snapshot
  }

  /** How many older items were dropped to keep within the limit. */
  get dropped(): number {
    return this.#dropped
  }

  /** The user has said something. Blank text makes no item. */
  addUser(text: string, { at }: { readonly at: number }): MessageItem | undefined {
    if (text.trim() === '') return undefined
    return this.#add((id): MessageItem => ({
      type: 'message',
      id,
      role: 'user',
      text: clip(text, MAX_TEXT),
      at,
    }))
  }

  /** The user has said something that is not understood yet: its words will stand here. */
  listen({ at }: { readonly at: number }): UserWords {
    const place = this.#place(true)
    return {
      are: (text) => {
        if (!place.open) return
        place.open = false
        const { id } = place
        if (text.trim() === '') this.#places = this.#places.filter((each) => each !== place)
        else place.item = Object.freeze({ type: 'message', id, role: 'user', text: clip(text, MAX_TEXT), at })
        this.#changed()
      },
    }
  }

  /** The agent begins to speak: its words will stand here, as far as they are heard. */
  speak(options: { readonly at: number; readonly agent?: string | undefined }): SpokenWords {
    const { at, agent } = options
    const place = this.#place(true)
    const { id } = place
    let words = ''
    const write = (text: string, interrupted: boolean): void => {
      words = text
      if (text.trim() === '') place.item = undefined
      else
        place.item = Object.freeze({
          type: 'message',
          id,
          role: 'agent',
          text: clip(text, MAX_TEXT),
          at,
          ...(interrupted ? { interrupted } : {}),
          ...(agent === undefined ? {} : { agent }),
        })
      if (!place.open && !place.item) this.#places = this.#places.filter((each) => each !== place)
      this.#changed()
    }
    return {
      id,
      heard: (text) => {
        if (place.open && text !== words) write(text, false)
      },
      end: ({ interrupted = false } = {}) => {
        if (!place.open) return
        place.open = false
        write(words, interrupted)
      },
    }
  }

  /** The model calls a tool. Give the item's id to `endTool`. */
  callTool(call: {
    readonly call: string
    readonly name: string
    readonly input: string
    readonly at: number
    readonly agent?: string | undefined
  }): ToolItem {
    const { call: theirs, name, input, at, agent } = call
    return this.#add(
      (id): ToolItem => ({
        type: 'tool',
        id,
        call: theirs,
        name,
        input: clip(input, MAX_TEXT),
        at,
        ...(agent === undefined ? {} : { agent }),
      }),
      true,
    )
  }

  /** The one result of a call. Returns false, and changes nothing, if it has one already or is not known. */
  endTool(id: string, { output, failed, at }: ToolResult): boolean {
    const place = this.#places.find((each) => each.id === id)
    if (!place?.open || place.item?.type !== 'tool') return false
    place.open = false
    place.item = Object.freeze({
      ...place.item,
      result: Object.freeze({ output: clip(output, MAX_TEXT), failed, at }),
    })
    this.#changed()
    return true
  }

  /** The tool calls that have no result yet. */
  get runningTools(): readonly ToolItem[] {
    return this.items.filter((item): item is ToolItem => item.type === 'tool' && !item.result)
  }

  /** Another agent takes over. */
  handOff({
    from,
    to,
    at,
  }: {
    readonly from: string
    readonly to: string
    readonly at: number
  }): HandoffItem {
    return this.#add((id): HandoffItem => ({ type: 'handoff', id, from, to, at }))
  }

  /** The conversation as a model reads it. Models refuse a call without a result, so one that runs says that it does. */
  toMessages(): Message[] {
    return this.items.flatMap(asMessages)
  }

  toJSON(): HistoryJSON {
    return { version: historyVersion, dropped: this.#dropped, lastId: this.#lastId, items: this.items }
  }

  #add<Item extends HistoryItem>(make: (id: string) => Item, open = false): Item {
    const place = this.#place(open)
    const item = make(place.id)
    place.item = Object.freeze<HistoryItem>(item)
    this.#changed()
    return item
  }

  #place(open: boolean): Place {
    const place: Place = { id: `i${++this.#lastId}`, item: undefined, open }
    this.#places.push(place)
    return place
  }

  #changed(): void {
    this.#snapshot = undefined
    for (let over = this.#count() - this.#maxItems; over > 0; over = this.#count() - this.#maxItems) {
      const old = new Set(this.#oldest())
      if (old.size === 0) return
      this.#places = this.#places.filter((place) => !old.has(place))
      this.#dropped += old.size
    }
  }

  #count(): number {
    let count = 0
    for (const { item } of this.#places) if (item) count++
    return count
  }

  /** The oldest exchange that is over, but never the last one; if there is none, the oldest item that is. */
  #oldest(): readonly Place[] {
    const exchanges: Place[][] = [[]]
    for (const place of this.#places) {
      const begins = place.item?.type === 'message' && place.item.role === 'user'
      if (begins && exchanges.at(-1)!.length > 0) exchanges.push([])
      exchanges.at(-1)!.push(place)
    }
    const over = exchanges.slice(0, -1).find((exchange) => exchange.every(({ open }) => !open))
    return over ?? this.#places.filter(({ item, open }) => item && !open).slice(0, 1)
  }
}

function cutOff(item: ToolItem): ToolItem {
  if (item.result) return item
  const result = { output: 'cut off: the session ended before the tool did', failed: true, at: item.at }
  return Object.freeze({ ...item, result: Object.freeze(result) })
}

/** The number in an id of ours, so that new ids are new after resuming, too. */
function numberOf(id: string): number {
  const [, digits] = /^i(\d{1,15})$/.exec(id) ?? []
  return Number(digits ?? 0)
}

function asMessages(item: HistoryItem): Message[] {
  if (item.type === 'message') return [{ role: item.role, text: item.text }]
  if (item.type === 'handoff') return []
  const { call: id, name, input, result } = item
  const { output, failed } = result ?? { output: 'still running', failed: false }
  return [
    { role: 'tool-call', id, name, input },
    { role: 'tool-result', id, name, output, failed },
  ]
}
