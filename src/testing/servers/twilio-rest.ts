import { Buffer } from 'node:buffer'
import type { CallLeg } from './twilio-leg.ts'
import { callResource, notFound, problem, type RestAnswer } from './twilio-rest-answer.ts'
import { hangUpByCallControl, updateCall, type RestExchange } from './twilio-rest-calls.ts'
import { RestFields } from './twilio-rest-fields.ts'

/** How the REST API treats requests. Default: answers at once. */
export interface RestManners {
  /** Resets all connections. */
  readonly down?: boolean
  /** Milliseconds before the request is processed. `never`: it is not processed at all. */
  readonly delay?: number | 'never'
  /** Responds with this status to every request: 401, 404, 429, 500. The call continues. */
  readonly status?: number
  /** Milliseconds from processing a request to its response. Webhooks that it causes come first. Default: 0. */
  readonly answersAfter?: number | 'never'
  /** The status of every response, although the request was processed. */
  readonly answersWith?: number
}

export interface RestRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly body: string
}

export interface RestOptions {
  readonly account: string
  readonly authToken: string
  readonly exchange: RestExchange
}

interface Route {
  readonly method: 'GET' | 'POST'
  /** Its first group is the sid of the call. */
  readonly path: RegExp
  readonly answer: (leg: CallLeg, fields: RestFields) => RestAnswer
}

/** The REST APIs of Twilio and Telnyx, as far as an application with phone calls needs them. */
export class TwilioRest {
  manners: RestManners = {}
  /** All requests, with the status of their responses. */
  readonly requests: (RestRequest & { readonly status: number })[] = []
  readonly #options: RestOptions
  readonly #routes: readonly Route[]

  constructor(options: RestOptions) {
    const { exchange } = options
    this.#options = options
    // Telnyx has the resources of its TeXML below another root, without `.json`.
    const call = /\/Accounts\/[^/]+\/Calls\/([^/.]+)(?:\.json)?$/
    this.#routes = [
      { method: 'GET', path: call, answer: (leg) => ({ status: 200, json: callResource(leg) }) },
      { method: 'POST', path: call, answer: (leg, fields) => updateCall(exchange, leg, fields) },
      { method: 'POST', path: /\/v2\/calls\/([^/]+)\/actions\/hangup$/, answer: hangUpByCallControl },
    ]
  }

  /** Processes a request now, whatever the manners say about delays. */
  answer(request: RestRequest): RestAnswer {
    const answer = this.#decide(request)
    this.requests.push({ ...request, status: answer.status })
    return answer
  }

  #decide({ method, path, authorization, body }: RestRequest): RestAnswer {
    const { account, authToken, exchange } = this.#options
    const { status: always } = this.manners
    if (always !== undefined) return problem(always, 20_000 + always, 'The test set this status')
    const basic = `Basic ${Buffer.from(`${account}:${authToken}`).toString('base64')}`
    // Telnyx takes its key as a bearer token.
    if (authorization !== basic && authorization !== `Bearer ${authToken}`)
      return problem(401, 20_003, 'Authenticate')
    const [name = ''] = path.split('?', 1)
    for (const route of this.#routes) {
      const sid = route.method === method ? route.path.exec(name)?.[1] : undefined
      const leg = sid === undefined ? undefined : exchange.find(decodeURIComponent(sid))
      if (leg) return route.answer(leg, new RestFields(body))
    }
    return notFound(path)
  }
}
