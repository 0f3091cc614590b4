import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from './loopback.ts'

/** Headers that proxies, tunnels and CDNs add: `Forwarded`, `Via`, `X-Forwarded-For`, `CF-Connecting-IP`, and the like. */
const PROXY =
  /^(forwarded|via|cdn-loop|x-(forwarded|original|real|cluster|envoy|arr|amzn|azure)(-.*)?|(cf|ngrok)-.*|.*-(client|connecting|real)-ip)$/

export interface Origin {
  /** The address at the other end of the connection. */
  readonly address: string | undefined
  readonly headers: IncomingHttpHeaders
}

/**
 * Whether a request was made on this machine, and not relayed by a proxy or a tunnel on it (LN11): it comes from a
 * loopback address, for a loopback host name, and without a header that a proxy adds. A relay that passes bytes on
 * unchanged, to a client that claims to be local, cannot be told apart: set a secret.
 */
export function isFromThisMachine({ address, headers }: Origin): boolean {
  const name = headers.host?.toLowerCase().replace(/:\d+$/, '')
  return isLoopback(address) && isLoopback(name) && !Object.keys(headers).some((each) => PROXY.test(each))
}
