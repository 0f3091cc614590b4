import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../src/scope/index.ts'
import { nameOf, type Case } from './run-case.ts'

export interface Exit {
  readonly name: string
  readonly by: 'itself' | 'force' | 'failure'
  /** From the last close to the end of the process. */
  readonly took: number
}

const program = fileURLToPath(new URL('one-call.ts', import.meta.url))

/** How long a process may live on after everything in it was closed. */
const PATIENCE = 3_000

/** Lives the case in a process of its own, which must end by itself: whatever keeps it is a socket, a timer or a task. */
export function exitsAlone(one: Case): Promise<Exit> {
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
      timer = systemClock.after(PATIENCE, 'the end of a process', force)
    })
    child.on('exit', (code) => {
      timer.clear()
      const by = forced ? 'force' : code === 0 && closedAt !== undefined ? 'itself' : 'failure'
      resolve({ name, by, took: systemClock.now() - (closedAt ?? systemClock.now()) })
    })
  })
}
