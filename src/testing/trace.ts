import { createHash } from 'node:crypto'

/** The log of a simulation. */
export class Trace {
  readonly #lines: { readonly at: number; readonly text: string }[] = []

  add(at: number, text: string): void {
    this.#lines.push({ at, text })
  }

  get length(): number {
    return this.#lines.length
  }

  /** The same on every machine for the same seed (SI1). */
  get hash(): string {
    const log = this.#lines.map(({ at, text }) => `${at}\t${text}\n`).join('')
    return createHash('sha256').update(log).digest('hex').slice(0, 16)
  }

  /** The log as text, one line per event, with the time where it changes. */
  get story(): string {
    let last: number | undefined
    return this.#lines
      .map(({ at, text }) => {
        const time = at === last ? '' : `${at.toFixed(at % 1 === 0 ? 0 : 2)} ms`
        last = at
        return `${time.padStart(12)}  ${text}`
      })
      .join('\n')
  }
}
