import type { Clock } from '../../scope/index.ts'
import { askCarrier } from './ask-carrier.ts'
import { endedStatuses, type Carrier } from './carrier.ts'
import { parse } from './stream-json.ts'

export interface FarCallOptions {
  readonly clock: Clock
  readonly carrier: Carrier
  readonly fetch: typeof fetch
  /** The carrier's name for the call. */
  readonly call: string
  readonly account: string | undefined
}

/** A call as its carrier has it: what can be asked and changed over the REST API. Nothing here rejects. */
export class FarCall {
  readonly #options: FarCallOptions

  constructor(options: FarCallOptions) {
    this.#options = options
  }

  /** Whether the carrier can be asked: that needs credentials. */
  get canAsk(): boolean {
    const { carrier, call, account } = this.#options
    return carrier.look(call, account) !== undefined
  }

  /** Asks whether the call is live. */
  async look(): Promise<'live' | 'ended' | 'unknown'> {
    const { carrier, call, account } = this.#options
    const request = carrier.look(call, account)
    if (!request) return 'unknown'
    const answer = await askCarrier(this.#options, request)
    if (answer.status === undefined) return 'unknown'
    if (answer.status === 404 && carrier.hasEnded(answer.status, answer.body)) return 'ended'
    const status = parse(answer.body)?.['status']
    if (answer.status !== 200 || typeof status !== 'string') return 'unknown'
    return endedStatuses.has(status) ? 'ended' : 'live'
  }

  /** Gives the carrier another document for the call. */
  async redirect(document: string): Promise<'accepted' | 'refused' | 'gone' | 'silent'> {
    const { carrier, call, account } = this.#options
    const request = carrier.redirect(call, account, document)
    if (!request) return 'refused'
    const answer = await askCarrier(this.#options, request)
    if (answer.status === undefined || answer.passing) return 'silent'
    if (answer.status >= 200 && answer.status < 300) return 'accepted'
    return carrier.hasEnded(answer.status, answer.body) ? 'gone' : 'refused'
  }
}
