import { formatSession, type PlayoutOutcome, type SessionReport } from '../../session/index.ts'
import { terminal } from '../terminal.ts'

/** What an agent said. */
export interface Said {
  readonly agent: string
  /** The words that reached the caller. */
  readonly text: string
  readonly how: PlayoutOutcome['how']
  /** Milliseconds that the caller waited for it, if it is the answer to a turn. */
  readonly latency?: number
}

/** A tool call that has ended. */
export interface ToolRun {
  readonly name: string
  /** As the model wrote it. */
  readonly input: string
  readonly output: string
  readonly failed: boolean
  readonly ms: number
}

/** Shows a conversation in the terminal. */
export interface Screen {
  /** What the caller said or typed. */
  user(text: string): void
  /** The next words of the agent. */
  words(agent: string, words: string): void
  /** The agent has finished. */
  said(said: Said): void
  /** A tool begins. */
  tool(name: string, input: string): void
  toolDone(run: ToolRun): void
  /** Something else happened. `fields` is for programs. */
  note(text: string, fields: object): void
  report(report: SessionReport): void
}

/** The place where the user types. The screen hides it before it prints. */
export interface Prompt {
  hide(): void
}

/** The longest input or output of a tool that is shown. Programs get all of it. */
const LONGEST = 200

/** For people: the words appear as they come. */
export class TextScreen implements Screen {
  readonly #prompt: Prompt
  /** Whether the caller's words are on the screen already, because they were typed there. */
  readonly #echoes: boolean
  /** Whether the last line has not ended yet. */
  #open = false

  constructor({ prompt, echoes }: { readonly prompt: Prompt; readonly echoes: boolean }) {
    this.#prompt = prompt
    this.#echoes = echoes
  }

  user(text: string): void {
    if (!this.#echoes) this.#print(`you: ${text}`)
  }

  words(agent: string, words: string): void {
    this.#prompt.hide()
    terminal.write(this.#open ? words : `${agent}: ${words.trimStart()}`)
    this.#open = true
  }

  said({ how, latency }: Said): void {
    if (!this.#open) return
    const cut = how === 'played' ? '' : how === 'interrupted' ? ' —' : ' — (failed)'
    terminal.print(`${cut}${latency === undefined ? '' : `  (${latency} ms)`}`)
    this.#open = false
  }

  tool(name: string, input: string): void {
    this.#print(`  ${name} ${clip(input)} …`)
  }

  toolDone({ name, output, failed, ms }: ToolRun): void {
    this.#print(`  ${name} ${failed ? 'failed' : 'returned'} after ${ms} ms: ${clip(output)}`)
  }

  note(text: string): void {
    this.#print(`  ${text}`)
  }

  report(report: SessionReport): void {
    const lines = formatSession(report).split('\n')
    // How the close went is of interest only if something went wrong.
    const summary = report.clean ? [lines[0]!, ...lines.slice(lines.lastIndexOf('') + 1)] : lines
    this.#print('', ...summary)
  }

  #print(...lines: readonly string[]): void {
    this.#prompt.hide()
    if (this.#open) terminal.print('')
    this.#open = false
    terminal.print(...lines)
  }
}

/** For programs: one line of JSON per event. */
export const jsonScreen: Screen = {
  user: (text) => terminal.json({ type: 'user', text }),
  words: () => {},
  said: (said) => terminal.json({ type: 'agent', ...said }),
  tool: () => {},
  toolDone: (run) => terminal.json({ type: 'tool', ...run }),
  note: (_, fields) => terminal.json(fields),
  report: (report) => terminal.json({ type: 'report', report }),
}

function clip(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`
}
