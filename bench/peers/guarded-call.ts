import type { Guard, GuardReport } from '../../src/guard/index.ts'
import type { Call } from './case.ts'

/** Summarizes the report of a guard in one line. */
export function summarize({ graceful, severed, refused }: GuardReport): string {
  return `graceful: ${graceful}, severed: ${severed.length}, refused: ${refused}`
}

/** A session that is closed through its guard alone. */
export function guardedCall(guard: Guard): Call {
  return { close: () => guard.close().then(summarize), onClosed: (listener) => guard.on('closed', listener) }
}
