import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

export interface FormPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface FormAnswer {
  readonly status: number
  readonly body: string
}

/** Posts a form. Rejects without a response, or when the signal aborts. */
export type CarrierPost = (post: FormPost, signal: AbortSignal) => Promise<FormAnswer>

/** Posts over a new connection, so that no pool keeps one open after a test. */
export const postAsCarrier: CarrierPost = ({ url, headers, body }, signal) =>
  new Promise((resolve, reject) => {
    const start = url.startsWith('https:') ? httpsRequest : httpRequest
    const request = start(url, {
      method: 'POST',
      headers: { ...headers, connection: 'close' },
      agent: false,
      signal,
    })
    request.once('error', reject)
    request.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => (text += piece))
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
    })
    request.end(body)
  })
