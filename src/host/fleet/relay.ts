import {
  request as ask,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { noop } from '../../scope/index.ts'
import { refuseUpgrade } from '../http-server.ts'
import { hostAndPort } from './directory.ts'

/** Marks a request that was relayed: how many times. */
const RELAYED = 'x-endwell-relayed'

/** Whether another process has relayed the request here. */
export function isRelayed({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers[RELAYED] !== undefined
}

/** How many times other processes have relayed the request. Clients can send this header, too, so a negative number counts as none. */
export function hopsOf({ headers }: Pick<IncomingMessage, 'headers'>): number {
  return Math.max(0, Number(headers[RELAYED])) || 0
}

/**
 * Passes an upgrade on to the process that serves the call, and from then on raw bytes both ways. When one side ends, the
 * other does. The headers stay as they are, so the other process checks who may come in, as this one did.
 */
export function relayUpgrade(request: IncomingMessage, tcp: Duplex, head: Buffer, address: string): void {
  const other = connect(hostAndPort(address))
  let connected = false
  other.once('connect', () => {
    connected = true
    other.write(headOf(request, [`${RELAYED}: 1`]))
    other.write(head)
    tcp.pipe(other)
    other.pipe(tcp)
  })
  // Frames are small, and must not wait for each other.
  other.setNoDelay(true)
  other.on('error', noop)
  other.once('close', () => (connected ? tcp.destroy() : refuseUpgrade(tcp, 503)))
  tcp.once('close', () => other.destroy())
}

/** Passes a request on to the process that serves the call, and its answer back. */
export function relayRequest(request: IncomingMessage, response: ServerResponse, address: string): void {
  const { method = 'GET', url = '/', headers } = request
  const onward = ask({ ...hostAndPort(address), method, path: url, headers: { ...headers, [RELAYED]: '1' } })
  onward.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.on('error', noop)
    answer.pipe(response)
  })
  onward.on('error', () => {
    if (response.headersSent) response.destroy()
    else response.writeHead(503, { 'retry-after': '5' }).end()
  })
  response.once('close', () => onward.destroy())
  request.pipe(onward)
}

/** A request that was read already. */
export interface ReadRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How long another process may take to answer a request that was read already, in milliseconds: a carrier waits for 15 s. */
const ANSWER_TIMEOUT = 5_000

/** Characters of such an answer: a document for a carrier has a few hundred. */
const MAX_ANSWER = 64 * 1024

/** Passes a request that was read already on to the process that serves the call. Rejects if it does not answer. */
export function relayRead(
  { method, url: path, headers, body }: ReadRequest,
  address: string,
  timeout = ANSWER_TIMEOUT,
): Promise<{ readonly status: number; readonly body: string }> {
  // The body may have other bytes than those that came: what was not UTF-8 was replaced. And it is sent as a whole.
  const { 'transfer-encoding': _, ...rest } = headers
  return new Promise((resolve, reject) => {
    const onward = ask({
      ...hostAndPort(address),
      method,
      path,
      headers: {
        ...rest,
        [RELAYED]: String(hopsOf({ headers }) + 1),
        'content-length': Buffer.byteLength(body),
      },
      timeout,
    })
    onward.once('timeout', () => onward.destroy(new Error('the other process does not answer')))
    onward.on('error', reject)
    onward.once('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => {
        text += piece
        if (text.length > MAX_ANSWER) onward.destroy(new Error('the answer of the other process is too long'))
      })
      answer.once('end', () => resolve({ status: answer.statusCode ?? 502, body: text }))
      answer.on('error', reject)
    })
    onward.end(body)
  })
}

/** The request line and the headers of a request, with further headers. */
export function headOf(
  { method = 'GET', url = '/', rawHeaders }: IncomingMessage,
  more: readonly string[] = [],
): string {
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  return [...lines, ...more, '', ''].join('\r\n')
}
