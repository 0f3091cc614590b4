import { credentialsOf, redact } from '../../link/index.ts'
import { describeError, type DialRequest, type SocketEnd } from '../../scope/index.ts'

/** What is known about a vendor that did not answer as it should. */
export interface DialFailure {
  readonly error: unknown
  /** How the connection ended, if it was refused. */
  readonly end?: SocketEnd | undefined
  /** What was dialled, if it was a WebSocket. */
  readonly request?: DialRequest | undefined
  /** The vendor, if the model says so: `openai`. */
  readonly vendor?: string | undefined
}

const causes: readonly [pattern: RegExp, text: string, todo: string][] = [
  [/ENOTFOUND|EAI_AGAIN/, 'its name cannot be resolved', 'check the address and the DNS'],
  [/ECONNREFUSED/, 'nothing listens there', 'check the address and the firewall'],
  [/ECONNRESET|EHOSTUNREACH|ENETUNREACH|EPIPE/, 'it cannot be reached', 'check the network and the firewall'],
  [/CERT|SELF_SIGNED|SSL|TLS/, 'its certificate is not valid', 'check the address and the proxy'],
]

/** Says in one sentence what a vendor answered and what to do. It has no secrets. */
export function describeDialFailure(failure: DialFailure): string {
  const { error, end } = failure
  const status = end?.status ?? statusOf(error)
  if (status === 401 || status === 403) return `refuses the key (HTTP ${status}): check ${keyOf(failure)}`
  if (status === 404)
    return 'knows no such model or address (HTTP 404): check the name of the model and the url'
  if (status === 429) return 'has no room (HTTP 429): check the limits and the balance of the account'
  if (status !== undefined && status >= 500)
    return `is not available (HTTP ${status}): check the vendor's status page`
  const text = end?.reason ?? messageOf(error)
  const cause = causes.find(([pattern]) => pattern.test(text))
  if (cause) return `${cause[1]} (${cause[0].exec(text)![0]}): ${cause[2]}`
  return redact(text, failure.request ? credentialsOf(failure.request) : [])
}

function statusOf(error: unknown): number | undefined {
  const { status, end } = (error ?? {}) as { status?: unknown; end?: { status?: unknown } }
  const found = status ?? end?.status
  return typeof found === 'number' ? found : undefined
}

/** The messages of the error and its causes: `fetch` says why it failed in the cause only. */
function messageOf(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: unknown }
  const { message } = describeError(error)
  return cause === undefined ? message : `${message}: ${messageOf(cause)}`
}

/** Names the environment variable that has the key, if it is known. */
function keyOf({ request, vendor }: DialFailure): string {
  const credentials = request ? credentialsOf(request) : []
  const sent = Object.entries(process.env).find(([, value]) => value && credentials.includes(value.trim()))
  if (sent) return sent[0]
  const usual = `${(vendor ?? '').toUpperCase()}_API_KEY`
  return usual in process.env ? usual : 'the key that the agent file passes'
}
