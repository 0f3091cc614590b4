import { noop, type Scope } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import type { OwnedRequest } from '../owned-request.ts'
import { checkByType } from '../vendor-message.ts'
import { failureOf } from './failure.ts'
import type { CallOptions, LanguageModel, PartReader, StreamPart } from './language-model.ts'

/** How long to wait for the end of the body after `finish`: the pool reuses a connection whose body was read to the end. */
const DRAIN_TIMEOUT = 100

const start = { id: 'id', providerMetadata: 'json' } as const
const delta = { ...start, delta: 'string' } as const

const checkPart = checkByType<Exclude<StreamPart, { readonly type: 'finish' | 'error' }>>({
  'text-start': start,
  'text-delta': delta,
  'text-end': start,
  'reasoning-start': start,
  'reasoning-delta': delta,
  'reasoning-end': start,
  'tool-call': {
    toolCallId: 'id',
    toolName: 'id',
    input: 'string',
    providerExecuted: 'boolean',
    providerMetadata: 'json',
  },
})

/**
 * Calls the model and yields the parts of its answer, `finish` last. Throws as soon as the request is aborted, even if
 * the model or its stream ignores the signal.
 */
export async function* partsOf(
  name: string,
  model: LanguageModel,
  options: CallOptions,
  request: OwnedRequest,
): AsyncGenerator<StreamPart> {
  const reader = await withProviderErrors(name, request, call(model, options))
  try {
    for (;;) {
      const { done, value } = await withProviderErrors(name, request, reader.read())
      if (done) return
      if (!value) continue
      if (!checkPart(value)) throw new ProviderError(name, 'it sent a malformed stream part')
      const part = value as StreamPart
      yield part
      if (part.type !== 'finish') continue
      await request.until(drained(reader, request.scope))
      return
    }
  } finally {
    // Frees the stream even if the model ignores the signal. Not awaited, because it may hang.
    reader.cancel().catch(noop)
  }
}

/** Calls the model. Cancels a stream that arrives after the request was aborted. */
async function call(model: LanguageModel, options: CallOptions): Promise<PartReader> {
  const { stream } = await model.doStream(options)
  const reader = stream.getReader()
  if (!options.abortSignal.aborted) return reader
  reader.cancel().catch(noop)
  throw options.abortSignal.reason
}

/** Awaits a promise. Rethrows an abort reason as it is, and any other error as a `ProviderError`. */
async function withProviderErrors<T>(
  name: string,
  { until, signal }: OwnedRequest,
  promise: PromiseLike<T>,
): Promise<T> {
  try {
    return await until(promise)
  } catch (error) {
    signal.throwIfAborted()
    throw failureOf(name, error)
  }
}

/** Resolves when the stream has ended or failed, or after `DRAIN_TIMEOUT`. */
function drained(reader: PartReader, scope: Scope<string>): Promise<void> {
  return new Promise((resolve) => {
    const timer = scope.after(DRAIN_TIMEOUT, 'end of an answer', resolve)
    const ended = (): void => {
      timer.clear()
      resolve()
    }
    reader.read().then(ended, ended)
  })
}
