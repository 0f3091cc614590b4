import { renameSync, rmSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/scope/index.ts'

/** A moment between two writes to the journal at which a process can be killed: see `fault-points.ts`. */
export interface Point {
  readonly name: string
  /** What has to happen for a process to get there. Without it, calls are enough. */
  readonly after?: 'worker' | 'supervisor' | 'host'
}

const both = (role: string, labels: readonly string[], moments: readonly string[]): string[] =>
  labels.flatMap((label) => moments.map((moment) => `${role}.${label}.${moment}`))

const named = (names: readonly string[], after?: Point['after']): Point[] =>
  names.map((name) => (after === undefined ? { name } : { name, after }))

const asks = ['asked', 'answered']
const commits = ['committing', 'committed']

export const points: readonly Point[] = [
  ...named(both('calls', ['open', 'entries', 'close'], asks)),
  ...named(both('work', ['claim', 'settle'], asks)),
  ...named(both('supervisor', ['open', 'entries', 'close', 'claim', 'settle', 'beat'], commits)),
  ...named(both('calls', ['take'], asks), 'worker'),
  ...named(both('supervisor', ['orphan', 'take'], commits), 'worker'),
  ...named(both('supervisor', ['join'], commits), 'supervisor'),
]

/** Arms a point. `reached` resolves to whether a process got there, and died, within `within` milliseconds. */
export function arm(folder: string, { name }: Point, within: number): { readonly reached: Promise<boolean> } {
  const armed = join(folder, 'armed', name)
  const reached = new Promise<boolean>((resolve) => {
    const done = (result: boolean): void => {
      timer.clear()
      watcher.close()
      resolve(result)
    }
    const watcher = watch(join(folder, 'reached'), (_, file) => {
      if (file?.startsWith(name) === true) done(true)
    })
    const timer = systemClock.after(within, `a process reaches ${name}`, () => done(!disarm(armed)))
  })
  writeFileSync(armed, '')
  return { reached }
}

/** Returns false if a process took it first. */
function disarm(armed: string): boolean {
  try {
    // A move succeeds for one of two processes.
    renameSync(armed, `${armed}.off`)
    rmSync(`${armed}.off`, { force: true })
    return true
  } catch {
    return false
  }
}
