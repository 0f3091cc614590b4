import type { IncomingMessage, ServerResponse } from 'node:http'
import { noop, type Clock, type Timer } from '../../scope/index.ts'
import { outsideTimer } from '../outside-timer.ts'
import { problem, type RestAnswer } from './twilio-rest-answer.ts'
import type { RestRequest, TwilioRest } from './twilio-rest.ts'

/** Brings requests to the REST API, over HTTP or as `fetch`, and treats them as its manners say. */
export class RestTransport {
  readonly #rest: TwilioRest
  readonly #clock: Clock
  readonly #changed: () => void

  constructor(rest: TwilioRest, clock: Clock, changed: () => void) {
    this.#rest = rest
    this.#clock = clock
    this.#changed = changed
  }

  /** Reaches the REST API without a network, on any host. The body must be text or a form. */
  readonly fetch: typeof fetch = (input, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(input instanceof Request ? input.url : input)
      const request = {
        method,
        path: url.pathname + url.search,
        authorization: new Headers(headers).get('authorization') ?? undefined,
        body: body instanceof URLSearchParams || typeof body === 'string' ? body.toString() : '',
      }
      if (signal?.aborted) return reject(signal.reason as Error)
      const stop = this.#handle(request, (answer) => {
        if (answer === 'reset') reject(new TypeError('fetch failed'))
        else resolve(responseOf(answer))
      })
      signal?.addEventListener(
        'abort',
        () => {
          stop()
          reject(signal.reason as Error)
        },
        { once: true },
      )
    })

  http(request: IncomingMessage, response: ServerResponse): void {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => (body += piece))
    request.once('end', () => {
      const { method = 'GET', url: path = '/', headers } = request
      const stop = this.#handle({ method, path, authorization: headers.authorization, body }, (answer) => {
        if (answer === 'reset') request.socket.resetAndDestroy()
        if (answer === 'reset' || response.destroyed) return
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(answer.json && JSON.stringify(answer.json))
        this.#changed()
      })
      response.once('close', stop)
    })
  }

  /** Returns a function that forgets the request, because the client has left. */
  #handle(request: RestRequest, respond: (answer: RestAnswer | 'reset') => void): () => void {
    const { down, delay = 0, answersAfter = 0, answersWith } = this.#rest.mannersOf(request)
    let timer: Timer | undefined
    const after = (ms: number | 'never', callback: () => void): void => {
      if (ms === 0) callback()
      else if (ms !== 'never') timer = outsideTimer(this.#clock, ms, 'a slow REST API', callback)
    }
    if (down) {
      respond('reset')
      return noop
    }
    after(delay, () => {
      const answer = this.#rest.answer(request)
      after(answersAfter, () =>
        respond(
          typeof answersWith === 'number'
            ? problem(answersWith, 20_500, 'Server Error')
            : (answersWith ?? answer),
        ),
      )
    })
    return () => timer?.clear()
  }
}

function responseOf({ status, json }: RestAnswer): Response {
  return json ? Response.json(json, { status }) : new Response(null, { status })
}
