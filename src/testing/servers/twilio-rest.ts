import { Buffer } from 'node:buffer'
import type { TwilioCall } from './twilio-call.ts'

/** How the REST API treats requests. Default: answers at once. */
export interface RestManners {
  /** Resets all connections. */
  readonly down?: boolean
  /** Milliseconds before the response. */
  readonly delay?: number | 'never'
  /** Responds with this status to every request: 401, 404, 429, 500. The call continues. */
  readonly status?: number
}

export interface RestRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly body: string
}

export interface RestAnswer {
  readonly status: number
  readonly json: object
}

export interface RestOptions {
  readonly account: string
  readonly authToken: string
  readonly find: (sid: string) => TwilioCall | undefined
}

/** The part of Twilio's REST API that an application needs to hang up. */
export class TwilioRest {
  manners: RestManners = {}
  /** All requests, with the status of their responses. */
  readonly requests: (RestRequest & { readonly status: number })[] = []
  readonly #options: RestOptions

  constructor(options: RestOptions) {
    this.#options = options
  }

  answer(request: RestRequest): RestAnswer {
    const answer = this.#decide(request)
    this.requests.push({ ...request, status: answer.status })
    return answer
  }

  #decide({ method, path, authorization, body }: RestRequest): RestAnswer {
    const { account, authToken, find } = this.#options
    const { status: always } = this.manners
    if (always !== undefined) return problem(always, 20_000 + always, 'The test set this status')
    const basic = `Basic ${Buffer.from(`${account}:${authToken}`).toString('base64')}`
    // Telnyx has the same resource for its TeXML under another root, with the key as a bearer token.
    if (authorization !== basic && authorization !== `Bearer ${authToken}`)
      return problem(401, 20_003, 'Authenticate')
    const sid = /\/(?:Accounts\/[^/]+\/Calls|calls)\/([^/.]+)(?:\.json|\/actions\/hangup)?$/.exec(path)?.[1]
    const call = sid === undefined ? undefined : find(decodeURIComponent(sid))
    if (!call) return problem(404, 20_404, `The requested resource ${path} was not found`)
    if (method === 'GET') return { status: 200, json: resourceOf(call) }
    const telnyx = path.endsWith('/actions/hangup')
    const hangsUp = telnyx || new URLSearchParams(body).get('Status') === 'completed'
    if (method !== 'POST' || !hangsUp)
      return problem(400, 20_001, 'This server only supports Status=completed')
    if (!call.endByRest()) {
      if (telnyx)
        return { status: 422, json: { errors: [{ code: '90018', title: 'Call has already ended' }] } }
      return problem(400, 21_220, 'Call is not in-progress. Cannot redirect.')
    }
    return { status: 200, json: resourceOf(call) }
  }
}

function resourceOf({ sid, state }: TwilioCall): object {
  return { sid, status: state }
}

function problem(status: number, code: number, message: string): RestAnswer {
  return { status, json: { code, message, status, more_info: `https://www.twilio.com/docs/errors/${code}` } }
}
