import type { CallLeg } from './twilio-leg.ts'
import { callResource, problem, type RestAnswer } from './twilio-rest-answer.ts'
import type { RestFields } from './twilio-rest-fields.ts'
import { readTwiml } from './twilio-twiml.ts'
import type { DocumentSource } from './twilio-verb.ts'

/** The calls that fit the filters `To`, `From` and `Status`. */
export function listCalls(legs: readonly CallLeg[], fields: RestFields): RestAnswer {
  const fits = (name: string, value: string): boolean => (fields.get(name) ?? value) === value
  const calls = legs.filter(
    ({ ids, state }) => fits('To', ids.to) && fits('From', ids.from) && fits('Status', state),
  )
  return {
    status: 200,
    json: {
      calls: calls.map(callResource),
      page: 0,
      page_size: 50,
      start: 0,
      end: calls.length,
      next_page_uri: null,
    },
  }
}

/** Ends a call, or gives it another document. */
export function updateCall(
  leg: CallLeg,
  fields: RestFields,
  redirect: (leg: CallLeg, source: DocumentSource) => void,
): RestAnswer {
  const status = fields.get('Status')
  const source = documentOf(fields)
  if (source === undefined && status !== 'completed' && status !== 'canceled')
    return problem(400, 20_001, 'One of Status=completed, Status=canceled, Url or Twiml is needed')
  if (leg.over) return problem(400, 21_220, 'Call is not in-progress. Cannot redirect.')
  if (status !== undefined) leg.aboutToEnd()
  if (status === 'completed') endByRest(leg)
  else if (status === 'canceled') {
    // A leg that rings inside `<Dial>` counts as in progress here.
    if (!leg.answered && leg.ids.direction !== 'outbound-dial') endByRest(leg)
  } else if (source === 'malformed') return problem(400, 12_100, 'Document parse failure')
  else if (source) {
    if (!leg.answered && leg.ids.direction !== 'inbound')
      return problem(400, 21_220, 'Call is not in-progress. Cannot redirect.')
    redirect(leg, source)
  }
  return { status: 200, json: callResource(leg) }
}

/** The document of a request. `Url` wins over `Twiml`, which Telnyx calls `Texml`. */
export function documentOf(fields: RestFields): DocumentSource | 'malformed' | undefined {
  const url = fields.get('Url')
  const fallback = fields.get('FallbackUrl')
  if (url !== undefined) return { url, ...(fallback === undefined ? {} : { fallback }) }
  const twiml = fields.get('Twiml') ?? fields.get('Texml')
  if (twiml === undefined) return undefined
  try {
    return { verbs: readTwiml(twiml) }
  } catch {
    return 'malformed'
  }
}

/** Ends a call for the application. */
export function endByRest(leg: CallLeg): void {
  const canceled = leg.ids.direction !== 'inbound' && !leg.answered
  leg.end({ by: 'application-by-rest', ...(canceled ? { state: 'canceled' } : {}) })
}
