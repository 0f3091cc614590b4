import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../scope/index.ts'

const statusTexts: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
}

/** Seconds after which to try again where there is no room. */
const RETRY_AFTER = 5

/** Refuses an upgrade over HTTP and closes the connection. */
export function refuse(tcp: Duplex, status: number, code: ErrorCode, message: string): void {
  const body = JSON.stringify({ code, message })
  tcp.end(
    [
      `HTTP/1.1 ${status} ${statusTexts[status] ?? 'Refused'}`,
      'Connection: close',
      ...(status === 503 ? [`Retry-After: ${RETRY_AFTER}`] : []),
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
}
