import type { CallLeg } from './twilio-leg.ts'
import { timestamp } from './twilio-status.ts'

export interface RestAnswer {
  readonly status: number
  /** Undefined for a response without a body. */
  readonly json?: object
}

/** An error as Twilio writes it. */
export function problem(status: number, code: number, message: string): RestAnswer {
  return { status, json: { code, message, status, more_info: `https://www.twilio.com/docs/errors/${code}` } }
}

/** An error as Telnyx writes it. */
export function telnyxProblem(status: number, code: string, title: string): RestAnswer {
  return { status, json: { errors: [{ code, title, detail: title }] } }
}

export function notFound(path: string): RestAnswer {
  return problem(404, 20_404, `The requested resource ${path} was not found`)
}

/** The resource of a call. Its status is `queued` until the call rings, as at Twilio. */
export function callResource(leg: CallLeg): object {
  const { sid, ids, state, context, answered, over, answeredAt, endedAt, duration } = leg
  const dateOf = (at: number | undefined): string | null =>
    at === undefined ? null : timestamp(context.clock.date() - context.clock.now() + at)
  return {
    sid,
    account_sid: context.account,
    parent_call_sid: ids.parent ?? null,
    from: ids.from,
    to: ids.to,
    direction: ids.direction,
    status: state === 'initiated' ? 'queued' : state,
    answered_by: leg.answeredBy ?? null,
    start_time: dateOf(answeredAt),
    end_time: dateOf(endedAt),
    duration: over ? String(answered ? duration : 0) : null,
    api_version: '2010-04-01',
    uri: `/2010-04-01/Accounts/${context.account}/Calls/${sid}.json`,
  }
}
