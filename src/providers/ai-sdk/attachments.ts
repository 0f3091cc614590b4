import type { LlmChunk, VendorData } from '../../parts/index.ts'
import { parseObject } from '../parse-object.ts'
import type { ProviderMetadata, ProviderOptions, ReasoningPart, StreamPart } from './language-model.ts'

/** What a vendor attached to a text or a call, as it is sent back: the thoughts before it, and options of its own. */
export interface Attachment {
  readonly before?: readonly ReasoningPart[]
  readonly options?: ProviderOptions
}

interface Thought {
  readonly type: 'reasoning'
  text: string
  providerOptions?: ProviderMetadata
}

/**
 * Collects what the vendor attaches to the parts of one answer: signatures of thoughts, ids of items, encrypted reasoning.
 * It is returned to the same model with the next request, in the same order, and is never read here.
 *
 *   reasoning-start, -delta, -end ─▶ thoughts ─┐
 *   text-start, -delta, -end ──────────────────┴─▶ a chunk of text with all of it, once the text has ended
 *   tool-call ─────────────────────────────────────▶ a chunk with the call's own
 */
export class Attachments {
  readonly #model: string
  /** Thoughts that no text or call has followed yet. */
  #thoughts: Thought[] = []
  readonly #open = new Map<string, Thought>()
  /** What belongs to the text of the answer. */
  #before: readonly Thought[] = []
  #options: ProviderMetadata | undefined
  /** Whether the text has got something that was not passed on yet. */
  #pending = false

  /** `model` identifies the model that may get the data back. */
  constructor(model: string) {
    this.#model = model
  }

  /** Returns the chunk that carries what was collected, if the part completes it. */
  handle(part: StreamPart): LlmChunk | undefined {
    switch (part.type) {
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#think(part)
        return undefined
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        this.#before = [...this.#before, ...this.#thoughts.splice(0)]
        // The last one that is defined counts.
        this.#options = part.providerMetadata ?? this.#options
        this.#pending = true
        return part.type === 'text-end' ? this.#textChunk() : undefined
      case 'finish':
        return this.#textChunk()
      case 'tool-call':
      case 'error':
        return undefined
    }
    return undefined
  }

  /** What belongs to a call. */
  ofCall(metadata: ProviderMetadata | undefined): { readonly vendor?: VendorData } {
    return this.#vendor(this.#thoughts.splice(0), metadata)
  }

  #think(part: Extract<StreamPart, { readonly type: `reasoning-${string}` }>): void {
    const thought: Thought = this.#open.get(part.id) ?? { type: 'reasoning', text: '' }
    if (!this.#open.has(part.id)) this.#thoughts.push(thought)
    this.#open.set(part.id, thought)
    if (part.type === 'reasoning-delta') thought.text += part.delta
    if (part.type === 'reasoning-end') this.#open.delete(part.id)
    if (part.providerMetadata) thought.providerOptions = part.providerMetadata
  }

  #textChunk(): LlmChunk | undefined {
    if (!this.#pending) return undefined
    this.#pending = false
    const { vendor } = this.#vendor(this.#before, this.#options)
    return vendor && { type: 'text', text: '', vendor }
  }

  #vendor(
    thoughts: readonly Thought[],
    options: ProviderMetadata | undefined,
  ): { readonly vendor?: VendorData } {
    // A thought without anything attached is of no use to the vendor.
    const before = thoughts.filter(({ providerOptions }) => providerOptions)
    if (before.length === 0 && !options) return {}
    const attachment = { ...(before.length > 0 ? { before } : {}), ...(options ? { options } : {}) }
    return { vendor: { model: this.#model, data: JSON.stringify(attachment) } }
  }
}

/** Reads what was attached to a message; nothing if it was for another model. */
export function attachmentOf(vendor: VendorData | undefined, model: string): Attachment {
  if (vendor?.model !== model) return {}
  const { before, options } = parseObject(vendor.data)
  return {
    ...(Array.isArray(before) ? { before: before as ReasoningPart[] } : {}),
    ...(typeof options === 'object' && options !== null ? { options: options as ProviderOptions } : {}),
  }
}
