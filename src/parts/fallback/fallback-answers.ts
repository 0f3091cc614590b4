/** What the session asks for: an answer, with instructions if need be, or exactly these words. */
export interface Wish {
  readonly instructions?: string | undefined
  readonly words?: string | undefined
}

/** An answer of a realtime model, as the session knows it. */
interface Answer {
  /** The session's id for it. The model has its own, and another one if it is asked again. */
  readonly id: string
  readonly asked: boolean
  readonly wish: Wish
  hasOutput: boolean
  /** The session no longer wants it. */
  withdrawn: boolean
}

interface AnswerRequest {
  readonly wish: Wish
  /** Whether the session asked for it. If not, the caller waits for it. */
  readonly asked: boolean
  /** The answer, if it began and its model was lost before any output. */
  readonly answer?: Answer
}

/** Answers that can still be interrupted. Older ones have long been played. */
const MAX_ANSWERS = 32

/** The answers of a realtime model, as far as the next model has to know them. */
export class FallbackAnswers {
  /** Answers that have not begun, in order. */
  readonly #requests: AnswerRequest[] = []
  /** The running answers, by the model's id. */
  readonly #running = new Map<string, Answer>()
  /** The model's ids of its last answers, by the session's. */
  readonly #ids = new Map<string, string>()
  #count = 0

  /** The requests for a model that has not been asked for anything yet, in order. */
  requestsForNext(): readonly AnswerRequest[] {
    for (const [index, { answer }] of [...this.#requests.entries()].toReversed())
      if (answer?.withdrawn) this.#requests.splice(index, 1)
    return [...this.#requests]
  }

  ask(wish: Wish): void {
    this.#requests.push({ wish, asked: true })
  }

  /** Asks the next model for the answer that the caller waits for. */
  askForCaller(): void {
    this.#requests.unshift({ wish: {}, asked: false })
  }

  /** A model begins an answer. `again`: it did so before, but its model was lost. */
  started(own: string, asked: boolean): { readonly answer: Answer; readonly again: boolean } {
    const request = asked ? this.#requests.shift() : undefined
    const answer = request?.answer ?? {
      id: `answer-${++this.#count}`,
      asked: request?.asked ?? false,
      wish: request?.wish ?? {},
      hasOutput: false,
      withdrawn: false,
    }
    if (!answer.withdrawn) this.#running.set(own, answer)
    this.#ids.set(answer.id, own)
    if (this.#ids.size > MAX_ANSWERS) this.#ids.delete(this.#ids.keys().next().value!)
    return { answer, again: request?.answer !== undefined }
  }

  /** An answer has words, audio or a tool call. Returns the answer; undefined if it is not running. */
  output(own: string): Answer | undefined {
    const answer = this.#running.get(own)
    if (answer) answer.hasOutput = true
    return answer
  }

  /** Returns the id of the answer; undefined if it is not running. */
  ended(own: string): string | undefined {
    const answer = this.#running.get(own)
    this.#running.delete(own)
    return answer?.id
  }

  /** The model's id of an answer. */
  ownIdOf(id: string): string | undefined {
    return this.#ids.get(id)
  }

  /** Withdraws an answer that has begun and waits for the next model. Returns whether there was one. */
  withdraw(id: string): boolean {
    const answer = this.#requests.find((request) => request.answer?.id === id)?.answer
    if (!answer || answer.withdrawn) return false
    answer.withdrawn = true
    return true
  }

  /**
   * The model is lost. The next one is asked for the answers without output; with `heardAgain`, only for those that the
   * session asked for, because it answers the caller on its own. Returns the ids of the others, which have ended.
   */
  lost(heardAgain: boolean): { readonly cut: readonly string[]; readonly repeated: readonly string[] } {
    const cut: string[] = []
    const repeated: string[] = []
    const again: AnswerRequest[] = []
    for (const answer of this.#running.values()) {
      const { id, asked, wish, hasOutput } = answer
      if (hasOutput) cut.push(id)
      else if (!asked && heardAgain) repeated.push(id)
      else again.push({ wish, asked, answer })
    }
    this.#requests.unshift(...again)
    this.#running.clear()
    this.#ids.clear()
    return { cut, repeated }
  }
}
