import type { Context, DispatchHandler, Refusal } from './context.ts'
import { afterDelay } from './patch-timers.ts'

type Method = (this: object, ...args: unknown[]) => unknown
type Abort = (error?: Error) => void

/** Handler methods of undici 6 and undici 7. */
const startMethods = new Set<string | symbol>(['onConnect', 'onRequestStart'])
const endMethods = new Set<string | symbol>([
  'onComplete',
  'onError',
  'onUpgrade',
  'onResponseEnd',
  'onResponseError',
  'onRequestUpgrade',
])

/** Makes the guard own a request: it is aborted if it outlives the guard. Returns the handler to use. */
export function ownRequest(context: Context, handler: DispatchHandler): DispatchHandler {
  let abort: Abort = () => {}
  let notifyEnd = (): void => {}
  let ended = false
  context.opened({
    kind: 'request',
    name: 'request',
    thing: {},
    onEnd: (callback) => {
      notifyEnd = callback
    },
    abort: () => {
      if (!ended) abort(new DOMException('the guarded session of this request was closed', 'AbortError'))
    },
  })
  return new Proxy(handler, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target)
      if (typeof method !== 'function') return method
      // Called on the handler itself, which may have private members.
      return (...args: unknown[]): unknown => {
        if (startMethods.has(name)) abort = abortOf(args[0])
        if (endMethods.has(name)) {
          ended = true
          notifyEnd()
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

/** Fails a request with the error of the refusal. */
export function refuseRequest(handler: DispatchHandler, { error, delay }: Refusal): true {
  const { onError, onResponseError } = handler
  afterDelay(delay, () => {
    if (typeof onError === 'function') Reflect.apply(onError, handler, [error])
    else if (typeof onResponseError === 'function')
      Reflect.apply(onResponseError, handler, [undefined, error])
  })
  return true
}
