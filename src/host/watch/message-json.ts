import type { Message } from '../../parts/index.ts'

/** Messages of a request that a span contains: the latest. */
const MAX_MESSAGES = 50

/** A conversation in the form of `gen_ai.input.messages`. */
export function inputMessages(messages: readonly Message[]): string {
  return JSON.stringify(messages.slice(-MAX_MESSAGES).map(messageOf))
}

/** An answer in the form of `gen_ai.output.messages`. */
export function outputMessages(text: string): string {
  return JSON.stringify([{ role: 'assistant', parts: [textPart(text)] }])
}

function messageOf(message: Message): object {
  if (message.role === 'tool-call') {
    const { id, name, input } = message
    return { role: 'assistant', parts: [{ type: 'tool_call', id, name, arguments: input }] }
  }
  if (message.role === 'tool-result') {
    const { id, output } = message
    return { role: 'tool', parts: [{ type: 'tool_call_response', id, response: output }] }
  }
  const { role, text } = message
  return { role: role === 'agent' ? 'assistant' : role, parts: [textPart(text)] }
}

const textPart = (content: string): object => ({ type: 'text', content })
