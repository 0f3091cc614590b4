import type { CallLeg } from './twilio-leg.ts'
import type { OutboundCall } from './twilio-outbound.ts'
import { callResource, problem, type RestAnswer } from './twilio-rest-answer.ts'
import { documentOf } from './twilio-rest-calls.ts'
import type { RestFields } from './twilio-rest-fields.ts'
import { recordingOptions } from './twilio-rest-recordings.ts'
import { statusCallback, wordsIn } from './twilio-status.ts'
import type { DocumentSource } from './twilio-verb.ts'

export interface CreateExchange {
  /** Whether the account may call from a number. */
  owns(number: string): boolean
  /** Makes a call. It rings after the response. */
  create(outbound: OutboundCall): CallLeg
}

/** What differs between the ways to create a call. */
export interface CreateForm {
  /** The document, if the request does not have it. */
  readonly source?: DocumentSource
  /** The field with the URL of a verdict that comes beside the call, whatever `AsyncAmd` says. */
  readonly verdictField?: string
  /** The response for a call that was created. */
  readonly answer: (leg: CallLeg) => RestAnswer
  /** Reads `StatusCallbackEvent`. */
  readonly events: (values: readonly string[]) => readonly string[]
  /** Milliseconds per unit of `MachineDetectionTimeout`. */
  readonly detectionUnit: number
  /** Seconds of ringing without `Timeout`. */
  readonly timeout: number
  readonly longestTimeout: number
}

/** Twilio takes each event as a field of its own. */
export const twilioForm: CreateForm = {
  answer: (leg) => ({ status: 201, json: callResource(leg) }),
  events: (values) => values,
  detectionUnit: 1_000,
  timeout: 60,
  longestTimeout: 600,
}

/** Telnyx takes all events in one field. */
export const telnyxForm: CreateForm = {
  answer: ({ sid, ids: { from, to } }) => ({
    status: 200,
    json: { call_sid: sid, from, to, status: 'queued' },
  }),
  events: (values) => values.flatMap(wordsIn),
  detectionUnit: 1,
  timeout: 30,
  longestTimeout: 120,
}

/** The form of Telnyx below an account. Its response does not have the id of the call. */
export const telnyxAccountForm: CreateForm = {
  ...telnyxForm,
  answer: ({ ids: { from, to } }) => ({ status: 200, json: { from, to, status: 'queued' } }),
}

/** Creates a call, unless its parameters are wrong. */
export function createCall(exchange: CreateExchange, fields: RestFields, form: CreateForm): RestAnswer {
  const to = fields.get('To') ?? ''
  const from = fields.get('From') ?? fields.get('CallerId') ?? ''
  if (to === '') return problem(400, 21_201, "No 'To' number is specified")
  if (from === '') return problem(400, 21_213, "No 'From' number is specified")
  if (!/^\+\d{1,15}$|^(sips?|client):\S+$/.test(to))
    return problem(400, 21_211, `The phone number you are attempting to call, ${to}, is not valid.`)
  if (!exchange.owns(from))
    return problem(400, 21_210, `Source phone number ${from} is not yet verified for your account.`)
  const source = form.source ?? documentOf(fields)
  if (source === undefined) return problem(400, 21_205, 'Url parameter is required')
  if (source === 'malformed') return problem(400, 12_100, 'Document parse failure')
  const timeout = fields.number('Timeout', form.timeout)
  if (!(timeout >= 1 && timeout <= form.longestTimeout)) return problem(400, 21_208, 'Timeout is not valid')
  return form.answer(exchange.create({ to, from, source, timeout: timeout * 1_000, ...moreOf(fields, form) }))
}

function moreOf(
  fields: RestFields,
  form: CreateForm,
): Omit<OutboundCall, 'to' | 'from' | 'source' | 'timeout'> {
  const status = statusCallback(fields.get('StatusCallback'), form.events(fields.all('StatusCallbackEvent')))
  const timeLimit = fields.get('TimeLimit')
  const sendDigits = fields.get('SendDigits')
  const detection = detectionOf(fields, form)
  const records = fields.get('Record') === 'true'
  return {
    ...(status ? { status } : {}),
    ...(timeLimit === undefined ? {} : { timeLimit: Number(timeLimit) * 1_000 }),
    ...(sendDigits === undefined ? {} : { sendDigits }),
    ...(detection ? { detection } : {}),
    ...(records ? { recording: recordingOptions(fields, 'OutboundAPI') } : {}),
  }
}

function detectionOf(
  fields: RestFields,
  { detectionUnit, verdictField }: CreateForm,
): OutboundCall['detection'] {
  const mode = fields.get('MachineDetection')
  if (mode !== 'Enable' && mode !== 'DetectMessageEnd') return undefined
  const callback = fields.get(verdictField ?? 'AsyncAmdStatusCallback')
  return {
    mode,
    async: verdictField !== undefined || fields.get('AsyncAmd') === 'true',
    timeout: fields.number('MachineDetectionTimeout', 30_000 / detectionUnit) * detectionUnit,
    ...(callback === undefined ? {} : { callback }),
  }
}
