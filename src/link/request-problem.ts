import type { DialRequest } from '../scope/index.ts'

const SCHEMES = /^(wss?|https?):$/
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_VALUE = /^[\t\u0020-\u007E\u0080-\u00FF]*$/

/**
 * What is wrong with a request that cannot succeed on any network; undefined if nothing is. Such a request is a mistake
 * in the options, and trying it again would not help (LK13). Does not repeat the request, which may contain a key.
 */
export function requestProblem({
  url,
  headers = {},
  protocols = [],
}: Omit<DialRequest, 'name'>): string | undefined {
  const problem = addressProblem(url)
  if (problem !== undefined) return problem
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) return 'a header has an invalid name'
    if (typeof value !== 'string' || !HEADER_VALUE.test(value))
      return `the header '${name}' has an invalid value`
  }
  if (!protocols.every((protocol) => HEADER_NAME.test(protocol))) return 'a subprotocol has an invalid name'
  if (new Set(protocols).size < protocols.length) return 'a subprotocol is named twice'
  return undefined
}

/** What is wrong with an address; undefined if nothing is. */
export function addressProblem(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url))
    return 'the address is not a URL: check its host and its port'
  const { protocol, hash } = new URL(url)
  if (!SCHEMES.test(protocol)) return `the address starts with '${protocol}' and not with 'wss:' or 'https:'`
  return hash === '' ? undefined : "the address contains a '#'"
}
