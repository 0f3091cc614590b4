import { systemClock } from '../../src/scope/index.ts'
import { FastClock } from '../fast-clock.ts'

/** The clock of the carrier, the line and the session. Its timers are among the system's, where leaks are looked for. */
export const clock = new FastClock({ step: 2, timers: systemClock.timers })
