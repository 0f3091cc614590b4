// Replaces timers, dates, random numbers and `fetch` for hunted code, and for no other code in the process.
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'
import { virtualTimerOf, type VirtualTimer } from './virtual-timer.ts'

/** What hunted code gets instead of the platform. */
export interface VirtualPlatform {
  now(): number
  date(): number
  random(): number
  start(ms: number, repeats: boolean, callback: () => unknown): VirtualTimer
  /** The code wants to end the process. Throws. */
  exit(code: number | string | null | undefined): never
  /** `fetch` is the platform's own. */
  fetch(input: string | URL | Request, init: RequestInit | undefined, fetch: Fetch): Promise<Response>
}

export type Fetch = typeof globalThis.fetch
type Callback = (...args: unknown[]) => unknown
type SleepOptions = { readonly signal?: AbortSignal; readonly ref?: boolean }

/** The platform's own time, for the hunt itself. */
export const realNow: () => number = performance.now.bind(performance)
const ownTimeout: typeof timers.setTimeout = timers.setTimeout.bind(timers)

export function realDate(): number {
  return Date.now()
}

/** Resolves after this many real milliseconds. */
export function realSleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    ownTimeout(resolve, ms)
  })
}

/**
 * Replaces timers, the date, random numbers and `fetch` wherever `platform` returns a platform, by the context of the running
 * code. Returns a function that undoes it.
 */
export function installVirtualGlobals(platform: () => VirtualPlatform | undefined): () => void {
  const undo = [
    ...patchTimers(platform),
    ...patchPromisedTimers(platform),
    ...patchDate(platform),
    replace(performance, 'now', () => platform()?.now() ?? realNow()),
    replace(
      Math,
      'random',
      withOriginal(Math.random, (own) => platform()?.random() ?? own()),
    ),
    replace(AbortSignal, 'timeout', abortAfter(AbortSignal.timeout.bind(AbortSignal), platform)),
    replace(process, 'exit', exitOf(process.exit.bind(process), platform)),
    replace(globalThis, 'fetch', fetchOf(globalThis.fetch, platform)),
  ]
  syncBuiltinESMExports()
  return () => {
    for (const restore of undo.toReversed()) restore()
    syncBuiltinESMExports()
  }
}

/** Replaces a property. The returned function restores it, unless it has been replaced again. */
function replace(target: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { configurable: true, enumerable: true, writable: true, value })
  return () => {
    if (Reflect.get(target, name) !== value) return
    if (before) Object.defineProperty(target, name, before)
    else Reflect.deleteProperty(target, name)
  }
}

function withOriginal<T>(own: () => T, make: (own: () => T) => T): () => T {
  return () => make(own)
}

function patchTimers(platform: () => VirtualPlatform | undefined): (() => void)[] {
  const starter =
    (own: Callback, repeats: boolean): Callback =>
    (callback, ms, ...args) => {
      const virtual = platform()
      if (!virtual || typeof callback !== 'function') return own(callback, ms, ...args)
      return virtual.start(Number(ms ?? 1), repeats, () => (callback as Callback)(...args))
    }
  const clearer =
    (own: Callback): Callback =>
    (handle) => {
      const timer = virtualTimerOf(handle)
      if (timer) timer.close()
      else own(handle)
    }
  const immediate =
    (own: Callback): Callback =>
    (callback, ...args) => {
      const virtual = platform()
      if (!virtual || typeof callback !== 'function') return own(callback, ...args)
      return virtual.start(0, false, () => (callback as Callback)(...args))
    }
  const patched: Record<string, Callback> = {
    setTimeout: starter(timers.setTimeout as unknown as Callback, false),
    setInterval: starter(timers.setInterval as unknown as Callback, true),
    setImmediate: immediate(timers.setImmediate as unknown as Callback),
    clearTimeout: clearer(timers.clearTimeout as unknown as Callback),
    clearInterval: clearer(timers.clearInterval as unknown as Callback),
    clearImmediate: clearer(timers.clearImmediate as unknown as Callback),
  }
  for (const name of ['setTimeout', 'setImmediate'] as const)
    Object.defineProperty(patched[name], promisify.custom, {
      enumerable: true,
      get: () => timersPromises[name],
    })
  return Object.entries(patched).flatMap(([name, value]) => [
    replace(timers, name, value),
    replace(globalThis, name, value),
  ])
}

