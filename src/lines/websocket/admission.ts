import type { Clock } from '../../scope/index.ts'
import { checkToken } from '../call-token.ts'
import { mayCall } from '../may-call.ts'
import type { Origin } from '../this-machine.ts'
import { limits } from './limits.ts'
import { readOffer, type Ticket } from './protocol.ts'
import type { RefusalCode } from './refusal.ts'

/** An upgrade request. Untrusted, except for the peer address. */
export interface CallRequest extends Origin {
  /** The origin of the page. */
  readonly origin: string | undefined
  readonly url: string
  readonly protocols: readonly string[]
}

export interface AdmissionOptions {
  readonly secret?: string | undefined
  readonly origins?: readonly string[] | undefined
}

export type Verdict =
  | { readonly kind: 'new'; readonly data: unknown }
  | { readonly kind: 'back'; readonly ticket: Ticket }
  /** `speaks`: whether the page understands our protocol, so that the refusal can be a close frame. */
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly speaks: boolean }

/** Decides who may call, before there is a call or a session (LN5). */
export class Admission {
  readonly #clock: Clock
  readonly #options: AdmissionOptions

  constructor(clock: Clock, options: AdmissionOptions) {
    this.#clock = clock
    this.#options = options
  }

  check(request: CallRequest): Verdict {
    const { known, token, ticket } = readOffer(request.protocols)
    if (!known) return refused('NOT_A_CALL', false)
    // A page from elsewhere learns nothing, not even why it was refused.
    if (!mayCall(request, this.#options)) return refused('ORIGIN_REFUSED', false)
    // A page that comes back has shown its token before. The key in its ticket is as good, and does not expire.
    if (ticket) return { kind: 'back', ticket }
    const { secret } = this.#options
    if (secret === undefined) return { kind: 'new', data: undefined }
    if (token === undefined) return refused('TOKEN_MISSING')
    if (token.length > limits.token) return refused('TOKEN_INVALID')
    const { code, data } = checkToken(secret, this.#clock.date(), token)
    return code === undefined ? { kind: 'new', data } : refused(code)
  }
}

const refused = (code: RefusalCode, speaks = true): Verdict => ({ kind: 'refused', code, speaks })
