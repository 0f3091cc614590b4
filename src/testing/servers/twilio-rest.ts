import { Buffer } from 'node:buffer'
import type { CallLeg } from './twilio-leg.ts'
import { callResource, notFound, problem, type RestAnswer } from './twilio-rest-answer.ts'
import { hangUpByCallControl, listCalls, updateCall, type UpdateExchange } from './twilio-rest-calls.ts'
import {
  createCall,
  telnyxAccountForm,
  telnyxForm,
  twilioForm,
  type CreateExchange,
} from './twilio-rest-create.ts'
import { RestFields } from './twilio-rest-fields.ts'
import { createRecording, updateRecording, type RecordingExchange } from './twilio-rest-recordings.ts'

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

export interface RestExchange extends UpdateExchange, CreateExchange, RecordingExchange {
  readonly legs: readonly CallLeg[]
  find(sid: string): CallLeg | undefined
}

export interface RestOptions {
  readonly account: string
  readonly authToken: string
  readonly exchange: RestExchange
}

interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  /** Gets the groups of the path. Undefined if there is no such resource. */
  readonly answer: (names: readonly string[], fields: RestFields) => RestAnswer | undefined
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

  #decide({ method, path, authorization, body }: RestRequest): RestAnswer {
    const { account, authToken } = this.#options
    const { status: always } = this.manners
    if (always !== undefined) return problem(always, 20_000 + always, 'The test set this status')
    const basic = `Basic ${Buffer.from(`${account}:${authToken}`).toString('base64')}`
    // Telnyx takes its key as a bearer token.
    if (authorization !== basic && authorization !== `Bearer ${authToken}`)
      return problem(401, 20_003, 'Authenticate')
    const [name = '', query = ''] = path.split('?', 2)
    const fields = new RestFields(method === 'GET' ? query : body)
    for (const route of this.#routes) {
      const names = route.method === method ? route.path.exec(name)?.slice(1) : undefined
      const answer = names && route.answer(names.map(decodeURIComponent), fields)
      if (answer) return answer
    }
    return notFound(path)
  }
}

/** Twilio's resources, which Telnyx has for its TeXML below another root and without `.json`, and those of Telnyx alone. */
function routesOf(exchange: RestExchange): Route[] {
  const accounts = String.raw`(?:2010-04-01|v2/texml)/Accounts/[^/]+`
  const path = (text: string): RegExp => new RegExp(`^/${text}$`)
  const onCall =
    (answer: (leg: CallLeg, fields: RestFields, names: readonly string[]) => RestAnswer): Route['answer'] =>
    ([sid = '', ...names], fields) => {
      const leg = exchange.find(sid)
      return leg && answer(leg, fields, names)
    }
  const call = path(`${accounts}/Calls/([^/.]+)(?:\\.json)?`)
  return [
    {
      method: 'POST',
      path: path(String.raw`2010-04-01/Accounts/[^/]+/Calls\.json`),
      answer: (_, fields) => createCall(exchange, fields, twilioForm),
    },
    {
      method: 'POST',
      path: path('v2/texml/calls/[^/]+'),
      answer: (_, fields) => createCall(exchange, fields, telnyxForm),
    },
    {
      method: 'POST',
      path: path('v2/texml/Accounts/[^/]+/Calls'),
      answer: (_, fields) => createCall(exchange, fields, telnyxAccountForm),
    },
    {
      method: 'GET',
      path: path(`${accounts}/Calls(?:\\.json)?`),
      answer: (_, fields) => listCalls(exchange.legs, fields),
    },
    { method: 'GET', path: call, answer: onCall((leg) => ({ status: 200, json: callResource(leg) })) },
    { method: 'POST', path: call, answer: onCall((leg, fields) => updateCall(exchange, leg, fields)) },
    {
      method: 'POST',
      path: path(`${accounts}/Calls/([^/]+)/Recordings\\.json`),
      answer: onCall((leg, fields) => createRecording(exchange, leg, fields)),
    },
    {
      method: 'POST',
      path: path(`${accounts}/Calls/([^/]+)/Recordings/(.+)\\.json`),
      answer: onCall((leg, fields, [sid = '']) => updateRecording(exchange, { leg, sid, fields })),
    },
    { method: 'POST', path: path('v2/calls/([^/]+)/actions/hangup'), answer: onCall(hangUpByCallControl) },
  ]
}
