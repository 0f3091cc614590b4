import type { FileHandle } from 'node:fs/promises'
import { noop } from '../scope/index.ts'
import { refuse, refuseUnknown, type HostContext, type HostHttp } from './answers.ts'
import type { Fleet } from './fleet/fleet.ts'
import { limits } from './limits.ts'
import type { Logbook } from './logbook.ts'
import { peaksOf, type OpenRecording, type Recordings } from './recordings.ts'

export interface RecordingsParts {
  readonly recordings: Recordings
  readonly logbook: Logbook
  readonly fleet: Fleet | undefined
}

/** Serves the recordings of calls that have ended (ST4). Only what a report names, and only from the folder for recordings. */
export function addRecordings(app: HostHttp, parts: RecordingsParts): void {
  let open = 0
  /** Opens a recording for `answer`, which calls `done` once with the file that it no longer needs. */
  const withRecording = async (
    context: HostContext,
    answer: (recording: OpenRecording, done: () => void) => Promise<Response>,
    missing: () => Response = () => refuseMissing(context),
  ): Promise<Response> => {
    const found = await placeOf(context, parts)
    if (found === undefined) return refuseUnknown(context)
    if (found === '') return refuseMissing(context)
    if (open >= limits.recordings)
      return refuse(context, 503, 'TOO_MANY_STREAMS', 'too many recordings are being read')
    open++
    const recording = await parts.recordings.open(found)
    let closed = false
    const done = (): void => {
      if (closed) return
      closed = true
      open--
      recording?.file.close().catch(noop)
    }
    if (!recording) {
      done()
      return missing()
    }
    try {
      return await answer(recording, done)
    } catch (error) {
      done()
      throw error
    }
  }
  app.get('/api/sessions/:id/recordings/:index', (context) =>
    withRecording(context, async (recording, done) => send(context, recording, done)),
  )
  // Without content if there is nothing to draw: a call may end before anything was written. That is no mistake of the page.
  app.get('/api/sessions/:id/recordings/:index/peaks', (context) =>
    withRecording(
      context,
      async (recording, done) => {
        const peaks = await peaksOf(recording)
        done()
        return peaks ? context.json(peaks) : context.body(null, 204)
      },
      () => context.body(null, 204),
    ),
  )
}

const refuseMissing = (context: HostContext): Response =>
  refuse(context, 404, 'NOT_FOUND', 'the recording is not in the folder of this host')

/** Where the recording is. Undefined if the session is not known, empty if it has no such recording. */
async function placeOf(
  context: HostContext,
  { logbook, fleet }: RecordingsParts,
): Promise<string | undefined> {
  const id = context.req.param('id') ?? ''
  const details = logbook.get(id)?.details() ?? (await fleet?.archive.details(id))
  if (!details) return undefined
  const text = context.req.param('index') ?? ''
  const index = /^\d{1,3}$/.test(text) ? Number(text) : -1
  return details.report?.recordings?.[index]?.place ?? ''
}

function send(context: HostContext, { file, bytes }: OpenRecording, done: () => void): Response {
  const id = context.req.param('id') ?? ''
  const name = /^[\w-]{1,100}$/.test(id) ? id : 'call'
  const range = rangeOf(context.req.header('range'), bytes)
  const headers = {
    'content-type': 'audio/wav',
    'accept-ranges': 'bytes',
    'content-disposition': `inline; filename="${name}.wav"`,
  }
  if (range === 'invalid') {
    done()
    return context.body(null, 416, { 'content-range': `bytes */${bytes}` })
  }
  const { from, until } = range ?? { from: 0, until: bytes }
  const status = range ? 206 : 200
  const all = {
    ...headers,
    'content-length': String(until - from),
    ...(range ? { 'content-range': `bytes ${from}-${until - 1}/${bytes}` } : {}),
  }
  if (context.req.method !== 'HEAD') return context.body(streamOf(file, from, until, done), status, all)
  // Nobody would read the stream, and so close the file.
  done()
  return context.body(null, status, all)
}

interface ByteRange {
  readonly from: number
  /** Not included. */
  readonly until: number
}

/** The requested part. Undefined without a header, or if the header asks for several parts: then all of it is sent. */
export function rangeOf(header: string | undefined, bytes: number): ByteRange | 'invalid' | undefined {
  if (header === undefined || header.includes(',')) return undefined
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim()) ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const until = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  return from < until ? { from, until } : 'invalid'
}

function streamOf(
  file: FileHandle,
  from: number,
  until: number,
  done: () => void,
): ReadableStream<Uint8Array> {
  let at = from
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const buffer = new Uint8Array(Math.min(limits.recordingChunk, until - at))
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
        at += bytesRead
        if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead))
        if (bytesRead > 0 && at < until) return
        controller.close()
      } catch (error) {
        controller.error(error)
      }
      done()
    },
    cancel: done,
  })
}
