import type { LlmChunk } from '../../parts/index.ts'
import type { FinishReason, StreamPart } from './language-model.ts'
import { usageOf } from './usage.ts'

/** What a part of a stream is to us: nothing, mostly. */
export function chunkOf(part: StreamPart): LlmChunk | undefined {
  switch (part.type) {
    case 'text-delta':
      return part.delta === '' ? undefined : { type: 'text', text: part.delta }
    case 'tool-call':
      if (part.providerExecuted) return undefined
      return { type: 'tool-call', id: part.toolCallId, name: part.toolName, input: part.input }
    case 'finish': {
      const usage = usageOf(part.usage)
      return usage && { type: 'usage', usage }
    }
    case 'error':
      return undefined
  }
  // Other parts are for others: what the model thinks to itself, where it has read something.
  return undefined
}

/** What there is to say about the end of an answer. */
export type Verdict =
  | { readonly type: 'fine' }
  /** It stands, and somebody should know this. */
  | { readonly type: 'doubtful'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string; readonly retryable: boolean }

/** Judges an answer by the reason it ended for. `answered` says whether it had text, or a tool call. */
export function verdictOn(reason: FinishReason | undefined, answered: boolean): Verdict {
  switch (typeof reason === 'object' ? reason.unified : reason) {
    case undefined:
    case 'interrupted':
      return { type: 'failed', message: 'its answer broke off', retryable: true }
    case 'error':
      return { type: 'failed', message: 'it could not finish its answer', retryable: true }
    case 'content-filter':
      return { type: 'failed', message: 'its content filter has held the answer back', retryable: false }
    case 'length': {
      if (answered)
        return {
          type: 'doubtful',
          message: 'the answer was cut off: it reached the largest number of tokens',
        }
      const message = 'it used up all tokens before it said anything: raise maxOutputTokens'
      return { type: 'failed', message, retryable: false }
    }
    // The vendor gave no reason. Some never do; others have lost their connection to the model.
    case 'unknown':
    case 'other':
      if (answered)
        return { type: 'doubtful', message: 'the answer ended without a reason: it may be incomplete' }
      return { type: 'failed', message: 'its answer was empty, and it gave no reason', retryable: true }
    default:
      return { type: 'fine' }
  }
}
