import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { EndwellError, systemClock, type ErrorCode } from '../../scope/index.ts'
import type { DialledModel } from '../dial/dial-model.ts'
import { AgentFileError, PackagesMissingError } from './errors.ts'

/** What an agent file has, as far as it can be known without a call. */
export interface AgentSummary {
  readonly name: string
  /** The name of the agent that answers. */
  readonly agent: string
  /** The names of the models, by kind. */
  readonly models: Readonly<Record<string, string>>
  /** The names of the handlers for after-call work. */
  readonly afterCall: readonly string[]
  /** What the vendors answered, if they were dialled. */
  readonly dialled?: readonly DialledModel[]
}

/** The message of the process that checks an agent file. */
export type AgentCheck =
  | { readonly agent: AgentSummary }
  | {
      readonly error: {
        readonly code: string
        readonly message: string
        /** The packages that are missing. */
        readonly packages: readonly string[]
      }
    }

export interface CheckAgentOptions {
  /** How long the file may take to load, in milliseconds. Default: 60 s. */
  readonly timeout?: number
  /** Whether to connect to the vendor of every model, for real. An LLM is asked for a few tokens. Default: false. */
  readonly dial?: boolean
  /** Ends the check. */
  readonly signal?: AbortSignal
}

const main = fileURLToPath(new URL('check-agent-process.js', import.meta.url))

/**
 * Loads an agent file in a process of its own and makes its agent and models once, so that mistakes are reported before
 * anything listens (HO29). What the file prints goes to stderr. Rejects with `AGENT_FILE`, or with the error of a model.
 */
export async function checkAgent(file: string, options: CheckAgentOptions = {}): Promise<AgentSummary> {
  const { timeout = 60_000, dial = false, signal } = options
  const child = fork(main, [file, ...(dial ? ['dial'] : [])], {
    stdio: ['ignore', 2, 2, 'ipc'],
    // A group of its own: what the file has started is killed with it.
    detached: true,
  })
  const kill = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      child.kill('SIGKILL')
    }
  }
  let answer: AgentCheck | undefined
  let ended = ''
  await new Promise<void>((resolve) => {
    const finish = (how: string): void => {
      if (ended === '') ended = how
      kill()
    }
    const timer = systemClock.after(timeout, `check ${file}`, () =>
      finish(`takes longer than ${timeout} ms to load`),
    )
    const stop = (): void => finish('was not checked: the check was ended')
    signal?.addEventListener('abort', stop, { once: true })
    const gone = (how: string): void => {
      if (ended === '') ended = how
      timer.clear()
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    child.once('message', (message) => {
      answer = message as AgentCheck
      finish('was checked')
    })
    child.once('error', (error) => gone(`could not be checked: ${error.message}`))
    child.once('exit', (code, killedBy) =>
      gone(`ended the process that loaded it, with ${killedBy ?? `exit code ${code}`}`),
    )
    if (signal?.aborted) stop()
  })
  if (!answer) throw new AgentFileError(file, ended)
  if (!('error' in answer)) return answer.agent
  const { code, message, packages } = answer.error
  if (packages.length > 0) throw new PackagesMissingError(file, packages)
  throw new EndwellError(code as ErrorCode, message)
}
