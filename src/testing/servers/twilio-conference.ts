import { noop } from '../../scope/index.ts'
import { SoundBridge } from './twilio-bridge.ts'
import type { CallContext } from './twilio-call-context.ts'
import type { CallLeg } from './twilio-leg.ts'
import { timestamp, type StatusCallback } from './twilio-status.ts'
import { TwilioWebhooks } from './twilio-webhooks.ts'

export interface ParticipantSettings {
  readonly label?: string
  readonly muted: boolean
  readonly startConferenceOnEnter: boolean
  readonly endConferenceOnExit: boolean
  /** Counts only for the first participant. */
  readonly status?: StatusCallback
}

/** Why a participant left, in the words of `ReasonParticipantLeft`. */
export type LeaveReason =
  | 'participant_hung_up'
  | 'participant_updated_via_api'
  | 'participant_removed_via_api'
  | 'moderator_ended_conference'
  | 'conference_ended_via_api'

/** Why a conference ended, in the words of `ReasonConferenceEnded`. */
export type EndReason =
  | 'conference-ended-via-api'
  | 'participant-with-end-conference-on-exit-left'
  | 'participant-with-end-conference-on-exit-kicked'
  | 'last-participant-left'
  | 'last-participant-kicked'

/** The events of a conference, with the word that asks for each. */
const EVENTS = {
  'conference-start': 'start',
  'conference-end': 'end',
  'participant-join': 'join',
  'participant-leave': 'leave',
  'participant-mute': 'mute',
  'participant-unmute': 'mute',
  'participant-hold': 'hold',
  'participant-unhold': 'hold',
} as const

export interface Participant extends ParticipantSettings {
  readonly leg: CallLeg
  muted: boolean
  hold: boolean
  endConferenceOnExit: boolean
}

/** A conference. Its participants are mixed once there are two, one of whom may start it. */
export class Conference {
  readonly sid: string
  readonly name: string
  readonly webhooks: TwilioWebhooks
  status: 'init' | 'in-progress' | 'completed' = 'init'
  endReason: EndReason | undefined
  endedByCall: string | undefined
  readonly #context: CallContext
  readonly #bridge: SoundBridge
  readonly #participants: Participant[] = []
  #callback: StatusCallback | undefined
  #joined = false
  #sequence = 0

  constructor(name: string, context: CallContext) {
    this.name = name
    this.sid = context.newId('CF')
    this.#context = context
    this.#bridge = new SoundBridge(context.clock, context.speed)
    const fields = { AccountSid: context.account, ConferenceSid: this.sid, FriendlyName: name }
    this.webhooks = new TwilioWebhooks(fields, context, {}, context.changed)
  }

  get participants(): readonly Participant[] {
    return this.#participants
  }

  /** Finds a participant by the sid of the call or by the label. */
  find(name: string): Participant | undefined {
    return this.#participants.find(({ leg, label }) => leg.sid === name || label === name)
  }

  has(participant: Participant): boolean {
    return this.#participants.includes(participant)
  }

  join(leg: CallLeg, settings: ParticipantSettings): Participant {
    if (!this.#joined) this.#callback = settings.status
    this.#joined = true
    const participant = { ...settings, leg, hold: false }
    this.#participants.push(participant)
    leg.emit({ type: 'joins-conference', conference: this.name })
    this.#report('participant-join', participant)
    if (this.status === 'in-progress') this.#connect(participant)
    else this.#startIfReady()
    return participant
  }

  /** Reports a participant who was called for this conference and never joins it. */
  expect(leg: CallLeg, label: string | undefined): void {
    leg
      .until(() => leg.over || this.find(leg.sid) !== undefined)
      .then(() => {
        if (this.find(leg.sid)) return
        this.#report('participant-leave', undefined, {
          CallSid: leg.sid,
          ParticipantCallStatus: leg.state,
          ...(label === undefined ? {} : { ParticipantLabel: label }),
        })
        if (this.#participants.length === 0) this.end('last-participant-left', leg.sid)
      })
      .catch(noop)
  }

  leave(participant: Participant, why: LeaveReason): void {
    if (!this.has(participant)) return
    const { leg, endConferenceOnExit } = participant
    const kicked = why === 'participant_removed_via_api'
    this.#remove(participant, why)
    if (endConferenceOnExit)
      this.end(`participant-with-end-conference-on-exit-${kicked ? 'kicked' : 'left'}`, leg.sid)
    else if (this.#participants.length === 0)
      this.end(`last-participant-${kicked ? 'kicked' : 'left'}`, leg.sid)
  }

  end(reason: EndReason, call?: string): void {
    if (this.status === 'completed') return
    this.status = 'completed'
    this.endReason = reason
    this.endedByCall = call
    const why =
      reason === 'conference-ended-via-api' ? 'conference_ended_via_api' : 'moderator_ended_conference'
    for (const participant of this.#participants.slice()) this.#remove(participant, why)
    this.#report('conference-end', undefined, {
      ReasonConferenceEnded: reason,
      ...(call === undefined ? {} : { CallSidEndingConference: call }),
    })
  }

  mute(participant: Participant, muted: boolean): void {
    if (participant.muted === muted) return
    participant.muted = muted
    this.#bridge.mute(participant.leg.media, muted)
    this.#report(muted ? 'participant-mute' : 'participant-unmute', participant)
  }

  hold(participant: Participant, hold: boolean): void {
    if (participant.hold === hold) return
    participant.hold = hold
    this.#bridge.hold(participant.leg.media, hold)
    this.#report(hold ? 'participant-hold' : 'participant-unhold', participant)
  }

  #startIfReady(): void {
    const starts = this.#participants.some(({ startConferenceOnEnter }) => startConferenceOnEnter)
    if (!starts || this.#participants.length < 2) return
    this.status = 'in-progress'
    this.#report('conference-start')
    for (const participant of this.#participants) this.#connect(participant)
  }

  #connect({ leg, muted }: Participant): void {
    leg.media.joinBridge(this.#bridge)
    this.#bridge.mute(leg.media, muted)
  }

  #remove(participant: Participant, why: LeaveReason): void {
    const { leg } = participant
    this.#participants.splice(this.#participants.indexOf(participant), 1)
    if (this.#bridge.has(leg.media)) leg.media.leaveBridge()
    this.#report('participant-leave', participant, {
      ParticipantCallStatus: leg.state,
      ReasonParticipantLeft: why,
    })
    if (!leg.over) leg.emit({ type: 'leaves-conference', conference: this.name })
  }

  #report(
    event: keyof typeof EVENTS,
    participant?: Participant,
    more: Readonly<Record<string, string>> = {},
  ): void {
    if (!this.#callback?.events.has(EVENTS[event])) return
    const { clock, toLocal } = this.#context
    this.webhooks.notify(toLocal(this.#callback.url), {
      StatusCallbackEvent: event,
      SequenceNumber: String(++this.#sequence),
      Timestamp: timestamp(clock.date()),
      ...(participant ? participantFields(participant) : {}),
      ...more,
    })
  }
}

function participantFields({ leg, label, ...participant }: Participant): Record<string, string> {
  return {
    CallSid: leg.sid,
    Muted: String(participant.muted),
    Hold: String(participant.hold),
    StartConferenceOnEnter: String(participant.startConferenceOnEnter),
    EndConferenceOnExit: String(participant.endConferenceOnExit),
    ...(label === undefined ? {} : { ParticipantLabel: label }),
  }
}
