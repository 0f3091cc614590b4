import type { Context, DispatchHandler, Refusal } from './context.ts'
import { afterDelay } from './patch-timers.ts'

type Method = (this: object, ...args: unknown[]) => unknown
type Abort = (error?: Error) => void

/** Names of undici 6 and of undici 7 for the same moments. */
const begins = new Set<string | symbol>(['onConnect', 'onRequestStart'])
const ends = new Set<string | symbol>([
  'onComplete',
  'onError',
  'onUpgrade',
  'onResponseEnd',
  'onResponseError',
  'onRequestUpgrade',
])

/** The handler of a request, which from now on is owned by a guard: it is aborted if it outlives it. */
export function ownRequest(context: Context, handler: DispatchHandler): DispatchHandler {
  let abort: Abort = () => {}
  let over = (): void => {}
  let isOver = false
  context.opened({
    kind: 'request',
    name: 'request',
    thing: {},
    onEnd: (ended) => {
      over = ended
    },
    abort: () => {
      if (!isOver) abort(new DOMException('the guarded session that asked for it was closed', 'AbortError'))
    },
  })
  return new Proxy(handler, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target)
      if (typeof method !== 'function') return method
      // Bound to the handler itself, which may have private members.
      return (...args: unknown[]): unknown => {
        if (begins.has(name)) abort = abortOf(args[0])
        if (ends.has(name)) {
          isOver = true
          over()
        }
        return Reflect.apply(method as Method, target, args)
      }
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  })
}

function abortOf(given: unknown): Abort {
  if (typeof given === 'function') return given as Abort
  const controller = given as { abort(error?: Error): void }
  return (error) => controller.abort(error)
}

/** Tells the handler that there will be no answer. */
export function refuseRequest(handler: DispatchHandler, { error, delay }: Refusal): true {
  const { onError, onResponseError } = handler
  afterDelay(delay, () => {
    if (typeof onError === 'function') Reflect.apply(onError, handler, [error])
    else if (typeof onResponseError === 'function')
      Reflect.apply(onResponseError, handler, [undefined, error])
  })
  return true
}
