/** What happened in a conversation, in order. Plain data, frozen: an item that changes is replaced by a new one. */
export type HistoryItem = MessageItem | ToolItem | HandoffItem

interface AnyItem {
  /** Unique in its history; it stays when the item changes and when the history is resumed. */
  readonly id: string
  /** When it happened: milliseconds since 1970. */
  readonly at: number
}

export interface MessageItem extends AnyItem {
  readonly type: 'message'
  readonly role: 'user' | 'agent'
  /** What was said. Of an agent only what was heard (SP6). */
  readonly text: string
  /** The agent wanted to say more. */
  readonly interrupted?: true
  /** The agent that spoke. */
  readonly agent?: string
}

/** A tool call and its one result in one item: so neither can ever stand without the other (TL2). */
export interface ToolItem extends AnyItem {
  readonly type: 'tool'
  /** The model's name for the call. Models use a name again, so it is not the item's id. */
  readonly call: string
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly input: string
  /** The agent that called. */
  readonly agent?: string
  /** Absent while the tool runs. */
  readonly result?: ToolResult
}

export interface ToolResult {
  readonly output: string
  readonly failed: boolean
  readonly at: number
}

export interface HandoffItem extends AnyItem {
  readonly type: 'handoff'
  readonly from: string
  readonly to: string
}

/** A history as it is stored. */
export interface HistoryJSON {
  readonly version: typeof historyVersion
  /** How many older items were dropped to keep within the limit. */
  readonly dropped: number
  /** The number of the newest id, given away or not. */
  readonly lastId: number
  readonly items: readonly HistoryItem[]
}

export const historyVersion = 1

/**
 * Characters kept of one text. A tool that returns a book would otherwise fill the memory, the stored history, and every
 * request to the model from then on.
 */
export const MAX_TEXT = 100_000
