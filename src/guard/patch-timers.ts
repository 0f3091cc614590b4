import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'
import { noop } from '../scope/index.ts'
import { writeGlobals } from './globals.ts'
import { contextOf, type Runtime } from './runtime.ts'

type Start = (callback: () => void, ms?: number, ...args: unknown[]) => NodeJS.Timeout
type Sleep = (ms?: number, value?: unknown, options?: { readonly ref?: boolean }) => Promise<unknown>

/** Node's own function, taken before it is patched. */
const { setTimeout: startTimeout } = timers

/** Calls `callback` after the delay of a refusal. The delay does not keep the process alive. */
export function afterDelay(ms: number, callback: () => void): void {
  if (ms === 0) process.nextTick(callback)
  else startTimeout(callback, ms).unref()
}

/** Hooks the timeouts and intervals that guarded work starts. For all other code this costs one comparison. */
export function patchTimers(runtime: Runtime): void {
  const timeout: Start = timers.setTimeout
  const interval: Start = timers.setInterval
  const microtask = globalThis.queueMicrotask
  const sleep = timersPromises.setTimeout as unknown as Sleep

  const setTimeout: Start = (callback, ms, ...args) => {
    const timer = timeout(callback, ms, ...args)
    if (runtime.contexts > 0) contextOf(runtime)?.timer(timer, false)
    return timer
  }
  const setInterval: Start = (callback, ms, ...args) => {
    const timer = interval(callback, ms, ...args)
    if (runtime.contexts > 0) contextOf(runtime)?.timer(timer, true)
    return timer
  }
  // On Node 20, an error thrown in a microtask has lost its context by the time it is reported as uncaught.
  const queueMicrotask = (callback: () => void): void => {
    const context = contextOf(runtime)
    if (!context || typeof callback !== 'function') return microtask(callback)
    microtask(() => {
      try {
        callback()
      } catch (error) {
        if (!context.late(error, 'uncaughtException')) throw error
      }
    })
  }
  // The timer behind Node's promise is out of reach, so it is unreffed and a tracked timer beside it holds the process.
  const promised: Sleep = (ms, value, options) => {
    const context = contextOf(runtime)
    if (!context || options?.ref === false) return sleep(ms, value, options)
    const companion = timeout(noop, ms)
    context.timer(companion, false)
    return sleep(ms, value, { ...options, ref: false }).finally(() => clearTimeout(companion))
  }

  Object.defineProperty(setTimeout, promisify.custom, {
    enumerable: true,
    get: () => timersPromises.setTimeout,
  })
  Object.assign(timers, { setTimeout, setInterval })
  Object.assign(timersPromises, { setTimeout: promised })
  writeGlobals({ setTimeout, setInterval, queueMicrotask })
  syncBuiltinESMExports()
}