function patchPromisedTimers(platform: () => VirtualPlatform | undefined): (() => void)[] {
  const own = { ...timersPromises }
  const ownWait = own.scheduler.wait.bind(own.scheduler)
  const sleep = (ms?: number, value?: unknown, options?: SleepOptions): Promise<unknown> => {
    const virtual = platform()
    return virtual ? virtualSleep(virtual, ms ?? 1, value, options) : own.setTimeout(ms, value, options)
  }
  const immediate = (value?: unknown, options?: SleepOptions): Promise<unknown> => {
    const virtual = platform()
    return virtual ? virtualSleep(virtual, 0, value, options) : own.setImmediate(value, options)
  }
  const interval = (ms?: number, value?: unknown, options?: SleepOptions): AsyncIterable<unknown> => {
    const virtual = platform()
    return virtual ? virtualTicks(virtual, ms ?? 1, value, options) : own.setInterval(ms, value, options)
  }
  const wait = async (ms: number, options?: SleepOptions): Promise<void> => {
    const virtual = platform()
    await (virtual ? virtualSleep(virtual, ms, undefined, options) : ownWait(ms, options))
  }
  return [
    replace(timersPromises, 'setTimeout', sleep),
    replace(timersPromises, 'setImmediate', immediate),
    replace(timersPromises, 'setInterval', interval),
    replace(timersPromises.scheduler, 'wait', wait),
  ]
}

function virtualSleep<T>(
  platform: VirtualPlatform,
  ms: number,
  value: T,
  { signal, ref = true }: SleepOptions = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      timer?.close()
      reject(new DOMException('The operation was aborted', { name: 'AbortError', cause: signal?.reason }))
    }
    if (signal?.aborted === true) return reject(abortError(signal))
    const timer = platform.start(ms, false, () => {
      signal?.removeEventListener('abort', abort)
      resolve(value)
    })
    if (!ref) timer.unref()
    signal?.addEventListener('abort', abort, { once: true })
    return undefined
  })
}

function abortError(signal: AbortSignal): DOMException {
  return new DOMException('The operation was aborted', { name: 'AbortError', cause: signal.reason })
}

async function* virtualTicks<T>(
  platform: VirtualPlatform,
  ms: number,
  value: T,
  options?: SleepOptions,
): AsyncGenerator<T> {
  for (;;) yield await virtualSleep(platform, ms, value, options)
}

function patchDate(platform: () => VirtualPlatform | undefined): (() => void)[] {
  const own = Date
  const now = own.now
  const date = (): number => platform()?.date() ?? now()
  const patched = new Proxy(own, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [date()] : args, newTarget) as object,
    apply: () => new own(date()).toString(),
    get: (target, name) => (name === 'now' ? date : (Reflect.get(target, name, target) as unknown)),
  })
  return [replace(globalThis, 'Date', patched)]
}

function abortAfter(own: typeof AbortSignal.timeout, platform: () => VirtualPlatform | undefined) {
  return (ms: number): AbortSignal => {
    const virtual = platform()
    if (!virtual) return own(ms)
    const controller = new AbortController()
    const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    virtual.start(ms, false, () => controller.abort(late)).unref()
    return controller.signal
  }
}

function fetchOf(own: Fetch, platform: () => VirtualPlatform | undefined): Fetch {
  return (input, init) => platform()?.fetch(input, init, own) ?? own(input, init)
}

function exitOf(own: typeof process.exit, platform: () => VirtualPlatform | undefined): typeof process.exit {
  return (code) => platform()?.exit(code) ?? own(code)
}
