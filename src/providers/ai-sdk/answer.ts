import type { LlmChunk } from '../../parts/index.ts'
import type { Attachments } from './attachments.ts'
import type { FinishReason, StreamPart } from './language-model.ts'
import { usageOf } from './usage.ts'

/** Converts a stream part. Parts that a voice agent does not use become no chunk, unless they carry vendor data. */
export function chunksOf(part: StreamPart, attachments: Attachments): LlmChunk[] {
  const attached = attachments.handle(part)
  const chunk = chunkOf(part, attachments)
  return [chunk, attached].filter((each) => each !== undefined)
}

function chunkOf(part: StreamPart, attachments: Attachments): LlmChunk | undefined {
  switch (part.type) {
    case 'text-delta':
      return part.delta === '' ? undefined : { type: 'text', text: part.delta }
    case 'tool-call': {
      if (part.providerExecuted) return undefined
      const { toolCallId: id, toolName: name, input, providerMetadata } = part
      return { type: 'tool-call', id, name, input, ...attachments.ofCall(providerMetadata) }
    }
    case 'finish': {
      const usage = usageOf(part.usage)
      return usage && { type: 'usage', usage }
    }
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
    case 'error':
      return undefined
  }
  // Ignored: sources, files, and part types of later versions.
  return undefined
}

export type Verdict =
  | { readonly type: 'fine' }
  /** The answer is used, and the message is logged. */
  | { readonly type: 'doubtful'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string; readonly retryable: boolean }

/** Judges an answer by its finish reason. `answered` says whether it had any text or tool call. */
export function verdictOn(reason: FinishReason | undefined, answered: boolean): Verdict {
  switch (typeof reason === 'string' ? reason : reason?.unified) {
    case undefined:
    case 'interrupted':
      return { type: 'failed', message: 'its answer broke off before the end', retryable: true }
    case 'error':
      return { type: 'failed', message: 'it could not finish its answer', retryable: true }
    case 'content-filter':
      return { type: 'failed', message: 'its content filter blocked the answer', retryable: false }
    case 'length': {
      if (answered)
        return {
          type: 'doubtful',
          message: 'the answer was cut off at the token limit: raise maxOutputTokens',
        }
      const message = 'it used up its tokens before it said anything: raise maxOutputTokens'
      return { type: 'failed', message, retryable: false }
    }
    // No finish reason. Some vendors never send one; for others it means that they lost the model.
    case 'unknown':
    case 'other':
      if (answered)
        return { type: 'doubtful', message: 'the answer ended without a finish reason and may be incomplete' }
      return { type: 'failed', message: 'its answer was empty and had no finish reason', retryable: true }
    default:
      return { type: 'fine' }
  }
}
