import { OptionError, noop, type Scope } from '../scope/index.ts'

/**
 * Resolves to what a function of the user returns. Rejects if the function fails, or takes longer than `ms`, or if the scope closes.
 * `what` names the function.
 */
export function answerWithin<T>(
  scope: Scope<string>,
  ms: number,
  what: string,
  ask: () => T | PromiseLike<T>,
): Promise<T> {
  const answered = new Promise<T>((resolve, reject) => {
    const late = (): void => reject(new OptionError(`${what} took more than ${ms} ms`))
    const timer = scope.after(ms, what, late)
    new Promise<T>((made) => made(ask()))
      .then(resolve, reject)
      .finally(() => timer.clear())
      .catch(noop)
  })
  return scope.until(answered)
}
