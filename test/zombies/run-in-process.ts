import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../src/scope/index.ts'
import { nameOf, type Case } from './run-case.ts'

export interface Exit {
  readonly name: string
  readonly by: 'itself' | 'force' | 'failure'
  /** Milliseconds from the last close to the end of the process. */
  readonly took: number
}

const program = fileURLToPath(new URL('one-call.ts', import.meta.url))

/** How long a process may take to exit after everything in it was closed. */
const EXIT_TIMEOUT = 3_000

/** Runs a case in its own process, which must exit on its own: only a leaked socket, timer or task can keep it alive. */
export function runInProcess(one: Case): Promise<Exit> {
  const name = nameOf(one)
  const child = spawn(process.execPath, ['--import', 'tsx', program, one.subject.name, one.phase], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve) => {
    let closedAt: number | undefined
    let forced = false
    const force = (): void => {
      forced = true
      child.kill('SIGKILL')
    }
    let timer = systemClock.after(20_000, 'a call in a process', force)
    child.stdout.on('data', () => {
      closedAt = systemClock.now()
      timer.clear()
      timer = systemClock.after(EXIT_TIMEOUT, 'the end of a process', force)
    })
    child.on('exit', (code) => {
      timer.clear()
      const by = forced ? 'force' : code === 0 && closedAt !== undefined ? 'itself' : 'failure'
      resolve({ name, by, took: systemClock.now() - (closedAt ?? systemClock.now()) })
    })
  })
}
