import type { Logger } from '../../parts/index.ts'
import type { Webhook } from './calling.ts'
import { limits } from './limits.ts'
import { asName } from './stream-json.ts'

/** A recording at the carrier that is ready, or that could not be made. */
export interface RecordedCall {
  /** The carrier's name for the call. */
  readonly call: string
  /** The carrier's name for the recording. */
  readonly id: string
  /** Where the carrier keeps it. Usually needs the credentials of the account. Unset if there is none. */
  readonly url: string | undefined
  /** In milliseconds, if the carrier says so. */
  readonly duration: number | undefined
}

/** A recording is there, usually after the session has ended, and perhaps in another process than its session was in (RC2). */
export function reportRecording(
  webhook: Webhook,
  onRecording: ((recording: RecordedCall) => unknown) | undefined,
  logger: Logger,
): void {
  const recording = recordedCallOf(webhook)
  if (!recording || !onRecording) return
  Promise.resolve(recording)
    .then(onRecording)
    .catch((error: unknown) => logger.error({ error, call: recording.call }, 'onRecording failed'))
}

/** Reads the report about a recording. Undefined if it is not about one that has ended. */
function recordedCallOf({ call, fields }: Webhook): RecordedCall | undefined {
  const id = asName(fields.get('RecordingSid'))
  const status = fields.get('RecordingStatus')
  if (id === undefined || (status !== 'completed' && status !== 'absent')) return undefined
  const url = fields.get('RecordingUrl') ?? ''
  const seconds = Number(fields.get('RecordingDuration') ?? Number.NaN)
  const isLink =
    status === 'completed' && url.length <= limits.link && /^https?:\/\//.test(url) && URL.canParse(url)
  return {
    call,
    id,
    url: isLink ? url : undefined,
    duration: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined,
  }
}
