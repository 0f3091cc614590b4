import { systemClock } from '../../src/scope/index.ts'
import { FastClock } from '../fast-clock.ts'

/** The clock of the carrier, the line and the session. Shares the system's registry of timers, which leak checks read. */
export const clock = new FastClock({ step: 2, timers: systemClock.timers })
