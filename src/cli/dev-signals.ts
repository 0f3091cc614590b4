import { terminal } from './terminal.ts'
import { exitCodes } from './command.ts'

/** What the signals are for. */
interface Abortable {
  /** Resolves when nothing is left. */
  abort(): Promise<void>
}

const names = ['SIGINT', 'SIGTERM'] as const

/** The signals of `endwell dev`, from the first moment on: the first one ends it, the second one aborts it and exits. */
export class DevSignals {
  readonly #start = new AbortController()
  #running: Abortable | undefined
  #received = 0
  #onFirst: () => void = () => {}

  constructor() {
    for (const name of names) process.on(name, () => this.#signal())
  }

  /** Aborted by a signal that came before the server was running. */
  get early(): AbortSignal {
    return this.#start.signal
  }

  /** Whether a second signal came. */
  get aborted(): boolean {
    return this.#received > 1
  }

  /** The server is running. Resolves at the first signal. */
  take(running: Abortable): Promise<void> {
    this.#running = running
    return new Promise((resolve) => {
      this.#onFirst = resolve
      if (this.#received > 0) resolve()
    })
  }

  #signal(): void {
    if (++this.#received === 1) {
      if (!this.#running) this.#start.abort()
      return this.#onFirst()
    }
    const exit = async (): Promise<void> => {
      await terminal.flush()
      process.exit(exitCodes.failed)
    }
    this.#running?.abort().then(exit, exit)
    return undefined
  }
}
