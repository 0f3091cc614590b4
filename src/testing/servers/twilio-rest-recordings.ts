import type { CallLeg } from './twilio-leg.ts'
import type { CallRecording, RecordingOptions } from './twilio-recording.ts'
import { notFound, problem, type RestAnswer } from './twilio-rest-answer.ts'
import type { RestFields } from './twilio-rest-fields.ts'
import { wordsIn } from './twilio-status.ts'

export interface RecordingExchange {
  record(leg: CallLeg, options: RecordingOptions): CallRecording
  /** The recordings of a call, the oldest first. */
  recordings(leg: CallLeg): readonly CallRecording[]
}

export function recordingOptions(fields: RestFields, source: string): RecordingOptions {
  return {
    channels: fields.get('RecordingChannels') === 'dual' ? 2 : 1,
    track: fields.get('RecordingTrack') ?? 'both',
    source,
    callback: fields.get('RecordingStatusCallback'),
    events: fields.all('RecordingStatusCallbackEvent').flatMap(wordsIn),
  }
}

/** Starts a recording. */
export function createRecording(exchange: RecordingExchange, leg: CallLeg, fields: RestFields): RestAnswer {
  if (leg.state !== 'in-progress')
    return problem(400, 21_220, 'Requested resource is not eligible for recording')
  const recording = exchange.record(leg, recordingOptions(fields, 'StartCallRecordingAPI'))
  return { status: 201, json: recording.resource }
}

/** Pauses, resumes or stops a recording: by its id, or `Twilio.CURRENT` for the newest. */
export function updateRecording(
  exchange: RecordingExchange,
  { leg, sid, fields }: { readonly leg: CallLeg; readonly sid: string; readonly fields: RestFields },
): RestAnswer {
  const all = exchange.recordings(leg)
  const recording = sid === 'Twilio.CURRENT' ? all.at(-1) : all.find((each) => each.sid === sid)
  if (!recording) return notFound(`/Recordings/${sid}`)
  const status = fields.get('Status')
  if (status !== 'paused' && status !== 'in-progress' && status !== 'stopped')
    return problem(400, 20_001, 'Status must be paused, in-progress or stopped')
  if (!recording.running) return problem(400, 21_220, 'Requested resource is not eligible for recording')
  recording.change(status)
  return { status: 200, json: recording.resource }
}
