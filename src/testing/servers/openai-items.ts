/** What a conversation is made of. Each is one of the vendor's items, so that a client can be sent it as it is. */
export type OpenAIItem = OpenAIMessage | OpenAIFunctionCall | OpenAIFunctionCallOutput

export type OpenAIItemStatus = 'completed' | 'incomplete' | 'in_progress'

/** What every item has once it is in a conversation. */
export interface Held {
  id: string
  object: 'realtime.item'
  status: OpenAIItemStatus
}

export type OpenAIMessage =
  | (Held & { type: 'message'; role: 'system'; content: { type: 'input_text'; text: string }[] })
  | (Held & { type: 'message'; role: 'user'; content: OpenAIUserContent[] })
  | (Held & { type: 'message'; role: 'assistant'; content: OpenAIAssistantContent[] })

export type OpenAIAssistantMessage = Extract<OpenAIMessage, { role: 'assistant' }>

export type OpenAIUserContent =
  | { type: 'input_text'; text: string }
  | { type: 'input_audio'; transcript?: string }
  | { type: 'input_image'; image_url?: string }

export type OpenAIAssistantContent =
  | { type: 'output_text'; text: string }
  | { type: 'output_audio'; transcript: string }

export interface OpenAIFunctionCall extends Held {
  type: 'function_call'
  call_id: string
  name: string
  arguments: string
}

export interface OpenAIFunctionCallOutput extends Held {
  type: 'function_call_output'
  call_id: string
  output: string
}

/** An item as a client gives it: nothing about it is certain. */
export interface OpenAIGivenItem {
  type: string
  id?: string
  role?: string
  content?: { type?: string; text?: string; audio?: string; transcript?: string; image_url?: string }[]
  call_id?: string
  name?: string
  arguments?: string
  output?: string | null
}

/** The words of an item, for tests to read. */
export function wordsOf(item: OpenAIItem): string {
  if (item.type === 'function_call') return `${item.name}(${item.arguments})`
  if (item.type === 'function_call_output') return item.output
  return item.content
    .map((part) => ('text' in part ? part.text : 'transcript' in part ? part.transcript : ''))
    .join(' ')
}
