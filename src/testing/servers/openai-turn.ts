import { wordsOf, type OpenAIItem } from './openai-items.ts'

/** What the model was asked: what came since it spoke last, and what it remembers. */
export interface OpenAITurn {
  /** The user's words. */
  readonly user: string
  /** For this answer alone. */
  readonly instructions: string | undefined
  /** Outputs of tools. */
  readonly results: readonly { readonly id: string; readonly output: string }[]
  readonly conversation: readonly OpenAIItem[]
}

export function turnOf(items: readonly OpenAIItem[], instructions: string | undefined): OpenAITurn {
  const fresh = items.slice(items.findLastIndex(isOfTheModel) + 1)
  const user = fresh.filter((item) => item.type === 'message' && item.role === 'user')
  return {
    user: user.map(wordsOf).join(' '),
    instructions,
    results: fresh.flatMap((item) =>
      item.type === 'function_call_output' ? [{ id: item.call_id, output: item.output }] : [],
    ),
    conversation: [...items],
  }
}

function isOfTheModel(item: OpenAIItem): boolean {
  return item.type === 'function_call' || (item.type === 'message' && item.role === 'assistant')
}
