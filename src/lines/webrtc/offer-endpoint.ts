import type { IncomingMessage, ServerResponse } from 'node:http'
import { noop } from '../../scope/index.ts'
import { mayCall, type CallerRule } from '../may-call.ts'
import { readBody } from '../read-body.ts'
import { allowOrigin, answerJson, answerRefusal, secretProblem } from '../rtvi/http.ts'
import type { Origin } from '../this-machine.ts'
import { limits } from './limits.ts'
import { readCandidates, readOffer, type Candidates, type Offer } from './read-signal.ts'
import { refusals, type OfferRefusal } from './refusals.ts'

/** Where an offer comes from. Untrusted, except for the address. */
export interface OfferRequest extends Origin {
  readonly origin: string | undefined
  /** The token in the address of the request. Without one, the request has the secret, or comes from this machine. */
  readonly token: string | undefined
}

/** What is sent back, or why the request was refused. */
export type SignalAnswer = { readonly body: object } | { readonly refused: OfferRefusal }

export interface OfferEndpointOptions extends CallerRule {
  readonly path: string
  readonly offer: (offer: Offer, request: OfferRequest) => Promise<SignalAnswer>
  readonly candidates: (candidates: Candidates) => SignalAnswer
  /** The token of a call that was started here, by its id. */
  readonly tokenOf: (id: string) => string | undefined
}

/**
 * The address that clients send offers to, with `POST`, and then their candidates, with `PATCH`. The id of a call in front of it,
 * as in `/sessions/ID/api/offer`, stands for its token: clients make that address themselves if they are given only the id.
 */
export class OfferEndpoint {
  readonly #options: OfferEndpointOptions

  constructor(options: OfferEndpointOptions) {
    this.#options = options
  }

  /** Whether a request is for this address. */
  concerns({ url = '/' }: { readonly url?: string | undefined }): boolean {
    return this.#idIn(url) !== undefined
  }

  /** The id of a call in an address, or an empty text if there is none in it. Undefined for other addresses. */
  #idIn(url: string): string | undefined {
    const [path = ''] = url.split('?', 1)
    if (!path.endsWith(this.#options.path)) return undefined
    const front = path.slice(0, path.length - this.#options.path.length)
    return front === '' ? '' : /^\/sessions\/([\w-]+)$/.exec(front)?.[1]
  }

  /** Answers a request of a server of `node:http`. Never throws. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const { headers, socket, method } = request
    const asked = { headers, address: socket.remoteAddress, origin: headers.origin }
    response.on('error', noop)
    if (!mayCall(asked, this.#options)) return refuse(response, 'ORIGIN_REFUSED')
    allowOrigin(response, headers, 'POST, PATCH')
    if (method === 'OPTIONS') return void response.writeHead(204).end()
    if (method !== 'POST' && method !== 'PATCH') return refuse(response, 'NOT_FOUND')
    this.#answer(request, asked)
      .then((answer) =>
        'refused' in answer ? refuse(response, answer.refused) : answerJson(response, 200, answer.body),
      )
      .catch(() => refuse(response, 'FAILED'))
    return undefined
  }

  async #answer(request: IncomingMessage, asked: Omit<OfferRequest, 'token'>): Promise<SignalAnswer> {
    const { method, headers, url = '/' } = request
    const id = this.#idIn(url) ?? ''
    const token =
      id === ''
        ? (new URLSearchParams(url.split('?')[1]).get('token') ?? undefined)
        : this.#options.tokenOf(id)
    if (id !== '' && token === undefined) return { refused: 'CALL_GONE' }
    // The name of a connection is as good as a token: only its client knows it.
    const wrong =
      token === undefined && method === 'POST'
        ? secretProblem(headers.authorization, this.#options.secret)
        : undefined
    if (wrong) return { refused: wrong }
    let body: string
    try {
      body = await readBody(request, limits.body)
    } catch {
      return { refused: 'TOO_LARGE' }
    }
    if (method === 'PATCH') {
      const candidates = readCandidates(body)
      return candidates ? this.#options.candidates(candidates) : { refused: 'BAD_REQUEST' }
    }
    const offer = readOffer(body)
    return offer ? await this.#options.offer(offer, { ...asked, token }) : { refused: 'BAD_REQUEST' }
  }
}

function refuse(response: ServerResponse, code: OfferRefusal): void {
  const [status, message] = refusals[code]
  answerRefusal(response, status, code, message)
}
