import type { Clock } from '../../scope/index.ts'
import { askCarrier, whyOf } from './ask-carrier.ts'
import type { RedirectAnswer } from './call-life-events.ts'
import { endedStatuses, type ApiRequest, type Carrier } from './carrier.ts'
import { limits } from './limits.ts'
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
  async redirect(document: string): Promise<RedirectAnswer> {
    const { carrier, call, account } = this.#options
    return await this.#change(carrier.redirect(call, account, document))
  }

  /** Does so as often as the carrier is asked to end a call, while it is `wanted`. */
  async insist(document: string, wanted: () => boolean): Promise<RedirectAnswer> {
    return await this.#repeat(limits.tries, () => this.redirect(document), wanted)
  }

  /** Has the carrier press keys beside the stream. It knows a request again, so that the request can be repeated. */
  async press(request: ApiRequest | undefined, wanted: () => boolean): Promise<RedirectAnswer> {
    return await this.#repeat(limits.keyTries, () => this.#change(request), wanted)
  }

  async #repeat(
    tries: number,
    ask: () => Promise<RedirectAnswer>,
    wanted: () => boolean,
  ): Promise<RedirectAnswer> {
    for (let left = tries, wait: number = limits.pause; ; left--, wait *= 2) {
      const answer = await ask()
      if (answer.how !== 'silent' || left <= 1) return answer
      await new Promise<void>((resolve) => this.#options.clock.after(wait, 'ask the carrier again', resolve))
      if (!wanted()) return answer
    }
  }

  async #change(request: ApiRequest | undefined): Promise<RedirectAnswer> {
    const { carrier } = this.#options
    if (!request) return { how: 'refused', why: 'the carrier cannot be asked' }
    const answer = await askCarrier(this.#options, request)
    if (answer.status === undefined || answer.passing) return { how: 'silent', why: whyOf(answer, carrier) }
    if (answer.status >= 200 && answer.status < 300) return { how: 'accepted' }
    if (carrier.hasEnded(answer.status, answer.body)) return { how: 'gone' }
    return { how: 'refused', why: whyOf(answer, carrier) }
  }
}
