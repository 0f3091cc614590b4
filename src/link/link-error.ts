import { EndwellError } from '../scope/index.ts'
import type { LinkEnd } from './link-end.ts'

/**
 * - `LINK_INVALID`: the request cannot be made: its address, a header or a subprotocol is invalid
 * - `LINK_REFUSED`: the peer rejected the request; the HTTP status says why
 * - `LINK_FATAL`: the peer closed the link for good, or the protocol's code threw
 * - `LINK_TIMEOUT`: the link was not ready in time
 * - `LINK_FAILED`: the retries are used up
 * - `LINK_LOST`: the connection broke, and the conversation cannot be carried over
 * - `LINK_OVERFLOW`: too many messages are waiting to be sent
 */
export type LinkErrorCode =
  | 'LINK_INVALID'
  | 'LINK_REFUSED'
  | 'LINK_FATAL'
  | 'LINK_TIMEOUT'
  | 'LINK_FAILED'
  | 'LINK_LOST'
  | 'LINK_OVERFLOW'

/** A link ended unasked. Never contains an address or a header, because both may contain keys. */
export class LinkError extends EndwellError {
  declare readonly code: LinkErrorCode
  /** How the last connection ended, if there was one. */
  readonly end: LinkEnd | undefined

  constructor(link: string, code: LinkErrorCode, end: LinkEnd | undefined, options?: ErrorOptions) {
    const last = end && describeEnd(end)
    const todo = end?.status === 401 || end?.status === 403 ? 'Check the key.' : advice[code]
    super(code, `link '${link}' ${texts[code]}${last ? `: ${last}` : ''}. ${todo}`, options)
    this.end = end
  }
}

const texts: Record<LinkErrorCode, string> = {
  LINK_INVALID: 'cannot be dialled',
  LINK_REFUSED: 'was refused',
  LINK_FATAL: 'cannot continue',
  LINK_TIMEOUT: 'was not ready in time',
  LINK_FAILED: 'has used up its retries',
  LINK_LOST: 'broke, and its conversation cannot be carried over',
  LINK_OVERFLOW: 'has too many messages waiting to be sent',
}

const advice: Record<LinkErrorCode, string> = {
  LINK_INVALID: 'Check the url and the headers.',
  LINK_REFUSED: 'Check the address, the model and the options.',
  LINK_FATAL: "Check the options against the provider's reason.",
  LINK_TIMEOUT: 'Check the network, or allow more time.',
  LINK_FAILED: "Check the network and the provider's status.",
  LINK_LOST: "Check the network and the provider's status.",
  LINK_OVERFLOW: 'The peer does not read, or too much is sent.',
}

/** Describes an end in a few words: `closed with 1011 "NET-0001"`. */
export function describeEnd({ status, code, reason }: LinkEnd): string {
  const words = reason ? ` "${reason}"` : ''
  if (status !== undefined) return `HTTP ${status}${words}`
  if (code === undefined) return words ? words.slice(1) : ''
  return `${code === 1006 ? 'broken with' : 'closed with'} ${code}${words}`
}
