import type { Message, VendorData } from '../../parts/index.ts'
import { OptionError, clip } from '../../scope/index.ts'
import {
  MAX_TEXT,
  MAX_VENDOR_DATA,
  historyVersion,
  type HandoffItem,
  type HistoryItem,
  type HistoryJSON,
  type KeysItem,
  type MessageItem,
  type ToolItem,
  type ToolResult,
} from './history-item.ts'
import { readHistory } from './history-json.ts'

export interface HistoryOptions {
  /**
   * Maximum number of items, so that neither the history nor the cost of each request to the model grows forever. Beyond
   * it, the oldest exchange is dropped: what the user said, and everything that followed from it. A single exchange that is
   * longer than the limit loses its oldest items. Default: 1,000, hours of conversation.
   */
  readonly maxItems?: number
}

/** A place in the history for words of the user that have not been transcribed yet. */
export interface UserWords {
  /** Sets the words. Blank text leaves no item. Only the first call counts. */
  transcribed(text: string): void
}

/** The words of an agent while they are spoken. */
export interface SpokenWords {
  /** The id that the item has, or will have. */
  readonly id: string
  /** Sets everything heard so far. There is no item while nothing has been heard (SP6). */
  heard(text: string): void
  /** The speech has ended. Later calls have no effect. */
  end(options?: { readonly interrupted?: boolean }): void
}

/** A place in the history. It has no item until something was heard or transcribed. */
interface Place {
  readonly id: string
  item: HistoryItem | undefined
  /** Whether words or a tool's result are still to come. An open place is not dropped. */
  open: boolean
  /** What the vendor attached to the item. Not part of it, because only the model may see it. */
  vendor?: VendorData | undefined
  /** The item as messages for a model, made when they are first needed: every request carries the whole history. */
  messages?: PlaceMessages | undefined
}

interface PlaceMessages {
  /** The words, or the call of a tool. */
  readonly first: Message
  /** The result of the tool. */
  readonly result?: Message
}

/** Holds what a vendor attached to words, which may arrive after the words. */
export interface AttachedData {
  vendor?: VendorData | undefined
}

