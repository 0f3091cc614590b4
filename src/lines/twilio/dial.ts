import { isCallAddress } from '../../parts/index.ts'
import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'
import type { DialOutcome } from './dial-machine.ts'
import { limits } from './limits.ts'

export interface DialOptions {
  /** A phone number like `+4930123456`, or an address like `sip:desk@example.com`. */
  to: string
  /** The number that is shown: one of your own at the carrier. */
  from: string
  /** One key never dials twice: another call of `dial` with the same key returns the same attempt. Default: random. */
  key?: string
  /** Given to `onCall` as `info.parameters` when somebody answers. */
  parameters?: Readonly<Record<string, string>>
  /** Whether the carrier records the call, once it is answered. Default: as the calls are. */
  record?: boolean
  /** How the agent presses keys. Default: as the calls do. */
  keys?: 'tones' | 'carrier'
  /** How long it may ring, in milliseconds. Default: 30 s. */
  ringTimeout?: number
  /**
   * What to do if a machine answers, as far as the carrier can tell. `tell`: the call is connected at once, and the carrier's verdict
   * reaches `session.answeredBy()` when it comes. `hang-up`: waits for the verdict before anything is said, which takes some
   * seconds, and ends the call if it is a machine. Default: `talk`, without detection by the carrier.
   */
  machines?: 'talk' | 'tell' | 'hang-up'
}

const dialNames: OptionNames<DialOptions> = {
  to: true,
  from: true,
  key: true,
  parameters: true,
  record: true,
  keys: true,
  ringTimeout: true,
  machines: true,
}

/** What became of an attempt to call somebody. */
export interface DialReport {
  readonly key: string
  readonly outcome: DialOutcome
  /** The carrier's name for the call, as far as it is known. A session for it has the same id. */
  readonly id?: string
  /** Why it failed or is unknown. */
  readonly why?: string
  /** How long it took until the outcome was known, in milliseconds. */
  readonly took: number
}

/** An attempt to call somebody. */
export interface Dial {
  readonly key: string
  /** The carrier's name for the call, once it is known. */
  readonly id: string | undefined
  /** Settles once, in bounded time, and never rejects. */
  readonly report: Promise<DialReport>
  /** Ends the attempt, at any moment. Resolves with the report. Does nothing once somebody has answered. */
  cancel(): Promise<DialReport>
}

/** Throws if options are invalid. */
export function checkDial(options: DialOptions): void {
  checkOptions('dial', options, dialNames)
  const { machines = 'talk' } = options
  if (!['talk', 'tell', 'hang-up'].includes(machines))
    throw new OptionError(`dial: machines must be talk, tell or hang-up; it is '${machines}'`)
  const { to, from, key = 'k', ringTimeout = limits.ringTimeout, parameters = {} } = options
  for (const [name, value] of Object.entries({ to, from }))
    if (!isCallAddress(value))
      throw new OptionError(`dial: ${name} must be like +4930123456 or sip:desk@example.com`)
  if (typeof key !== 'string' || key === '' || key.length > limits.name)
    throw new OptionError(`dial: key must be a text of 1 to ${limits.name} characters`)
  if (typeof ringTimeout !== 'number' || !(ringTimeout >= 5_000 && ringTimeout <= 600_000))
    throw new OptionError(`dial: ringTimeout must be from 5,000 to 600,000 ms; it is ${String(ringTimeout)}`)
  if (options.record !== undefined && typeof options.record !== 'boolean')
    throw new OptionError('dial: record must be true or false')
  if (options.keys !== undefined && options.keys !== 'tones' && options.keys !== 'carrier')
    throw new OptionError('dial: keys must be tones or carrier')
  const entries = typeof parameters === 'object' ? Object.entries(parameters ?? {}) : []
  if (
    typeof parameters !== 'object' ||
    entries.length > limits.parameters ||
    entries.some(([, value]) => typeof value !== 'string')
  )
    throw new OptionError(`dial: parameters must be at most ${limits.parameters} texts`)
}
