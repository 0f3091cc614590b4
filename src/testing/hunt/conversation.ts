/** A conversation that a hunt has with the agent. */
export interface Conversation {
  /** `book`, or `transfer → lookUpBill`. */
  readonly name: string
  readonly direction: 'inbound' | 'outbound'
  /** The tools that the model calls, one per turn. */
  readonly path: readonly string[]
  /** Whether the caller speaks. Otherwise the caller types, which is faster. */
  readonly isSpoken: boolean
}

/** A moment in a conversation: a number of milliseconds after something has happened. */
export interface Moment {
  /** What happens: a line of the story. */
  readonly anchor: string
  /** Which occurrence of it: 1 for the first. */
  readonly nth: number
  readonly after: number
}

export function conversationOf(
  path: readonly string[],
  direction: Conversation['direction'] = 'inbound',
  isSpoken = false,
): Conversation {
  const tools = path.length === 0 ? 'no tools' : path.join(' → ')
  const how = [direction === 'outbound' ? ['a call out'] : [], isSpoken ? ['spoken'] : []].flat()
  return { name: [...how, tools].join(', '), direction, path, isSpoken }
}

/** What the caller says in each turn of a conversation. */
export function linesOf({ path }: Conversation): string[] {
  return [...path.map((tool) => `I need ${tool}`), 'Thank you']
}
