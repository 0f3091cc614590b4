import { Buffer } from 'node:buffer'
import type { CallLeg } from './twilio-leg.ts'
import { callResource, notFound, problem, type RestAnswer } from './twilio-rest-answer.ts'
import { listCalls, updateCall } from './twilio-rest-calls.ts'
import { conferenceRoutes, type ConferenceExchange } from './twilio-rest-conferences.ts'
import {
  createCall,
  telnyxAccountForm,
  telnyxForm,
  twilioForm,
  type CreateExchange,
  type CreateForm,
} from './twilio-rest-create.ts'
import { RestFields } from './twilio-rest-fields.ts'
import { createRecording, updateRecording, type RecordingExchange } from './twilio-rest-recordings.ts'
import { ACCOUNT, JSON_SUFFIX, path, type Route } from './twilio-rest-route.ts'
import { callControlRoutes, type CallControlExchange } from './twilio-rest-telnyx.ts'
import type { DocumentSource } from './twilio-verb.ts'

/** How the REST API treats requests. Default: answers at once. */
export interface RestManners {
  /** Resets all connections. */
  readonly down?: boolean
  /** Milliseconds before a request is processed, unless its client leaves first. `never`: it is not processed at all. */
  readonly delay?: number | 'never'
  /** Responds with this status to every request: 401, 404, 429, 500. The call continues. */
  readonly status?: number
  /** The error code in the response with `status`. Default: 20000 + `status`. */
  readonly code?: number
  /** Milliseconds from processing a request to its response. Webhooks that it causes come first. Default: 0. */
  readonly answersAfter?: number | 'never'
  /** The status of every response, although the request was processed. `reset` breaks the connection instead. */
  readonly answersWith?: number | 'reset'
  /** Milliseconds from a request that redirects a call until the redirect takes effect. Default: 0. */
  readonly redirectDelay?: number
}

export interface RestRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly body: string
}

export interface RestExchange
  extends CreateExchange, RecordingExchange, ConferenceExchange, CallControlExchange {
  readonly legs: readonly CallLeg[]
  redirect(leg: CallLeg, source: DocumentSource): void
}

export interface RestOptions {
  readonly account: string
  readonly authToken: string
  readonly exchange: RestExchange
}

/** The REST APIs of Twilio and Telnyx, as far as an application with phone calls needs them. */
export class TwilioRest {
  /** How the next requests are treated: all alike, or each in its own way. */
  manners: RestManners | ((request: RestRequest) => RestManners) = {}
  /** All requests, with the status of their responses. */
  readonly requests: (RestRequest & { readonly status: number })[] = []
  readonly #options: RestOptions
  readonly #routes: readonly Route[]
  #redirectDelay = 0

  constructor(options: RestOptions) {
    this.#options = options
    this.#routes = routesOf(options.exchange, (leg, source) => this.#redirect(leg, source))
  }

  /** Processes a request now, whatever the manners say about delays. */
  answer(request: RestRequest): RestAnswer {
    const answer = this.#decide(request)
    this.requests.push({ ...request, status: answer.status })
    return answer
  }

  /** How a request is treated. */
  mannersOf(request: RestRequest): RestManners {
    return typeof this.manners === 'function' ? this.manners(request) : this.manners
  }

  #decide(request: RestRequest): RestAnswer {
    const { method, path: address, authorization, body } = request
    const { account, authToken } = this.#options
    const { status: always, code, redirectDelay = 0 } = this.mannersOf(request)
    if (always !== undefined) return problem(always, code ?? 20_000 + always, 'The test set this status')
    this.#redirectDelay = redirectDelay
    const basic = `Basic ${Buffer.from(`${account}:${authToken}`).toString('base64')}`
    // Telnyx takes its key as a bearer token.
    if (authorization !== basic && authorization !== `Bearer ${authToken}`)
      return problem(401, 20_003, 'Authenticate')
    const [name = '', query = ''] = address.split('?', 2)
    const fields = new RestFields(method === 'GET' ? query : body)
    for (const route of this.#routes) {
      const names = route.method === method ? route.path.exec(name)?.slice(1) : undefined
      const answer = names && route.answer(names.map(decodeURIComponent), fields)
      if (answer) return answer
    }
    return notFound(address)
  }

  #redirect(leg: CallLeg, source: DocumentSource): void {
    const { exchange } = this.#options
    if (this.#redirectDelay === 0) exchange.redirect(leg, source)
    else leg.after(this.#redirectDelay, 'a redirect takes effect', () => exchange.redirect(leg, source))
  }
}

/** The resources of calls and their recordings, and those that only one carrier has. */
function routesOf(exchange: RestExchange, redirect: (leg: CallLeg, source: DocumentSource) => void): Route[] {
  const onCall =
    (answer: (leg: CallLeg, fields: RestFields, names: readonly string[]) => RestAnswer): Route['answer'] =>
    ([sid = '', ...names], fields) => {
      const leg = exchange.find(sid)
      return leg && answer(leg, fields, names)
    }
  const calls = `${ACCOUNT}/Calls`
  const call = path(`${calls}/([^/.]+)${JSON_SUFFIX}`)
  const create =
    (form: CreateForm): Route['answer'] =>
    (_, fields) =>
      createCall(exchange, fields, form)
  return [
    {
      method: 'POST',
      path: path(String.raw`2010-04-01/Accounts/[^/]+/Calls\.json`),
      answer: create(twilioForm),
    },
    { method: 'POST', path: path('v2/texml/calls/[^/]+'), answer: create(telnyxForm) },
    { method: 'POST', path: path('v2/texml/Accounts/[^/]+/Calls'), answer: create(telnyxAccountForm) },
    {
      method: 'GET',
      path: path(`${calls}${JSON_SUFFIX}`),
      answer: (_, fields) => listCalls(exchange.legs, fields),
    },
    { method: 'GET', path: call, answer: onCall((leg) => ({ status: 200, json: callResource(leg) })) },
    { method: 'POST', path: call, answer: onCall((leg, fields) => updateCall(leg, fields, redirect)) },
    {
      method: 'POST',
      path: path(String.raw`${calls}/([^/]+)/Recordings\.json`),
      answer: onCall((leg, fields) => createRecording(exchange, leg, fields)),
    },
    {
      method: 'POST',
      path: path(String.raw`${calls}/([^/]+)/Recordings/(.+)\.json`),
      answer: onCall((leg, fields, [sid = '']) => updateRecording(exchange, { leg, sid, fields })),
    },
    ...conferenceRoutes(exchange),
    ...callControlRoutes(exchange),
  ]
}
