import type { CallContext } from './twilio-call-context.ts'
import type { Conference, Participant } from './twilio-conference.ts'
import type { CallLeg } from './twilio-leg.ts'
import { problem, type RestAnswer } from './twilio-rest-answer.ts'
import { createCall, twilioForm, type CreateExchange } from './twilio-rest-create.ts'
import { RestFields } from './twilio-rest-fields.ts'
import { ACCOUNT, JSON_SUFFIX, path, type Route } from './twilio-rest-route.ts'
import type { Twiml } from './twilio-twiml.ts'

export interface ConferenceExchange extends CreateExchange {
  readonly conferences: readonly Conference[]
  /** The conference of a name or a sid. A name without one makes a new conference. */
  conference(name: string, context?: CallContext): Conference
}

/** The resources of conferences and their participants. */
export function conferenceRoutes(exchange: ConferenceExchange): Route[] {
  const all = `${ACCOUNT}/Conferences`
  const one = path(`${all}/([^/]+?)${JSON_SUFFIX}`)
  const participants = path(`${all}/([^/]+)/Participants${JSON_SUFFIX}`)
  const participant = path(`${all}/([^/]+)/Participants/([^/]+?)${JSON_SUFFIX}`)
  const find = (name = ''): Conference | undefined =>
    exchange.conferences.find(
      ({ sid, name: friendly, status }) => sid === name || (friendly === name && status !== 'completed'),
    )
  const onConference =
    (answer: (conference: Conference, fields: RestFields) => RestAnswer): Route['answer'] =>
    ([name], fields) => {
      const conference = find(name)
      return conference && answer(conference, fields)
    }
  const onParticipant =
    (
      answer: (conference: Conference, each: Participant, fields: RestFields) => RestAnswer,
    ): Route['answer'] =>
    ([name, label = ''], fields) => {
      const conference = find(name)
      const each = conference?.find(label)
      return conference && each && answer(conference, each, fields)
    }
  return [
    { method: 'GET', path: path(`${all}${JSON_SUFFIX}`), answer: (_, fields) => list(exchange, fields) },
    { method: 'GET', path: one, answer: onConference((each) => ({ status: 200, json: resourceOf(each) })) },
    { method: 'POST', path: one, answer: onConference(updateConference) },
    { method: 'POST', path: participants, answer: ([name = ''], fields) => call(exchange, name, fields) },
    {
      method: 'GET',
      path: participants,
      answer: onConference((conference) => ({
        status: 200,
        json: {
          ...PAGE,
          participants: conference.participants.map((each) => participantResource(conference, each)),
        },
      })),
    },
    {
      method: 'GET',
      path: participant,
      answer: onParticipant((conference, each) => ({
        status: 200,
        json: participantResource(conference, each),
      })),
    },
    { method: 'POST', path: participant, answer: onParticipant(updateParticipant) },
    {
      method: 'DELETE',
      path: participant,
      answer: onParticipant((conference, each) => {
        conference.leave(each, 'participant_removed_via_api')
        return { status: 204 }
      }),
    },
  ]
}

const PAGE = { page: 0, page_size: 50, start: 0, next_page_uri: null }

/** Without `Status`, only conferences that have not ended. */
function list({ conferences }: ConferenceExchange, fields: RestFields): RestAnswer {
  const name = fields.get('FriendlyName')
  const wanted = fields.get('Status')
  const found = conferences.filter(
    ({ name: friendly, status }) =>
      (name === undefined || name === friendly) &&
      (wanted === undefined ? status !== 'completed' : status === wanted),
  )
  return { status: 200, json: { ...PAGE, conferences: found.map(resourceOf) } }
}

function updateConference(conference: Conference, fields: RestFields): RestAnswer {
  if (fields.get('Status') === 'completed') conference.end('conference-ended-via-api')
  return { status: 200, json: resourceOf(conference) }
}

function updateParticipant(conference: Conference, participant: Participant, fields: RestFields): RestAnswer {
  const muted = fields.get('Muted')
  const hold = fields.get('Hold')
  const ends = fields.get('EndConferenceOnExit')
  if (muted !== undefined) conference.mute(participant, muted === 'true')
  if (hold !== undefined) conference.hold(participant, hold === 'true')
  if (ends !== undefined) participant.endConferenceOnExit = ends === 'true'
  return { status: 200, json: participantResource(conference, participant) }
}

/** Calls somebody whose document is the conference. */
function call(exchange: ConferenceExchange, name: string, fields: RestFields): RestAnswer {
  if (fields.get('To')?.startsWith('app:')) return problem(400, 21_211, 'TwiML apps are not simulated')
  const attributes = {
    startConferenceOnEnter: fields.get('StartConferenceOnEnter') ?? 'true',
    endConferenceOnExit: fields.get('EndConferenceOnExit') ?? 'false',
    muted: fields.get('Muted') ?? 'false',
    ...attribute('participantLabel', fields.get('Label')),
    ...attribute('statusCallback', fields.get('ConferenceStatusCallback')),
    ...attribute('statusCallbackEvent', fields.all('ConferenceStatusCallbackEvent').join(' ') || undefined),
  }
  const noun: Twiml = { name: 'Conference', attributes, children: [], text: name }
  const verb: Twiml = { name: 'Dial', attributes: {}, children: [noun], text: '' }
  return createCall(
    { owns: (number) => exchange.owns(number), create: (outbound) => exchange.create(outbound) },
    fields,
    {
      ...twilioForm,
      source: { verbs: [verb] },
      verdictField: 'AmdStatusCallback',
      answer: (leg) => {
        const conference = exchange.conference(name)
        conference.expect(leg, fields.get('Label'))
        return { status: 201, json: queuedResource(conference, leg, attributes) }
      },
    },
  )
}

function attribute(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value }
}

function resourceOf({ sid, name, status, endReason, endedByCall }: Conference): object {
  return {
    sid,
    friendly_name: name,
    status,
    reason_conference_ended: endReason ?? null,
    call_sid_ending_conference: endedByCall ?? null,
  }
}

function participantResource({ sid }: Conference, participant: Participant): object {
  const { leg, label = null, muted, hold, endConferenceOnExit, startConferenceOnEnter } = participant
  return {
    account_sid: leg.context.account,
    call_sid: leg.sid,
    conference_sid: sid,
    label,
    muted,
    hold,
    coaching: false,
    end_conference_on_exit: endConferenceOnExit,
    start_conference_on_enter: startConferenceOnEnter,
    status: 'connected',
  }
}

function queuedResource(
  { sid }: Conference,
  leg: CallLeg,
  attributes: Readonly<Record<string, string>>,
): object {
  return {
    account_sid: leg.context.account,
    call_sid: leg.sid,
    conference_sid: sid,
    label: attributes['participantLabel'] ?? null,
    muted: attributes['muted'] === 'true',
    hold: false,
    coaching: false,
    end_conference_on_exit: attributes['endConferenceOnExit'] === 'true',
    start_conference_on_enter: attributes['startConferenceOnEnter'] === 'true',
    status: 'queued',
  }
}
