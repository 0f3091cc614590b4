import type { IncomingMessage, ServerResponse } from 'node:http'
import { noop, type ErrorCode } from '../../scope/index.ts'
import { mayCall, type CallerRule } from '../may-call.ts'
import { readBody } from '../read-body.ts'
import type { Origin } from '../this-machine.ts'
import { allowOrigin, answerJson, answerRefusal, secretProblem } from './http.ts'

/** Bytes in the body of a request: what a client wants the agent to know. */
const MAX_BODY = 8 * 1024

/** A request to begin a call, from whoever may. */
export interface StartRequest extends Origin {
  readonly origin: string | undefined
  /** The `requestData` of the client: any JSON. Undefined if it has none. */
  readonly data: unknown
}

/** Why no call can begin, with its HTTP status. */
const refusals = {
  BAD_REQUEST: [400, 'the body must be JSON'],
  TRANSPORT_REFUSED: [
    400,
    'this server has no calls over the transport of the client: it has websocket, and webrtc if it is turned on',
  ],
  UNAUTHORISED: [
    401,
    'the secret is missing: send it as a bearer token, or have your own server start the call',
  ],
  WRONG_SECRET: [401, 'wrong secret'],
  ORIGIN_REFUSED: [403, 'pages from this origin may not call: add it to the option origins'],
  NOT_FOUND: [405, 'send a POST request'],
  TOO_LARGE: [413, 'the data of the request is too long'],
  TOO_FAST: [429, 'too many calls per second: try again in a moment'],
  FAILED: [500, 'the call could not be started'],
  BUSY: [503, 'all lines are busy: try again later'],
  CLOSING: [503, 'the server no longer takes calls'],
} as const satisfies Partial<Record<ErrorCode, readonly [status: number, message: string]>>

export type StartRefusal = keyof typeof refusals

/** What a client needs to connect, or why it may not. */
export type StartAnswer = { readonly connection: object } | { readonly refused: StartRefusal }

/** Calls that clients can start. */
export interface Starts {
  start(request: Pick<StartRequest, 'headers' | 'data'>): Promise<StartAnswer>
}

export interface StartEndpointOptions extends CallerRule {
  readonly path: string
  readonly start: (request: StartRequest) => StartAnswer | Promise<StartAnswer>
}

/**
 * The address that a client begins a call at: `POST /start`, also for pages of other origins. If a secret is set, only those who
 * have it may begin a call; otherwise only pages on this machine.
 */
export class StartEndpoint {
  readonly #options: StartEndpointOptions

  constructor(options: StartEndpointOptions) {
    this.#options = options
  }

  /** Whether a request is for this address. */
  concerns({ url = '/' }: { readonly url?: string | undefined }): boolean {
    return url.split('?', 1)[0] === this.#options.path
  }

  /** Answers a request of a server of `node:http`. Never throws. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const { headers, socket, method } = request
    const asked = { headers, address: socket.remoteAddress, origin: headers.origin }
    response.on('error', noop)
    if (!mayCall(asked, this.#options)) return refuse(response, 'ORIGIN_REFUSED')
    allowOrigin(response, headers, 'POST')
    if (method === 'OPTIONS') return void response.writeHead(204).end()
    if (method !== 'POST') return refuse(response, 'NOT_FOUND')
    const wrong = secretProblem(headers.authorization, this.#options.secret)
    if (wrong) return refuse(response, wrong)
    this.#start(request, asked)
      .then((answer) => {
        if ('refused' in answer) return refuse(response, answer.refused)
        return answerJson(response, 200, answer.connection)
      })
      .catch(() => refuse(response, 'FAILED'))
    return undefined
  }

  async #start(request: IncomingMessage, asked: Omit<StartRequest, 'data'>): Promise<StartAnswer> {
    let body: string
    try {
      body = await readBody(request, MAX_BODY)
    } catch {
      return { refused: 'TOO_LARGE' }
    }
    const read = dataIn(body)
    return read ? await this.#options.start({ ...asked, ...read }) : { refused: 'BAD_REQUEST' }
  }
}

/** Undefined if the body is not JSON. */
function dataIn(body: string): Pick<StartRequest, 'data'> | undefined {
  try {
    return { data: body.trim() === '' ? undefined : (JSON.parse(body) as unknown) }
  } catch {
    return undefined
  }
}

function refuse(response: ServerResponse, code: StartRefusal): void {
  const [status, message] = refusals[code]
  answerRefusal(response, status, code, message)
}
