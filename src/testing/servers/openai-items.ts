/** An item of a conversation, in the vendor's format. */
export type OpenAIItem = OpenAIMessage | OpenAIFunctionCall | OpenAIFunctionCallOutput

export type OpenAIItemStatus = 'completed' | 'incomplete' | 'in_progress'

/** The fields that every item in a conversation has. */
export interface ItemBase {
  id: string
  object: 'realtime.item'
  status: OpenAIItemStatus
}

export type OpenAIMessage =
  | (ItemBase & { type: 'message'; role: 'system'; content: { type: 'input_text'; text: string }[] })
  | (ItemBase & { type: 'message'; role: 'user'; content: OpenAIUserContent[] })
  | (ItemBase & { type: 'message'; role: 'assistant'; content: OpenAIAssistantContent[] })

export type OpenAIAssistantMessage = Extract<OpenAIMessage, { role: 'assistant' }>

export type OpenAIUserContent =
  | { type: 'input_text'; text: string }
  | { type: 'input_audio'; transcript?: string }
  | { type: 'input_image'; image_url?: string }

export type OpenAIAssistantContent =
  | { type: 'output_text'; text: string }
  | { type: 'output_audio'; transcript: string }

export interface OpenAIFunctionCall extends ItemBase {
  type: 'function_call'
  call_id: string
  name: string
  arguments: string
}

export interface OpenAIFunctionCallOutput extends ItemBase {
  type: 'function_call_output'
  call_id: string
  output: string
}

/** An item as the client sends it, not validated. */
export interface OpenAIClientItem {
  type: string
  id?: string
  role?: string
  content?: { type?: string; text?: string; audio?: string; transcript?: string; image_url?: string }[]
  call_id?: string
  name?: string
  arguments?: string
  output?: string | null
}

/** The text of an item, for tests. */
export function textOf(item: OpenAIItem): string {
  if (item.type === 'function_call') return `${item.name}(${item.arguments})`
  if (item.type === 'function_call_output') return item.output
  return item.content
    .map((part) => ('text' in part ? part.text : 'transcript' in part ? part.transcript : ''))
    .join(' ')
}
