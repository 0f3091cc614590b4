import type { DialRequest } from '../../src/scope/index.ts'
import type { Manners } from '../../src/testing/index.ts'
import type { Vendor } from './vendor.ts'

/**
 * A vendor that treats each connection as the query of its URL says: `ws://…/stt?closeReply=never&dropAfter=4000`.
 *
 * WebSockets: all fields of `Manners` that are a number or `never`, and `idleAfter=MS`, which closes the connection with
 * code 4007 after that time. Requests: `?answer=TEXT` answers at once; `?answer=TEXT&stall=1` sends the text and never ends
 * the response; without an answer, not even headers are sent; `?status=503` refuses the request.
 */
export function vendorByUrl(): Vendor {
  return {
    serve: mannersOf,
    http: ({ url = '/' }, response) => {
      const query = new URL(url, 'http://loopback').searchParams
      const answer = query.get('answer')
      const status = Number(query.get('status') ?? 200)
      if (answer === null && status === 200) return
      response.writeHead(status, { 'content-type': 'text/plain' })
      if (query.has('stall')) response.write(answer ?? '')
      else response.end(answer ?? '')
    },
  }
}

function mannersOf({ url }: DialRequest): Manners {
  const query = new URL(url).searchParams
  const idleAfter = query.get('idleAfter')
  return {
    ...Object.fromEntries(
      [...query].map(([name, value]) => [name, value === 'never' ? value : Number(value)]),
    ),
    opened: (peer) => {
      if (idleAfter !== null) peer.after(Number(idleAfter), () => peer.close(4007, 'closed for inactivity'))
    },
  }
}
