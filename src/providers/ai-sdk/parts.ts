import { noop, type Scope } from '../../scope/index.ts'
import type { OwnedRequest } from '../owned-request.ts'
import { failureOf } from './failure.ts'
import type { CallOptions, LanguageModel, PartReader, StreamPart } from './language-model.ts'

/**
 * How long a body may take to end after the model has finished. A connection whose body was read to its end can be
 * used again; one that never ends is not worth the wait.
 */
const LINGER = 100

/**
 * Asks the model and gives out the parts of its answer. Ends with the `finish` part, and throws as soon as the request
 * is aborted: models and their streams may ignore the signal.
 */
export async function* partsOf(
  name: string,
  model: LanguageModel,
  options: CallOptions,
  request: OwnedRequest,
): AsyncGenerator<StreamPart> {
  const reader = await blaming(name, request, begin(model, options))
  try {
    for (;;) {
      const { done, value } = await blaming(name, request, reader.read())
      if (done) return
      if (!value) continue
      const part = value as StreamPart
      yield part
      if (part.type !== 'finish') continue
      await request.until(endOf(reader, request.scope))
      return
    }
  } finally {
    // Also when the model has ignored the signal: nobody reads any more. It may hang, so nobody waits.
    reader.cancel().catch(noop)
  }
}

/** The answer to the request; one that comes when it was aborted is thrown away. */
async function begin(model: LanguageModel, options: CallOptions): Promise<PartReader> {
  const { stream } = await model.doStream(options)
  const reader = stream.getReader()
  if (!options.abortSignal.aborted) return reader
  reader.cancel().catch(noop)
  throw options.abortSignal.reason
}

/** What the promise becomes. The reason of an abort is thrown as it is; any other error is the provider's failure. */
async function blaming<T>(
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

/** Resolves when the stream has ended or failed, or was given enough time to. */
function endOf(reader: PartReader, scope: Scope<string>): Promise<void> {
  return new Promise((resolve) => {
    const timer = scope.after(LINGER, 'end of an answer', resolve)
    const ended = (): void => {
      timer.clear()
      resolve()
    }
    reader.read().then(ended, ended)
  })
}
