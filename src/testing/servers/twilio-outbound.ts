import { noop } from '../../scope/index.ts'
import { detectBeside, judge, verdictFields, type DetectionRequest } from './twilio-detection.ts'
import { sendKeys } from './twilio-keys.ts'
import type { CallLeg } from './twilio-leg.ts'
import type { TwilioPersonOptions } from './twilio-person.ts'
import type { RecordingOptions } from './twilio-recording.ts'
import type { StatusCallback } from './twilio-status.ts'
import type { DocumentSource } from './twilio-verb.ts'

/** A call that an application makes over REST. */
export interface OutboundCall {
  readonly to: string
  readonly from: string
  readonly source: DocumentSource
  /** How long it rings, in milliseconds. */
  readonly timeout: number
  /** How long it may last after the answer, in milliseconds. */
  readonly timeLimit?: number
  readonly status?: StatusCallback
  readonly sendDigits?: string
  readonly detection?: DetectionRequest
  readonly recording?: RecordingOptions
}

export interface OutboundActions {
  /** Executes a document, and ends the leg after it. */
  start(leg: CallLeg, source: DocumentSource): void
  record(leg: CallLeg, options: RecordingOptions): void
}

/** Waits until an outbound call is answered, and then executes its document. */
export function runOutbound(
  leg: CallLeg,
  outbound: OutboundCall,
  person: TwilioPersonOptions | undefined,
  actions: OutboundActions,
): void {
  const { timeLimit, sendDigits, recording, source } = outbound
  const answered = (): void => {
    if (leg.over) return
    if (timeLimit !== undefined)
      leg.after(timeLimit, 'the time limit of a call', () => leg.end({ by: 'carrier' }))
    if (recording) actions.record(leg, recording)
    const execute = (fields?: Readonly<Record<string, string>>): void => {
      // A redirect during the wait takes the place of the first document.
      if (leg.run) return
      const repeats = person?.repeats ?? 0
      actions.start(leg, 'url' in source ? { ...source, repeats, ...(fields ? { fields } : {}) } : source)
    }
    // Keys are sent before anything else happens, and exclude machine detection.
    if (sendDigits !== undefined) sendKeys(leg, sendDigits, () => execute())
    else detect(leg, outbound, person, execute)
  }
  leg
    .until(() => leg.over || leg.answered)
    .then(answered)
    .catch(noop)
}

function detect(
  leg: CallLeg,
  { detection }: OutboundCall,
  person: TwilioPersonOptions | undefined,
  execute: (fields?: Readonly<Record<string, string>>) => void,
): void {
  if (detection?.async) detectBeside(leg, detection, person)
  if (!detection || detection.async) return execute()
  const found = judge(detection, person?.machine, person?.detection) ?? {
    answeredBy: 'unknown' as const,
    after: detection.timeout,
  }
  leg.after(found.after, 'the verdict of machine detection', () => {
    leg.answeredBy = found.answeredBy
    execute(verdictFields(found))
  })
}
