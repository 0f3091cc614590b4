import { request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'

/** A form on its way to an application. */
export interface FormPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface FormAnswer {
  readonly status: number
  readonly body: string
}

/** Posts a form and brings the answer. Rejects if there is none; the signal ends it. */
export type CarrierPost = (post: FormPost, signal: AbortSignal) => Promise<FormAnswer>

/** Posts over a connection of its own: no pool keeps one that somebody would have to account for. */
export const postAsCarrier: CarrierPost = ({ url, headers, body }, signal) =>
  new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? overHttps : overHttp
    const asked = request(url, {
      method: 'POST',
      headers: { ...headers, connection: 'close' },
      agent: false,
      signal,
    })
    asked.once('error', reject)
    asked.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => (text += piece))
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
    })
    asked.end(body)
  })
