import type { Answer } from './answer.ts'

/** An answer that was asked for. */
export interface Ask {
  readonly id: string
  /** For this answer alone. */
  readonly instructions: string | undefined
  /** The answer that was told to have begun, if the connection broke before anything of it was heard. */
  readonly answer?: Answer
  /** How often it was refused because another answer was in the making. */
  refusals: number
}

/** More asks than this cannot be meant. */
const MOST_WAITING = 32
/** How often an ask gives way to another answer. */
const MOST_REFUSALS = 8

/** What was asked for, in order. One ask is sent at a time, and only when no answer is in the making. */
export class Asks {
  readonly #waiting: Ask[] = []
  /** Sent, and neither begun nor refused. */
  #sent: Ask | undefined
  /** Asks for which there was no room. They fail in their turn, after those that wait. */
  #tooMany = 0
  #made = 0

  /** The ask that is on its way. */
  get sent(): Ask | undefined {
    return this.#sent
  }

  get empty(): boolean {
    return this.#waiting.length === 0 && !this.#sent
  }

  add(instructions: string | undefined): void {
    if (this.#tooMany > 0 || this.#waiting.length >= MOST_WAITING) this.#tooMany++
    else this.#waiting.push({ id: this.#id(), instructions, refusals: 0 })
  }

  /** The beginning of an answer is lost: it is asked for before everything else. */
  again(answer: Answer): void {
    this.#waiting.unshift({ id: this.#id(), instructions: answer.instructions, answer, refusals: 0 })
  }

  /** The next one, to be sent now. Those whose answer is not wanted any more are left out. */
  next(): Ask | undefined {
    do this.#sent = this.#waiting.shift()
    while (this.#sent?.answer?.over)
    return this.#sent
  }

  /** The name of an ask that fails because there was no room for it, if there is one. */
  nextOfTooMany(): string | undefined {
    if (this.#tooMany === 0) return undefined
    this.#tooMany--
    return this.#id()
  }

  /** The ask that has begun to be answered, or was refused. */
  take(): Ask | undefined {
    const ask = this.#sent
    this.#sent = undefined
    return ask
  }

  /** Another answer was first: it is asked again later. Returns false if that has happened too often. */
  giveWay(): boolean {
    const ask = this.#sent
    if (!ask || ++ask.refusals > MOST_REFUSALS) return false
    this.lost()
    return true
  }

  /** The connection is gone: what was on its way is sent again. */
  lost(): void {
    const ask = this.take()
    if (ask) this.#waiting.unshift(ask)
  }

  #id(): string {
    return `ask-${++this.#made}`
  }
}
