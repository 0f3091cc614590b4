import type { Guard, GuardReport } from '../../src/guard/index.ts'
import type { Call } from './case.ts'

/** What a guard says of an end, in short. */
export function told({ graceful, severed, refused }: GuardReport): string {
  return `graceful: ${graceful}, severed: ${severed.length}, refused: ${refused}`
}

/** A session that has nothing but its guard. */
export function guardedCall(guard: Guard): Call {
  return { close: () => guard.close().then(told), onClosed: (listener) => guard.on('closed', listener) }
}
