/** A place in a trace, as the header `traceparent` of W3C Trace Context names it. */
export interface TracePlace {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
}

const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)

/** Later versions may have more fields after these. */
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Reads a `traceparent`. Undefined unless it is valid to the letter: a malformed one must start a new trace. */
export function parseTraceparent(text: string): TracePlace | undefined {
  const [, version, traceId, spanId, flags, rest] = pattern.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined
  // Of the flags, only `sampled` has a meaning that this version knows.
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 }
}

export function formatTraceparent({ traceId, spanId, traceFlags }: TracePlace): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`
}

/** The `traceparent` of a request, if it has exactly one and that is valid. Names of headers are in lower case. */
export function traceparentOf(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): string | undefined {
  const { traceparent } = headers
  // Node joins repeated headers with a comma, which is not valid.
  const place = typeof traceparent === 'string' ? parseTraceparent(traceparent.trim()) : undefined
  return place && formatTraceparent(place)
}