/**
 * What was said and done in a conversation: only words that were heard (SP6), and every tool call with one result (TL2).
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
  /** How many places have an item. */
  #count = 0
  /** Characters of vendor data, at most: dropped places may still count. */
  #vendorData = 0
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
   * Continues a history that was stored with `toJSON()`. Throws `HistoryError` if it cannot be read. Tools that were
   * running when it was stored count as failed.
   */
  static from(json: unknown, options?: HistoryOptions): History {
    const stored = readHistory(json)
    const history = new History(options)
    history.#dropped = stored.dropped
    history.#lastId = stored.lastId
    for (const item of stored.items) {
      history.#lastId = Math.max(history.#lastId, numberOf(item.id))
      const ended = item.type === 'tool' ? endCutOff(item) : item
      const place: Place = { id: item.id, item: ended, open: false }
      history.#places.push(place)
      history.#count++
      history.#attach(place, stored.vendor?.[item.id])
    }
    history.#changed()
    return history
  }

  /** A frozen snapshot of all items. */
  get items(): readonly HistoryItem[] {
    if (this.#snapshot) return this.#snapshot
    const items: HistoryItem[] = []
    for (const { item } of this.#places) if (item) items.push(item)
    this.#snapshot = Object.freeze(items)
    return this.#snapshot
  }

  /** How many old items were dropped to stay within the limit. */
  get dropped(): number {
    return this.#dropped
  }

  /** Adds what the user said. Blank text adds no item. */
  addUser(text: string, { at }: { readonly at: number }): MessageItem | undefined {
    if (text.trim() === '') return undefined
    const place = this.#place(false)
    return this.#put(place, { type: 'message', id: place.id, role: 'user', text: clip(text, MAX_TEXT), at })
  }

  /** Reserves a place for words of the user that have not been transcribed yet. */
  listen({ at }: { readonly at: number }): UserWords {
    const place = this.#place(true)
    return {
      transcribed: (text) => {
        if (!place.open) return
        place.open = false
        const { id } = place
        if (text.trim() === '') this.#remove(place)
        else this.#put(place, { type: 'message', id, role: 'user', text: clip(text, MAX_TEXT), at })
      },
    }
  }

  /** Reserves a place for words of the agent, which are added as they are heard. */
  speak(options: {
    readonly at: number
    readonly agent?: string | undefined
    /** Kept with the words if all of them were heard. */
    readonly attached?: AttachedData | undefined
  }): SpokenWords {
    const { attached, ...own } = options
    return this.#heard(
      own,
      (text) => ({ type: 'message', role: 'agent', text: clip(text, MAX_TEXT) }),
      attached,
    )
  }

  /** Reserves a place for telephone keys that the agent presses, which are added as they are heard. */
  press(options: { readonly at: number; readonly agent?: string | undefined }): SpokenWords {
    return this.#heard(options, (keys) => ({ type: 'keys', keys }))
  }

  /** Reserves a place for an item that the other side hears little by little. */
  #heard(
    { at, agent }: { readonly at: number; readonly agent?: string | undefined },
    make: (text: string) => Pick<MessageItem, 'type' | 'role' | 'text'> | Pick<KeysItem, 'type' | 'keys'>,
    attached?: AttachedData,
  ): SpokenWords {
    const place = this.#place(true)
    const { id } = place
    let words = ''
    const write = (text: string, interrupted: boolean): void => {
      words = text
      if (text.trim() !== '')
        this.#put(place, {
          ...make(text),
          id,
          at,
          ...(interrupted ? { interrupted } : {}),
          ...(agent === undefined ? {} : { agent }),
        })
      else if (place.open) this.#put(place, undefined)
      else this.#remove(place)
    }
    return {
      id,
      heard: (text) => {
        if (place.open && text !== words) write(text, false)
      },
      end: ({ interrupted = false } = {}) => {
        if (!place.open) return
        place.open = false
        if (!interrupted) this.#attach(place, attached?.vendor)
        write(words, interrupted)
      },
    }
  }

  /** Adds a tool call. Pass the id of the returned item to `endTool`. */
  callTool(call: {
    readonly call: string
    readonly name: string
    readonly input: string
    readonly at: number
    readonly agent?: string | undefined
    /** The id of the first call of the same answer, if this is a later one. */
    readonly with?: string | undefined
    readonly vendor?: VendorData | undefined
  }): ToolItem {
    const { call: modelId, name, input, at, agent, with: first, vendor } = call
    const place = this.#place(true)
    this.#attach(place, vendor)
    return this.#put(place, {
      type: 'tool',
      id: place.id,
      call: modelId,
      name,
      input: clip(input, MAX_TEXT),
      at,
      ...(agent === undefined ? {} : { agent }),
      ...(first === undefined ? {} : { with: first }),
    })
  }

  /** Adds the result of a call. Returns false and changes nothing if the call has a result already or is unknown. */
  endTool(id: string, { output, ...rest }: ToolResult): boolean {
    // From the end, because running tools are near it.
    const place = this.#places.findLast((each) => each.id === id)
    if (!place?.open || place.item?.type !== 'tool') return false
    place.open = false
    const result = Object.freeze({ output: clip(output, MAX_TEXT), ...rest })
    this.#put(place, { ...place.item, result })
    return true
  }

  /** The tool calls without a result. */
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
    const place = this.#place(false)
    return this.#put(place, { type: 'handoff', id: place.id, from, to, at })
  }

  /**
   * The conversation for a model, with the vendor data that belongs to it. The calls of one answer come together, followed
   * by their results. Models reject a call without a result, so the result of a running tool is 'still running'.
   */
  toMessages(): Message[] {
    return asMessages(this.#places)
  }

  toJSON(): HistoryJSON {
    const vendor: Record<string, VendorData> = {}
    for (const place of this.#places) if (place.item && place.vendor) vendor[place.id] = place.vendor
    return {
      version: historyVersion,
      dropped: this.#dropped,
      lastId: this.#lastId,
      items: this.items,
      ...(Object.keys(vendor).length > 0 ? { vendor } : {}),
    }
  }

  #attach(place: Place, vendor: VendorData | undefined): void {
    if (!vendor) return
    place.vendor = vendor
    place.messages = undefined
    this.#vendorData += vendor.data.length
    if (this.#vendorData > MAX_VENDOR_DATA) this.#limitVendorData()
  }

  /** Drops the oldest vendor data beyond the limit. */
  #limitVendorData(): void {
    let size = 0
    this.#vendorData = 0
    for (const place of this.#places.toReversed()) {
      size += place.vendor?.data.length ?? 0
      if (size <= MAX_VENDOR_DATA) this.#vendorData = size
      else if (place.vendor) {
        place.vendor = undefined
        place.messages = undefined
      }
    }
  }

  /** Sets the item of a place. */
  #put<Item extends HistoryItem | undefined>(place: Place, item: Item): Item {
    this.#count += Number(item !== undefined) - Number(place.item !== undefined)
    place.item = item && Object.freeze<HistoryItem>(item)
    place.messages = undefined
    this.#changed()
    return item
  }

  #remove(place: Place): void {
    this.#put(place, undefined)
    const index = this.#places.lastIndexOf(place)
    if (index >= 0) this.#places.splice(index, 1)
  }

  #place(open: boolean): Place {
    const place: Place = { id: `i${++this.#lastId}`, item: undefined, open }
    this.#places.push(place)
    return place
  }

  #changed(): void {
    this.#snapshot = undefined
    while (this.#count > this.#maxItems) {
      const { from, count } = this.#oldest()
      if (count === 0) return
      this.#places.splice(from, count)
      this.#dropped += count
      // A finished place has an item, or it would have been removed.
      this.#count -= count
    }
  }

  /** Where the oldest finished exchange is, except the last exchange; if there is none, the oldest finished item. */
  #oldest(): { readonly from: number; readonly count: number } {
    let from = 0
    let isFinished = true
    for (const [index, { item, open }] of this.#places.entries()) {
      const begins = item?.type === 'message' && item.role === 'user'
      if (begins && index > from) {
        if (isFinished) return { from, count: index - from }
        from = index
        isFinished = true
      }
      if (open) isFinished = false
    }
    const oldest = this.#places.findIndex(({ item, open }) => item && !open)
    return { from: oldest, count: oldest < 0 ? 0 : 1 }
  }
}

