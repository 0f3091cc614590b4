import { vi } from 'vitest'
import { terminal } from '../../src/cli/terminal.ts'
import { Changes } from '../../src/testing/servers/changes.ts'

/** Captures what commands of this process print. Restored after the test. */
export class TerminalDouble {
  out = ''
  errors = ''
  readonly #changes = new Changes()

  constructor() {
    const add = (text: string): void => {
      this.out += text
      this.#changes.notify()
    }
    vi.spyOn(terminal, 'print').mockImplementation((...lines: readonly string[]) =>
      add(lines.map((line) => `${line}\n`).join('')),
    )
    vi.spyOn(terminal, 'write').mockImplementation(add)
    vi.spyOn(terminal, 'json').mockImplementation((value) => add(`${JSON.stringify(value)}\n`))
    vi.spyOn(terminal, 'complain').mockImplementation((...lines: readonly string[]) => {
      this.errors += lines.map((line) => `${line}\n`).join('')
      this.#changes.notify()
    })
  }

  /** The lines of JSON. */
  get lines(): Readonly<Record<string, unknown>>[] {
    const whole = this.out.split('\n').filter((line) => line.startsWith('{'))
    return whole.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  }

  /** Resolves once the output matches. */
  async shows(pattern: RegExp): Promise<void> {
    await this.#changes.until(() => pattern.test(this.out))
  }
}
