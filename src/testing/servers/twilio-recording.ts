import { noop } from '../../scope/index.ts'
import type { CallLeg } from './twilio-leg.ts'
import { timestamp } from './twilio-status.ts'

export type RecordingStatus = 'in-progress' | 'paused' | 'stopped' | 'completed'

export interface RecordingOptions {
  readonly channels: number
  readonly track: string
  readonly source: string
  readonly callback: string | undefined
  /** Default: `completed`. */
  readonly events: readonly string[]
}

/** Milliseconds from the end of a recording to its callback. */
const PROCESSING = 1_000

/** A recording of a call at the carrier. Its sound is not kept. */
export class CallRecording {
  readonly sid: string
  readonly leg: CallLeg
  status: RecordingStatus = 'in-progress'
  readonly #options: RecordingOptions
  readonly #startedAt: number
  #duration: number | undefined

  constructor(leg: CallLeg, options: RecordingOptions) {
    this.leg = leg
    this.sid = leg.context.newId('RE')
    this.#options = options
    this.#startedAt = leg.context.clock.now()
    this.#notify('in-progress')
    leg
      .until(() => leg.over || this.status === 'stopped')
      .then(() => this.#complete())
      .catch(noop)
  }

  /** Whether it can still be paused, resumed or stopped. */
  get running(): boolean {
    return !this.leg.over && (this.status === 'in-progress' || this.status === 'paused')
  }

  change(status: 'in-progress' | 'paused' | 'stopped'): void {
    this.status = status
    this.leg.changed()
  }

  get resource(): object {
    const { account, clock } = this.leg.context
    const { channels, track, source } = this.#options
    return {
      sid: this.sid,
      account_sid: account,
      call_sid: this.leg.sid,
      conference_sid: null,
      status: this.status,
      channels,
      track,
      source,
      duration: this.#duration === undefined ? null : String(this.#duration),
      start_time: timestamp(clock.date() - clock.now() + this.#startedAt),
      uri: `/2010-04-01/Accounts/${account}/Recordings/${this.sid}.json`,
    }
  }

  #complete(): void {
    const { leg } = this
    this.#duration = Math.round((leg.context.clock.now() - this.#startedAt) / 1_000)
    leg.afterwards(PROCESSING, 'a recording is processed', () => {
      this.status = 'completed'
      this.#notify('completed')
    })
  }

  #notify(status: 'in-progress' | 'completed'): void {
    const { callback, events, channels, track, source } = this.#options
    if (callback === undefined || !(events.length > 0 ? events : ['completed']).includes(status)) return
    const { account, clock, toLocal } = this.leg.context
    this.leg.webhooks.notify(toLocal(callback), {
      RecordingSid: this.sid,
      RecordingUrl: `https://api.twilio.com/2010-04-01/Accounts/${account}/Recordings/${this.sid}`,
      RecordingStatus: status,
      RecordingChannels: String(channels),
      RecordingTrack: track,
      RecordingSource: source,
      RecordingStartTime: timestamp(clock.date() - clock.now() + this.#startedAt),
      ...(this.#duration === undefined ? {} : { RecordingDuration: String(this.#duration) }),
    })
  }
}
