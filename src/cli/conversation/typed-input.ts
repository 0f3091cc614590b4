import { clearLine, createInterface, cursorTo, type Interface } from 'node:readline'
import { noop } from '../../scope/index.ts'
import type { Prompt } from './screen.ts'

/** What somebody types into. */
export type Keyboard = NodeJS.ReadableStream & { readonly isTTY?: boolean }

export interface TypedInputOptions {
  readonly input: Keyboard
  /** Where to show what is typed. Without it, the input is a script: its lines wait until they are asked for. */
  readonly output?: NodeJS.WritableStream
}

/** Lines that wait, at most, before the rest of a script is left in its pipe. */
const MOST_WAITING = 100

/** Reads lines from a terminal, or from a pipe. */
export class TypedInput implements Prompt {
  /** Called when there is a line, or the end. */
  onLine: () => void = noop
  /** Called at Ctrl-C in a terminal, which is no signal while a line is edited. */
  onInterrupt: () => void = noop
  readonly #reader: Interface
  readonly #output: NodeJS.WritableStream | undefined
  readonly #lines: string[] = []
  #ended = false
  #shown = false

  constructor({ input, output }: TypedInputOptions) {
    this.#output = output
    this.#reader = createInterface({
      input,
      ...(output ? { output, terminal: true, prompt: 'you: ' } : { terminal: false }),
    })
    this.#reader.on('line', (line) => {
      this.#shown = false
      this.#lines.push(line)
      if (this.#lines.length >= MOST_WAITING) this.#reader.pause()
      this.onLine()
    })
    this.#reader.on('SIGINT', () => this.onInterrupt())
    this.#reader.on('close', () => {
      this.#ended = true
      this.onLine()
    })
  }

  /** Whether lines wait until they are asked for. */
  get isScript(): boolean {
    return this.#output === undefined
  }

  /** Whether there are no more lines, and will be none. */
  get hasEnded(): boolean {
    return this.#ended && this.#lines.length === 0
  }

  /** How many lines wait. */
  get waiting(): number {
    return this.#lines.length
  }

  /** The next line. */
  take(): string | undefined {
    const line = this.#lines.shift()
    if (!this.#ended && this.#lines.length < MOST_WAITING) this.#reader.resume()
    return line
  }

  /** Asks for a line, with what has been typed so far. */
  show(): void {
    if (this.#output && !this.#ended && !this.#shown) this.#reader.prompt(true)
    this.#shown = true
  }

  hide(): void {
    if (!this.#output || !this.#shown) return
    this.#shown = false
    clearLine(this.#output, 0)
    cursorTo(this.#output, 0)
  }

  close(): void {
    this.hide()
    this.#reader.close()
  }
}
