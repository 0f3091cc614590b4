import { noop, checkOptions, type OptionNames } from '../scope/index.ts'
import { guard, passedNames, type Guard, type GuardOptions } from './guard.ts'

export interface GuardAdkOptions extends Omit<GuardOptions, 'close'> {
  /** The `LiveRequestQueue` of the run. Closing it asks the run to end. */
  queue?: { close(): void }
  /** The controller of the run's `abortSignal`, if it has one. It is aborted after the queue has been closed. */
  abort?: AbortController
}

const optionNames: OptionNames<GuardAdkOptions> = {
  ...passedNames,
  queue: true,
  abort: true,
}

/** A guard with the events of its run. */
export interface GuardedAdk<Event> extends Guard {
  /** Can be iterated once. Leaving the loop, by `break` or by an error, closes the run. */
  readonly events: AsyncIterableIterator<Event>
}

/**
 * Guards a live run of `@google/adk`. The run is closed when its loop ends, and opens no new connection while closing,
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
  checkOptions('guardAdk', options, optionNames)
  const { queue, abort, ...rest } = options
  const call = guard({
    name: 'adk run',
    noNewConnects: true,
    ...rest,
    close: async () => {
      // The queue first: an abort would keep the run from ending its conversation with the model.
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
        // A dropped connection ends the run in the same way.
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
