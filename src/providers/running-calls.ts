import type { Message, ToolCallMessage } from '../parts/index.ts'

/** The calls of a conversation whose result is still to come: those of an earlier model. */
export function runningCalls(messages: readonly Message[]): ToolCallMessage[] {
  const ended = new Set(messages.flatMap((each) => (each.role === 'tool-result' ? [each.id] : [])))
  return messages.flatMap((each) => (each.role === 'tool-call' && !ended.has(each.id) ? [each] : []))
}
