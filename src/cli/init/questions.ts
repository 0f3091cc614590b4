import { createInterface, type Interface } from 'node:readline/promises'

/** Asks somebody at a terminal. An empty answer is the default. */
export class Questions {
  readonly #terminal: Interface

  constructor(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
    this.#terminal = createInterface({ input, output })
  }

  async text(question: string, preset: string): Promise<string> {
    const answer = (await this.#terminal.question(`${question} (${preset}): `)).trim()
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
