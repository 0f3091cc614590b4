import type { Logger } from '../../parts/index.ts'
import type { Webhook, WebhookAnswer } from './calling.ts'
import type { ComesBack, TwilioCallsOptions } from './options.ts'

type Hooks = Pick<TwilioCallsOptions, 'passOn' | 'comesBack' | 'hasRoomElsewhere'>

/** What other processes know about calls. Never rejects. */
export class OtherProcesses {
  readonly #hooks: Hooks
  readonly #logger: Logger

  constructor(hooks: Hooks, logger: Logger) {
    this.#hooks = hooks
    this.#logger = logger
  }

  /** Asks the process that has the call, for a webhook that concerns only that process. */
  async passOn({ purpose, call, madeFor, request }: Webhook): Promise<WebhookAnswer | undefined> {
    const { passOn } = this.#hooks
    const begins = madeFor === undefined && (purpose === '/answer' || purpose === '/again')
    if (!passOn || begins || purpose === '/recording') return undefined
    return await passOn(madeFor ?? call, request).catch((error: unknown) => {
      this.#logger.warn({ call, error }, 'a webhook could not be passed on')
      return undefined
    })
  }

  /** Asks about a call whose stream has ended and that this process does not know. */
  async comesBack({ purpose, call }: Webhook): Promise<ComesBack> {
    const { comesBack } = this.#hooks
    if (!comesBack || (purpose !== '/again' && purpose !== '/keys')) return 'no'
    return await comesBack(call).catch((error: unknown) => {
      this.#logger.warn({ call, error }, 'whether a call may come back is not known')
      return 'later' as const
    })
  }

  /** Asks about a new call that this process has no room for. */
  async haveRoom({ purpose }: Webhook): Promise<boolean> {
    const { hasRoomElsewhere } = this.#hooks
    if (!hasRoomElsewhere || purpose !== '/answer') return false
    return await hasRoomElsewhere().catch(() => false)
  }
}
