import type { VendorData } from '../../parts/index.ts'

/** One event in a conversation. Frozen plain data: an item that changes is replaced by a new one. */
export type HistoryItem = MessageItem | ToolItem | HandoffItem | KeysItem

interface AnyItem {
  /** Unique within the history. Stays the same when the item changes and when the history is resumed. */
  readonly id: string
  /** When it happened, in milliseconds since 1970. */
  readonly at: number
}

export interface MessageItem extends AnyItem {
  readonly type: 'message'
  readonly role: 'user' | 'agent'
  /** What was said. For an agent, only what was heard (SP6). */
  readonly text: string
  /** Set if the agent was interrupted. */
  readonly interrupted?: true
  /** The agent that spoke. */
  readonly agent?: string
}

/** A tool call together with its result, so that neither can exist without the other (TL2). */
export interface ToolItem extends AnyItem {
  readonly type: 'tool'
  /** The model's id for the call. Models reuse ids, so this is not the item's id. */
  readonly call: string
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly input: string
  /** The agent that called. */
  readonly agent?: string
  /** The id of the first call of the same answer, if this is a later one. */
  readonly with?: string
  /** Absent while the tool runs. */
  readonly result?: ToolResult
}

export interface ToolResult {
  readonly output: string
  /** Whether the model was told of a failure. */
  readonly failed: boolean
  /** Why the tool did not run to its end, if nothing went wrong: the call was cancelled, or was not approved. */
  readonly stopped?: ToolStop
  readonly at: number
}

export type ToolStop = 'cancelled' | 'refused'

export interface HandoffItem extends AnyItem {
  readonly type: 'handoff'
  readonly from: string
  readonly to: string
}

/** Telephone keys that the agent pressed. */
export interface KeysItem extends AnyItem {
  readonly type: 'keys'
  /** The keys and pauses that were pressed, as in `press()`. */
  readonly keys: string
  /** Set if the rest of the keys was not pressed. */
  readonly interrupted?: true
  /** The agent that pressed them. */
  readonly agent?: string
}

/** A stored history, as `history.toJSON()` returns it. */
export interface HistoryJSON {
  readonly version: typeof historyVersion
  /** How many old items were dropped to stay within the limit. */
  readonly dropped: number
  /** The number in the newest id, even if its item was never added. */
  readonly lastId: number
  readonly items: readonly HistoryItem[]
  /** What vendors attached to items, for their models only. By the id of the item. */
  readonly vendor?: Readonly<Record<string, VendorData>>
}

export const historyVersion = 1

/**
 * Maximum length of a text in characters. Otherwise, a tool that returns a book would fill memory, the stored history and
 * every following request to the model.
 */
export const MAX_TEXT = 100_000

/** Maximum characters of vendor data. Models need it for the current turn; the oldest is dropped first. */
export const MAX_VENDOR_DATA = 1024 * 1024
