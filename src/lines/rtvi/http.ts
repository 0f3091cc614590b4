import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { same } from '../secrets.ts'

/** What is wrong with the bearer token of a request, if a secret is required. */
export function secretProblem(
  authorization: string | undefined,
  secret: string | undefined,
): 'UNAUTHORISED' | 'WRONG_SECRET' | undefined {
  if (secret === undefined) return undefined
  const [, bearer] = /^Bearer (.+)$/i.exec(authorization ?? '') ?? []
  if (bearer === undefined) return 'UNAUTHORISED'
  return same(bearer, secret) ? undefined : 'WRONG_SECRET'
}

/** The origin may call: its pages may send requests with these methods and any headers, and read the answers. */
export function allowOrigin(
  response: ServerResponse,
  { origin, 'access-control-request-headers': asked }: IncomingHttpHeaders,
  methods: string,
): void {
  if (origin === undefined) return
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-allow-headers', asked ?? 'authorization, content-type')
  response.setHeader('access-control-allow-methods', methods)
  response.setHeader('access-control-max-age', '600')
  response.setHeader('vary', 'origin')
}

/** Answers with JSON. A text is JSON already. */
export function answerJson(response: ServerResponse, status: number, body: object | string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Clients show `info` to their user. */
export function answerRefusal(response: ServerResponse, status: number, code: string, message: string): void {
  // The rest of a body that is too long is not read.
  if (status === 413) response.setHeader('connection', 'close')
  if (status === 503 || status === 429) response.setHeader('retry-after', '5')
  answerJson(response, status, { code, message, info: message })
}
