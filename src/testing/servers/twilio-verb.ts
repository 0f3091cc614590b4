import type { CallContext } from './twilio-call-context.ts'
import type { Conference } from './twilio-conference.ts'
import type { DetectionRequest } from './twilio-detection.ts'
import type { CallLeg } from './twilio-leg.ts'
import type { RecordingOptions } from './twilio-recording.ts'
import type { StatusCallback } from './twilio-status.ts'
import type { Twiml } from './twilio-twiml.ts'

/** Where a document comes from: a request to the application, or TwiML that is known already. */
export type DocumentSource =
  | {
      readonly url: string
      /** Requested if `url` has no document. */
      readonly fallback?: string
      readonly fields?: Readonly<Record<string, string>>
      readonly repeats?: number
    }
  | { readonly verbs: readonly Twiml[] }

/** A leg to ring. */
export interface RingOptions {
  readonly to: string
  readonly from: string
  /** How long it rings, in milliseconds. */
  readonly timeout: number
  readonly parent?: CallLeg
  readonly status?: StatusCallback
  /** Machine detection beside the call. */
  readonly detection?: DetectionRequest
}

/** What verbs need of the carrier. */
export interface Exchange {
  /** Rings somebody. Nothing is executed when they answer. */
  ring(options: RingOptions): CallLeg
  /** Executes a document on a leg, and does not end the leg. Resolves to whether it was executed to its end. */
  execute(leg: CallLeg, source: DocumentSource): Promise<boolean>
  record(leg: CallLeg, options: RecordingOptions): void
  /** The conference of a name or a sid. A name without one makes a new conference. */
  conference(name: string, context: CallContext): Conference
  /** What comes of calling somebody from outside the carrier: a SIP status, after some milliseconds. */
  referOutcome(address: string): { readonly sip: number; readonly after: number }
}

/** What a verb needs of the document that contains it. */
export interface VerbRun {
  readonly leg: CallLeg
  readonly exchange: Exchange
  /** Whether the call goes on and no other document has taken the place of this one. */
  readonly active: boolean
  /** Resolves when the condition is true, or when the run is no longer active. */
  until(condition: () => boolean): Promise<void>
  /** Makes a URL in TwiML absolute. */
  resolve(url: string): string
}

/** What follows a verb: the next one, nothing, or the document of a URL. */
export type AfterVerb = 'next' | 'end' | DocumentSource
