import type { AttemptPlace, CarrierRequest, DialReport, SharedDials } from '../../lines/twilio/index.ts'
import type { Clock } from '../../scope/index.ts'
import { answerWithin } from '../journal/answer-within.ts'
import type { DialRecord, Journal, Owner } from '../journal/journal.ts'
import type { Directory } from './directory.ts'
import type { FleetWrites } from './fleet-writes.ts'
import { isRelayed, relayRead } from './relay.ts'

export interface FleetDialsOptions {
  readonly clock: Clock
  readonly journal: Pick<Journal, 'claimDial' | 'settleDial' | 'findDial'>
  readonly directory: Directory
  readonly writes: FleetWrites
  /** This process. */
  readonly own: () => Owner
}

/** Milliseconds for the journal to answer: somebody waits for the call. */
const ANSWER_TIMEOUT = 5_000

/** The attempts of all processes that share a journal to call somebody (DI4, DI5). */
export class FleetDials implements SharedDials {
  readonly #options: FleetDialsOptions

  constructor(options: FleetDialsOptions) {
    this.#options = options
  }

  /** Claims a key. Returns the attempt that has it. Rejects if the journal is away: then nothing may be dialled. */
  claim(key: string, ticket: string): Promise<DialRecord> {
    const { journal, own } = this.#options
    return this.#within(journal.claimDial({ key, ticket, owner: own() }))
  }

  find(key: string): Promise<DialRecord | undefined> {
    return this.#within(this.#options.journal.findDial({ key }))
  }

  /** Nothing was dialled: the key is free again. */
  drop(ticket: string): Promise<boolean> {
    return this.#within(this.#options.journal.settleDial(ticket, undefined))
  }

  /** Writes an outcome, also if the journal is away for a while. */
  ended(ticket: string, report: Omit<DialReport, 'key' | 'took'> & { readonly took?: number }): void {
    const { outcome, id, why, took } = report
    this.#options.writes.dialled(ticket, {
      outcome,
      ...(id === undefined ? {} : { call: id }),
      ...(why === undefined ? {} : { why }),
      ...(took === undefined ? {} : { took }),
    })
  }

  async place(ticket: string, request: CarrierRequest): Promise<AttemptPlace> {
    // Another process believes that this one dials.
    if (isRelayed(request)) return 'gone'
    const place = await this.#options.directory.placeOfDial({ ticket })
    if (place.where === 'elsewhere') return { elsewhere: await relayRead(request, place.address) }
    if (place.where === 'unreachable') return 'later'
    return place.where === 'ended' ? 'here' : 'gone'
  }

  #within<T>(request: Promise<T>): Promise<T> {
    return answerWithin(this.#options.clock, ANSWER_TIMEOUT, request)
  }
}
