import { noop } from '../scope/index.ts'
import { guard, type Guard, type GuardOptions } from './guard.ts'

export interface GuardAdkOptions extends Omit<GuardOptions, 'close'> {
  /** The `LiveRequestQueue` of the run. To close it is how a run is asked to end. */
  queue?: { close(): void }
  /** The controller whose signal the run was given, if it was given one. It is aborted after the queue was closed. */
  abort?: AbortController
}

/** A guard, and the events of the run it guards. */
export interface GuardedAdk<Event> extends Guard {
  /** To be gone through once. When the loop is left, by `break` or by an error, the run is closed. */
  readonly events: AsyncIterableIterator<Event>
}

/**
 * Guards a live run of `@google/adk`: it ends with its loop, and no connection is opened any more when it is closing,
 * not even after a `goAway`.
 *
 * ```ts
 * const queue = new LiveRequestQueue()
 * const call = guardAdk(runner.runLive({ userId, sessionId, liveRequestQueue: queue }), { queue, closeTimeout: 3_000 })
 * for await (const event of call.events) …
 * const report = await call.close()
 * ```
 */
export function guardAdk<Event>(
  run: AsyncGenerator<Event, unknown, undefined>,
  options: GuardAdkOptions = {},
): GuardedAdk<Event> {
  const { queue, abort, ...rest } = options
  const call = guard({
    name: 'adk run',
    noNewConnects: true,
    ...rest,
    close: async () => {
      // In this order: the abort would keep the run from saying goodbye to its model.
      queue?.close()
      abort?.abort()
      await run.return(undefined)
    },
  })
  return Object.assign(call, { events: eventsOf(call, run) })
}

function eventsOf<Event>(
  call: Guard,
  run: AsyncGenerator<Event, unknown, undefined>,
): AsyncIterableIterator<Event> {
  const steps = call.iterate(run)
  const end = (reason: string): Promise<unknown> => call.close({ reason, by: 'adk' })
  return {
    next: async () => {
      try {
        const step = await steps.next()
        // A drop looks like this, too: the run does not tell one from the other.
        if (step.done) end('the run ended').catch(noop)
        return step
      } catch (error) {
        end('the run failed').catch(noop)
        throw error
      }
    },
    return: async (value?: unknown) => {
      await end('the loop was left')
      return { done: true, value }
    },
    throw: async (error?: unknown) => {
      await end('the loop was left')
      throw error
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
