import { createInterface, type Interface } from 'node:readline'

/** Asks somebody at a terminal. An empty answer is the default, and so is the end of the input. */
export class Questions {
  readonly #terminal: Interface
  /** Keeps lines that were typed before they were asked for. */
  readonly #lines: AsyncIterator<string, undefined>
  readonly #output: NodeJS.WritableStream

  constructor(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
    this.#output = output
    this.#terminal = createInterface({ input, output })
    this.#lines = this.#terminal[Symbol.asyncIterator]()
  }

  async text(question: string, preset: string): Promise<string> {
    this.#output.write(`${question} (${preset}): `)
    const { value = '' } = await this.#lines.next()
    const answer = value.trim()
    return answer === '' ? preset : answer
  }

  /** Asks again until the answer is one of the choices. The first one is the default. */
  async choice<T extends string>(question: string, choices: readonly [T, ...T[]]): Promise<T> {
    for (;;) {
      const answer = await this.text(`${question} ${choices.join(', ')}`, choices[0])
      const found = choices.find((each) => each === answer.toLowerCase())
      if (found !== undefined) return found
    }
  }

  close(): void {
    this.#terminal.close()
  }
}
