import type { ServerConnection } from './server-connection.ts'

/** Something that a server sends in the course of a speech. */
export interface SpeechStep {
  readonly send: () => void
  /** Whether it is audio, which takes time. */
  readonly audio?: boolean
}

export interface SpeechPace {
  /** Milliseconds before the first step. */
  readonly thinks: number
  /** Milliseconds after each audio step. */
  readonly every: number
}

/** The rest of a speech, sent step by step. */
export class SpeechSteps {
  readonly #connection: ServerConnection
  readonly #pace: SpeechPace
  /** Called after the first audio. Returns true if the speech stops there. */
  readonly #breaks: () => boolean
  #steps: SpeechStep[] = []
  #running = false
  #audioSent = 0

  constructor(connection: ServerConnection, pace: SpeechPace, breaks: () => boolean) {
    this.#connection = connection
    this.#pace = pace
    this.#breaks = breaks
  }

  push(...steps: readonly SpeechStep[]): void {
    this.#steps.push(...steps)
    if (this.#running || steps.length === 0) return
    this.#running = true
    this.#connection.after(this.#pace.thinks, 'server thinks', () => this.#next())
  }

  clear(): void {
    this.#steps = []
  }

  #next(): void {
    const step = this.#steps.shift()
    this.#running = step !== undefined
    if (!step) return
    step.send()
    if (!step.audio) return this.#next()
    const first = ++this.#audioSent === 1
    this.#connection.after(this.#pace.every, 'server speaks', () => {
      if (!first || !this.#breaks()) this.#next()
    })
    return undefined
  }
}
