import { Buffer } from 'node:buffer'
import type { CallLeg } from './twilio-leg.ts'
import { callResource, notFound, problem, type RestAnswer } from './twilio-rest-answer.ts'
import { listCalls, updateCall, type UpdateExchange } from './twilio-rest-calls.ts'
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

export interface RestExchange
  extends UpdateExchange, CreateExchange, RecordingExchange, ConferenceExchange, CallControlExchange {
  readonly legs: readonly CallLeg[]
}

export interface RestOptions {
  readonly account: string
  readonly authToken: string
  readonly exchange: RestExchange
}

/** The REST APIs of Twilio and Telnyx, as far as an application with phone calls needs them. */
export class TwilioRest {
  manners: RestManners = {}
  /** All requests, with the status of their responses. */
  readonly requests: (RestRequest & { readonly status: number })[] = []
  readonly #options: RestOptions
  readonly #routes: readonly Route[]

  constructor(options: RestOptions) {
    this.#options = options
    this.#routes = routesOf(options.exchange)
  }

  /** Processes a request now, whatever the manners say about delays. */
  answer(request: RestRequest): RestAnswer {
    const answer = this.#decide(request)
    this.requests.push({ ...request, status: answer.status })
    return answer
  }

  #decide({ method, path: address, authorization, body }: RestRequest): RestAnswer {
    const { account, authToken } = this.#options
    const { status: always } = this.manners
    if (always !== undefined) return problem(always, 20_000 + always, 'The test set this status')
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
}

/** The resources of calls and their recordings, and those that only one carrier has. */
function routesOf(exchange: RestExchange): Route[] {
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
    { method: 'POST', path: call, answer: onCall((leg, fields) => updateCall(exchange, leg, fields)) },
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
