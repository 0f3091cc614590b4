import { EndwellError, noop, type Clock } from '../../scope/index.ts'

/**
 * Rejects with `JOURNAL_UNAVAILABLE` if the journal, or the supervisor between it and this process, does not answer a
 * request within `ms`. The request may still be carried out.
 */
export function answerWithin<T>(clock: Clock, ms: number, request: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const late = (): void =>
      reject(new EndwellError('JOURNAL_UNAVAILABLE', `the journal has not answered for ${ms} ms`))
    const timer = clock.after(ms, 'the journal answers', late)
    request
      .then(resolve, reject)
      .finally(() => timer.clear())
      .catch(noop)
  })
}
