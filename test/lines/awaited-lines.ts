import type { Scope } from '../../src/scope/index.ts'

interface AnswerableLine {
  readonly answered: boolean
  abort(): void
}

/** Lines of calls, each for somebody who waits for a call. A call that nobody waits for is refused. */
export class AwaitedLines<Line extends AnswerableLine> {
  readonly #waiting = new Set<(line: Line) => void>()

  /** A call has come. */
  readonly take = (line: Line): void => {
    const [answer] = this.#waiting
    if (answer) answer(line)
    else line.abort()
  }

  /** Calls, and waits for the line. If the scope closes first, no call is answered, and `closed` is called. */
  next(scope: Scope<string>, call: () => void, closed: () => void): Promise<Line> {
    return scope.until(
      new Promise<Line>((resolve) => {
        let taken: Line | undefined
        const answer = (line: Line): void => {
          this.#waiting.delete(answer)
          resolve((taken = line))
        }
        this.#waiting.add(answer)
        scope.signal.addEventListener('abort', () => {
          this.#waiting.delete(answer)
          if (!taken?.answered) taken?.abort()
          closed()
        })
        call()
      }),
    )
  }
}
