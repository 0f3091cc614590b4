import { describeError, systemClock } from '../../scope/index.ts'

/** What one check has found. */
export interface Finding {
  /** What was checked. */
  readonly name: string
  /** `skipped`: there is nothing to check. `warning`: works, but hardly as intended. */
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped'
  /** What was found and, unless it is fine, what to do. */
  readonly text: string
  /** How long a vendor took to answer, in milliseconds. */
  readonly took?: number
}

export type Check = () => Promise<Omit<Finding, 'name'>>

export const ok = (text: string): Omit<Finding, 'name'> => ({ state: 'ok', text })
export const wrong = (text: string): Omit<Finding, 'name'> => ({ state: 'wrong', text })
export const warning = (text: string): Omit<Finding, 'name'> => ({ state: 'warning', text })
export const skipped = (text: string): Omit<Finding, 'name'> => ({ state: 'skipped', text })

/** How long a check may take, in milliseconds. */
const TIMEOUT = 30_000

/** Runs a check. It never rejects, and ends in time (HO31). */
export async function runCheck(name: string, check: Check, timeout = TIMEOUT): Promise<Finding> {
  const found = await new Promise<Omit<Finding, 'name'>>((resolve) => {
    const timer = systemClock.after(timeout, `check ${name}`, () =>
      resolve(wrong(`no answer within ${timeout / 1_000} s`)),
    )
    const done = (finding: Omit<Finding, 'name'>): void => {
      timer.clear()
      resolve(finding)
    }
    check().then(done, (error: unknown) => done(wrong(describeError(error).message)))
  })
  return { name, ...found }
}

const marks = { ok: '✓', warning: '!', wrong: '✗', skipped: '–' } as const

export function lineOf({ name, state, text }: Finding): string {
  return `${marks[state]} ${name.padEnd(13)}  ${text}`
}
