import { textOf, type OpenAIItem } from './openai-items.ts'

/** What the model answers: the input since its last answer, and the whole conversation. */
export interface OpenAITurn {
  /** The user's words. */
  readonly user: string
  /** The instructions for this answer alone. */
  readonly instructions: string | undefined
  /** The tool outputs. */
  readonly results: readonly { readonly id: string; readonly output: string }[]
  readonly conversation: readonly OpenAIItem[]
}

export function turnOf(items: readonly OpenAIItem[], instructions: string | undefined): OpenAITurn {
  const fresh = items.slice(items.findLastIndex(isByModel) + 1)
  const user = fresh.filter((item) => item.type === 'message' && item.role === 'user')
  return {
    user: user.map(textOf).join(' '),
    instructions,
    results: fresh.flatMap((item) =>
      item.type === 'function_call_output' ? [{ id: item.call_id, output: item.output }] : [],
    ),
    conversation: [...items],
  }
}

function isByModel(item: OpenAIItem): boolean {
  return item.type === 'function_call' || (item.type === 'message' && item.role === 'assistant')
}
