import { newKey } from '../../lines/index.ts'
import type { Dial, DialOptions, DialOutcome } from '../../lines/twilio/index.ts'
import { noop } from '../../scope/index.ts'
import type { FleetDials } from '../fleet/fleet-dials.ts'
import type { DialRecord } from '../journal/journal.ts'
import type { CallOut } from '../wire/index.ts'

/** An attempt of this process. */
interface ActiveDial extends Dial {
  readonly outcome: DialOutcome | undefined
}

/** The attempts of this process: `dials` of `TwilioCalls`. */
interface Dials {
  known(options: DialOptions): ActiveDial | undefined
  find(key: string): ActiveDial | undefined
  check(): void
  start(options: DialOptions, consultation: undefined, ticket: string): ActiveDial
}

export interface CallsOutOptions {
  readonly dials: () => Dials
  /** The attempts of all processes that share a journal. Without it, keys are known to this process only. */
  readonly shared?: FleetDials
}

/** Has the agent call somebody. */
export class CallsOut {
  readonly #options: CallsOutOptions

  constructor(options: CallsOutOptions) {
    this.#options = options
  }

  /**
   * Calls somebody, unless the key was used before: then returns that attempt (DI4). Rejects if the options make no sense, if
   * nothing can be dialled now, or if the journal is away.
   */
  async call(options: DialOptions): Promise<{ readonly attempt: CallOut; readonly isNew: boolean }> {
    const { shared } = this.#options
    const dials = this.#options.dials()
    const known = dials.known(options)
    if (known) return { attempt: await this.#attemptOf(known), isNew: false }
    dials.check()
    const { key = newKey() } = options
    const ticket = newKey()
    const record = await shared?.claim(key, ticket)
    if (record && record.ticket !== ticket) return { attempt: attemptIn(record), isNew: false }
    return { attempt: await this.#attemptOf(await this.#dial({ ...options, key }, ticket)), isNew: true }
  }

  /** An attempt of this process that can be awaited and cancelled. */
  active(key: string): ActiveDial | undefined {
    return this.#options.dials().find(key)
  }

  /** The attempt with a key, of any process. */
  async find(key: string): Promise<CallOut | undefined> {
    const { shared } = this.#options
    const own = this.active(key)
    const record = await shared?.find(key)
    // An outcome in the journal may be newer: a late webhook settles an unknown one.
    if (own && record?.outcome === undefined) return this.#attemptOf(own)
    return record && attemptIn(record)
  }

  async #dial(options: DialOptions & { readonly key: string }, ticket: string): Promise<ActiveDial> {
    const { shared } = this.#options
    try {
      const dial = this.#options.dials().start(options, undefined, ticket)
      dial.report.then((report) => shared?.ended(ticket, report)).catch(noop)
      return dial
    } catch (error) {
      await shared?.drop(ticket).catch(noop)
      throw error
    }
  }

  async #attemptOf({ key, id, report, outcome }: ActiveDial): Promise<CallOut> {
    if (outcome === undefined) return { key, ...(id === undefined ? {} : { id }) }
    const { why, took } = await report
    return {
      key,
      outcome,
      ...(id === undefined ? {} : { id }),
      ...(why === undefined ? {} : { why }),
      took,
    }
  }
}

function attemptIn({ key, outcome, call, why, took }: DialRecord): CallOut {
  return {
    key,
    ...(outcome === undefined ? {} : { outcome: outcome as NonNullable<CallOut['outcome']> }),
    ...(call === undefined ? {} : { id: call }),
    ...(why === undefined ? {} : { why }),
    ...(took === undefined ? {} : { took }),
  }
}
