import type { IncomingMessage, ServerResponse } from 'node:http'
import { noop } from '../../scope/index.ts'
import { mayCall, type CallerRule } from '../may-call.ts'
import { readBody } from '../read-body.ts'
import { allowOrigin, answerJson, answerRefusal, secretProblem } from '../rtvi/http.ts'
import type { Origin } from '../this-machine.ts'
import { limits } from './limits.ts'
import type { PassedAnswer, SignalRequest } from './other-processes.ts'
import { readCandidates, readConnection, readOffer, type Candidates, type Offer } from './read-signal.ts'
import { refusals, type OfferRefusal } from './refusals.ts'

/** Where an offer comes from. Untrusted, except for the address. */
export interface OfferRequest extends Origin {
  readonly origin: string | undefined
  /** The token in the address of the request. Without one, the request has the secret, or comes from this machine. */
  readonly token: string | undefined
  /** The request as it was read, for another process. */
  readonly read: SignalRequest
}

/** What is sent back, or why the request was refused, or what another process has answered. */
export type SignalAnswer =
  | { readonly body: object }
  | { readonly refused: OfferRefusal }
  | { readonly passed: PassedAnswer }

export interface OfferEndpointOptions extends CallerRule {
  readonly path: string
  readonly offer: (offer: Offer, request: OfferRequest) => Promise<SignalAnswer>
  readonly candidates: (candidates: Candidates, request: SignalRequest) => Promise<SignalAnswer>
  /** The client will not connect. */
  readonly withdraw: (pcId: string, request: SignalRequest) => Promise<SignalAnswer>
  /** Has the process that has started a call answer an offer for it, if that is another one. */
  readonly passOn: (name: string, request: SignalRequest) => Promise<SignalAnswer | undefined>
  /** The token of a call that was started here, by its name. */
  readonly tokenOf: (name: string) => string | undefined
}

/**
 * The address that clients send offers to, with `POST`, and then their candidates, with `PATCH`. `DELETE` withdraws an offer. The name
 * of a call in front of it, as in `/sessions/NAME/api/offer`, stands for its token: clients that are given only the name make that
 * address themselves.
 */
export class OfferEndpoint {
  readonly #options: OfferEndpointOptions

  constructor(options: OfferEndpointOptions) {
    this.#options = options
  }

  /** Whether a request is for this address. */
  concerns({ url = '/' }: { readonly url?: string | undefined }): boolean {
    return this.#nameIn(url) !== undefined
  }

  /** The name of a call in an address, or an empty text if there is none in it. Undefined for other addresses. */
  #nameIn(url: string): string | undefined {
    const [path = ''] = url.split('?', 1)
    if (!path.endsWith(this.#options.path)) return undefined
    const front = path.slice(0, path.length - this.#options.path.length)
    return front === '' ? '' : /^\/sessions\/([\w.-]+)$/.exec(front)?.[1]
  }

  /** Answers a request of a server of `node:http`. Never throws. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const { headers, socket, method } = request
    const asked = { headers, address: socket.remoteAddress, origin: headers.origin }
    response.on('error', noop)
    if (!mayCall(asked, this.#options)) return refuse(response, 'ORIGIN_REFUSED')
    allowOrigin(response, headers, 'POST, PATCH, DELETE')
    if (method === 'OPTIONS') return void response.writeHead(204).end()
    if (!['POST', 'PATCH', 'DELETE'].includes(method ?? '')) return refuse(response, 'NOT_FOUND')
    this.#answer(request, asked)
      .then((answer) => {
        if ('refused' in answer) return refuse(response, answer.refused)
        if ('passed' in answer) return answerJson(response, answer.passed.status, answer.passed.body)
        return answerJson(response, 200, answer.body)
      })
      .catch(() => refuse(response, 'FAILED'))
    return undefined
  }

  async #answer(
    request: IncomingMessage,
    asked: Omit<OfferRequest, 'token' | 'read'>,
  ): Promise<SignalAnswer> {
    const { method = 'POST', headers, url = '/' } = request
    const name = this.#nameIn(url) ?? ''
    const given = new URLSearchParams(url.split('?')[1]).get('token') ?? undefined
    // The name of a call or of a connection is as good as a token: only its client knows it.
    const wrong =
      given === undefined && name === '' && method === 'POST'
        ? secretProblem(headers.authorization, this.#options.secret)
        : undefined
    if (wrong) return { refused: wrong }
    let body: string
    try {
      body = await readBody(request, limits.body)
    } catch {
      return { refused: 'TOO_LARGE' }
    }
    const read = { method, url, headers, body }
    if (method === 'DELETE') {
      const connection = readConnection(body)
      return connection === undefined
        ? { refused: 'BAD_REQUEST' }
        : await this.#options.withdraw(connection, read)
    }
    if (method === 'PATCH') {
      const candidates = readCandidates(body)
      return candidates ? await this.#options.candidates(candidates, read) : { refused: 'BAD_REQUEST' }
    }
    const offer = readOffer(body)
    if (!offer) return { refused: 'BAD_REQUEST' }
    if (name === '') return await this.#options.offer(offer, { ...asked, token: given, read })
    const passed = await this.#options.passOn(name, read)
    if (passed) return passed
    const token = this.#options.tokenOf(name)
    if (token === undefined) return { refused: 'CALL_GONE' }
    // Every process takes the token, and only this one knows the name.
    const plain = { ...read, url: `${this.#options.path}?token=${encodeURIComponent(token)}` }
    return await this.#options.offer(offer, { ...asked, token, read: plain })
  }
}

function refuse(response: ServerResponse, code: OfferRefusal): void {
  const [status, message] = refusals[code]
  answerRefusal(response, status, code, message)
}
