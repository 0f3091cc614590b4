import { noop, systemClock } from '../../src/scope/index.ts'
import { elapse } from './ours.ts'

/** The work of a tool or a guardrail. It stops when its signal aborts, if it has one. */
export class Work {
  #running = 0
  #begin: () => void = noop
  /** Resolves when the work has begun. */
  readonly begun = new Promise<void>((resolve) => {
    this.#begin = resolve
  })

  get goesOn(): boolean {
    return this.#running > 0
  }

  /** Waits for a backend that does not answer. */
  asks(url: string, signal?: AbortSignal): Promise<string> {
    return this.#do(async () => {
      await fetch(url, signal ? { signal } : {})
    })
  }

  /** Polls a backend, as for a job that takes long. */
  polls(url: string, signal?: AbortSignal): Promise<string> {
    return this.#do(async () => {
      for (let round = 0; round < 100; round++) {
        signal?.throwIfAborted()
        await (await fetch(url, { ...(signal ? { signal } : {}), headers: { connection: 'close' } })).text()
        await pause(200, signal)
      }
    })
  }

  /** Fails after a while. */
  fails(after: number): Promise<string> {
    return this.#do(async () => {
      await elapse(after)
      throw new Error('the backend has failed')
    })
  }

  async #do(work: () => Promise<void>): Promise<string> {
    this.#running++
    this.#begin()
    try {
      await work()
      return 'done'
    } finally {
      this.#running--
    }
  }
}

/** Waits until the time has passed or the signal aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = systemClock.after(ms, 'a pause', resolve)
    signal?.addEventListener('abort', () => {
      timer.clear()
      resolve()
    })
  })
}
