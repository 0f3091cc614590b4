import type { AttemptPlace, CarrierRequest, DialReport, SharedDials } from '../../lines/twilio/index.ts'
import type { Logger } from '../../parts/index.ts'
import type { Resource, Scope } from '../../scope/index.ts'
import { answerWithin } from '../journal/answer-within.ts'
import type { DialEnd, DialRecord, Journal, Owner } from '../journal/journal.ts'
import type { Directory } from './directory.ts'
import { isRelayed, relayRead } from './relay.ts'

export interface FleetDialsOptions {
  /** Waits for the outcomes that are being written when it closes. */
  readonly scope: Scope<string>
  readonly journal: Pick<Journal, 'claimDial' | 'settleDial' | 'findDial'>
  readonly directory: Directory
  /** This process. */
  readonly own: () => Owner
  readonly logger: Logger
}

const limits = {
  /** Milliseconds for the journal to answer: somebody waits for the call. */
  answer: 5_000,
  /** Milliseconds until an outcome that could not be written is written again. */
  retry: 1_000,
  /** Attempts to write an outcome: ten minutes. After that, it is `unknown` once this process has ended. */
  tries: 600,
}

/** The attempts of all processes that share a journal to call somebody (DI4, DI5). */
export class FleetDials implements SharedDials, Resource {
  readonly #options: FleetDialsOptions
  readonly #writing = new Set<Promise<void>>()
  readonly #closing = new AbortController()

  constructor(options: FleetDialsOptions) {
    this.#options = options
    options.scope.own('outcomes of calls out', this)
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
  ended(
    ticket: string,
    { outcome, id, why, took }: Omit<DialReport, 'key' | 'took'> & { took?: number },
  ): void {
    const writing = this.#write(ticket, {
      outcome,
      ...(id === undefined ? {} : { call: id }),
      ...(why === undefined ? {} : { why }),
      ...(took === undefined ? {} : { took }),
    }).finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }

  async place(ticket: string, request: CarrierRequest): Promise<AttemptPlace> {
    // Another process believes that this one dials.
    if (isRelayed(request)) return 'gone'
    const place = await this.#options.directory.placeOfDial({ ticket })
    if (place.where === 'elsewhere') return { elsewhere: await relayRead(request, place.address) }
    if (place.where === 'unreachable') return 'later'
    return place.where === 'ended' ? 'here' : 'gone'
  }

  closing(): void {
    this.#closing.abort()
  }

  async close(): Promise<void> {
    await Promise.all(this.#writing)
  }

  abort(): void {
    this.#closing.abort()
  }

  inspect(): object {
    return { writing: this.#writing.size }
  }

  async #write(ticket: string, end: DialEnd): Promise<void> {
    const { journal, logger } = this.#options
    for (let tries = 1; ; tries++) {
      try {
        return void (await this.#within(journal.settleDial(ticket, end)))
      } catch (error) {
        const isLast = tries >= limits.tries || this.#closing.signal.aborted
        logger.warn({ error, outcome: end.outcome, isLast }, 'the outcome of a call out could not be written')
        if (isLast) return undefined
        await this.#pause()
      }
    }
  }

  /** Ends early when the scope closes. */
  #pause(): Promise<void> {
    const { signal } = this.#closing
    return new Promise((resolve) => {
      const timer = this.#options.scope.clock.after(limits.retry, 'write the outcome of a call out', done)
      signal.addEventListener('abort', done, { once: true })
      function done(): void {
        timer.clear()
        signal.removeEventListener('abort', done)
        resolve()
      }
    })
  }

  #within<T>(request: Promise<T>): Promise<T> {
    return answerWithin(this.#options.scope.clock, limits.answer, request)
  }
}
