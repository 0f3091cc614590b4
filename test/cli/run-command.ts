import type { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { vi } from 'vitest'
import { heldOpen, holders } from '../../src/cli/held-open.ts'
import { installedPackage } from '../compiled.ts'
import { jsonLines, withoutAccounts, type ProgramOptions } from '../program.ts'

export interface CommandOptions extends ProgramOptions {
  /**
   * Whether the command connects to servers of the test. Their ends of the connections cannot be told from the command's, so
   * that what the command leaves open is not checked. Default: false.
   */
  readonly toOwnServers?: boolean
}

/** How a command has ended. */
export interface Ended {
  readonly code: number
  readonly out: string
  readonly errors: string
  /** The lines of its output that are JSON objects. */
  readonly lines: readonly Readonly<Record<string, unknown>>[]
}

/** Thrown in the place of `process.exit`. */
class Exit extends Error {
  readonly code: number

  constructor(code: number) {
    super(`the command exits with ${code}`)
    this.code = code
  }
}

let running: Promise<unknown> = Promise.resolve()

/**
 * Runs the `endwell` command of the installed package in this process, with an environment and a working directory of its
 * own. Processes that it starts are real. Rejects if something would have kept a process of the command alive. Commands
 * run one after the other, because they share the environment. Use `runProgram` for signals, and for input from a terminal.
 */
export function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const ended = running.then(() => run(args, options))
  running = ended.catch(() => {})
  return ended
}

async function run(args: readonly string[], options: CommandOptions): Promise<Ended> {
  const { env = {}, cwd, toOwnServers = false } = options
  const { endwell } = (await import(
    pathToFileURL(join(installedPackage(), 'dist/cli/endwell.js')).href
  )) as typeof import('../../src/cli/endwell.ts')
  const listeners = rememberListeners()
  const before = { env: process.env, cwd: process.cwd(), held: holders() }
  const printed = captureOutput()
  process.env = { ...withoutAccounts(before.env), ...env }
  if (cwd !== undefined) process.chdir(cwd)
  let code: number
  try {
    process.exitCode = undefined
    await endwell(args)
    code = exitCode()
    const left = toOwnServers ? [] : await heldOpen(before.held)
    if (left.length > 0) throw new Error(`${left.join(', ')} would keep the command alive`)
  } catch (error) {
    if (!(error instanceof Exit)) throw error
    code = error.code
  } finally {
    process.exitCode = undefined
    process.chdir(before.cwd)
    process.env = before.env
    listeners.restore()
    printed.restore()
  }
  return { code, out: printed.out(), errors: printed.errors(), lines: jsonLines(printed.out()) }
}

/** Read in a function: the compiler does not know that a command has set it. */
const exitCode = (): number => Number(process.exitCode ?? 0)

/** Captures what is printed by any part of this process, and replaces `process.exit`. */
function captureOutput() {
  const text = { out: '', errors: '' }
  const add = (to: 'out' | 'errors', end: string) => (line: unknown) =>
    void (text[to] += `${String(line)}${end}`)
  const write = (to: 'out' | 'errors') =>
    ((piece: string | Uint8Array, ...rest: readonly unknown[]) => {
      text[to] += String(piece)
      const done = rest.at(-1)
      if (typeof done === 'function') process.nextTick(done)
      return true
    }) as typeof process.stdout.write
  const mocks = [
    vi.spyOn(console, 'log').mockImplementation(add('out', '\n')),
    vi.spyOn(console, 'error').mockImplementation(add('errors', '\n')),
    vi.spyOn(process.stdout, 'write').mockImplementation(write('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(write('errors')),
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Exit(Number(code ?? 0))
    }),
  ]
  return {
    out: () => text.out,
    errors: () => text.errors,
    restore: () => mocks.forEach((mock) => mock.mockRestore()),
  }
}

/** Remembers the listeners of what a process has only one of. A command leaves its own to the end of its process. */
function rememberListeners() {
  const places: readonly (readonly [EventEmitter, string])[] = [
    [process, 'SIGINT'],
    [process, 'SIGTERM'],
    [process, 'SIGHUP'],
    [process.stdout, 'error'],
    [process.stderr, 'error'],
  ]
  const known = places.map(([emitter, event]) => new Set(emitter.listeners(event)))
  return {
    restore: () =>
      places.forEach(([emitter, event], index) => {
        for (const listener of emitter.listeners(event))
          if (!known[index]!.has(listener)) emitter.removeListener(event, listener as () => void)
      }),
  }
}
