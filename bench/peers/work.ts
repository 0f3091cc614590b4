import { noop, systemClock } from '../../src/scope/index.ts'
import { elapse } from './ours.ts'

/** What a tool or a guardrail of the app does. It stops when it is told to, if there is somebody to tell it. */
export class Work {
  #running = 0
  #begin: () => void = noop
  /** Resolves when it has begun. */
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

  /** Asks a backend again and again, as one does for a job that takes its time. */
  polls(url: string, signal?: AbortSignal): Promise<string> {
    return this.#do(async () => {
      for (let round = 0; round < 100; round++) {
        signal?.throwIfAborted()
        await (await fetch(url, { ...(signal ? { signal } : {}), headers: { connection: 'close' } })).text()
        await pause(200, signal)
      }
    })
  }

  /** Takes a while, and fails. */
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

/** Waits, unless it is told to stop. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = systemClock.after(ms, 'a pause', resolve)
    signal?.addEventListener('abort', () => {
      timer.clear()
      resolve()
    })
  })
}