/** Gives a call that was stored without a result a failed one. */
function endCutOff(item: ToolItem): ToolItem {
  if (item.result) return item
  const result = { output: 'cut off: the session ended before the tool did', failed: true, at: item.at }
  return Object.freeze({ ...item, result: Object.freeze(result) })
}

/** The number in an id, so that ids stay unique after resuming. */
function numberOf(id: string): number {
  const [, digits] = /^i(\d{1,15})$/.exec(id) ?? []
  return Number(digits ?? 0)
}

function asMessages(places: readonly Place[]): Message[] {
  const messages: Message[] = []
  /** Results that follow the last call of an answer. */
  const results: Message[] = []
  for (const place of places) {
    const { item } = place
    // Models know the keys that they pressed from their tool calls.
    if (!item || item.type === 'handoff' || item.type === 'keys') continue
    if (results.length > 0 && (item.type === 'message' || item.with === undefined))
      messages.push(...results.splice(0))
    const { first, result } = (place.messages ??= messagesOf(item, place.vendor))
    messages.push(first)
    if (result) results.push(result)
  }
  messages.push(...results)
  return messages
}

/** Frozen, because requests share them. */
function messagesOf(item: MessageItem | ToolItem, vendor: VendorData | undefined): PlaceMessages {
  const attached = vendor && { vendor }
  if (item.type === 'message')
    return { first: Object.freeze<Message>({ role: item.role, text: item.text, ...attached }) }
  const { call: id, name, input, result } = item
  const { output, failed } = result ?? { output: 'still running', failed: false }
  return {
    first: Object.freeze<Message>({ role: 'tool-call', id, name, input, ...attached }),
    result: Object.freeze<Message>({ role: 'tool-result', id, name, output, failed }),
  }
}
