import { EncodedFrame, sampleRates, type AudioFrame, type SampleRate } from '../audio/index.ts'
import { EndwellError, pushTo } from '../scope/index.ts'

/** The kinds of arguments that a part may pass with an event. Each is checked before it is used. */
export type Kind =
  | 'text'
  | 'id'
  | 'ms'
  | 'heard'
  | 'flag'
  | 'digit'
  | 'frame'
  | 'tool-call'
  | 'end'
  | 'usage'
  | 'details'
  | 'error'

/** The kinds of the arguments of each event, in order. */
export type Shape<Events> = { readonly [Name in keyof Events]: Kinds }

type Kinds = readonly [] | readonly [Kind] | readonly [Kind, Kind] | readonly [Kind, Kind, Kind]

/** An event of a part as a tuple: its name, then its arguments. */
export type EventOf<Events> = {
  [Name in keyof Events]: Events[Name] extends (...args: infer Args) => void ? [Name, ...Args] : never
}[keyof Events]

/** A part broke its contract by passing an argument of a wrong type. */
export class PartMisbehavedError extends EndwellError {
  constructor(part: string, event: string, value: unknown, kind: Kind) {
    super(
      'PART_MISBEHAVED',
      `${part} called ${event}() with ${typeof value} instead of ${kind}; the event was ignored`,
    )
  }
}

const INVALID = Symbol('invalid')

/** Takes the events of a part, once they are checked. */
interface Sink<Events> {
  push(event: EventOf<Events>): void
}

/**
 * Creates the callbacks that a part is opened with: the only way from a part into the session. An event with invalid
 * arguments is ignored, and reported to `failed` once per event name. Errors of the sink go to `failed` and never reach
 * the part.
 */
export function inlet<Events extends object>(
  part: string,
  shape: Shape<Events>,
  sink: Sink<Events>,
  failed: (error: unknown) => void,
): Events {
  const events: Record<string, unknown> = {}
  for (const [name, kinds] of Object.entries<Kinds>(shape))
    events[name] = callback(part, name, kinds, sink, failed)
  return events as Events
}

function callback<Events>(
  part: string,
  name: string,
  kinds: Kinds,
  sink: Sink<Events>,
  failed: (error: unknown) => void,
): (one: unknown, two: unknown, three: unknown) => void {
  let reported = false
  return (one, two, three) => {
    const event = eventOf(name, kinds, one, two, three)
    const invalid = event.indexOf(INVALID) - 1
    if (invalid < 0) return pushTo(sink, event as EventOf<Events>, failed)
    if (reported) return
    reported = true
    failed(new PartMisbehavedError(part, name, [one, two, three][invalid], kinds[invalid]!))
  }
}

/** An event as a tuple, with its arguments as they were read. Written out, because this runs for every frame of every call. */
function eventOf(
  name: string,
  kinds: readonly Kind[],
  one: unknown,
  two: unknown,
  three: unknown,
): unknown[] {
  switch (kinds.length) {
    case 0:
      return [name]
    case 1:
      return [name, read(kinds[0]!, one)]
    case 2:
      return [name, read(kinds[0]!, one), read(kinds[1]!, two)]
    default:
      return [name, read(kinds[0]!, one), read(kinds[1]!, two), read(kinds[2]!, three)]
  }
}

function read(kind: Kind, value: unknown): unknown {
  switch (kind) {
    case 'text':
    case 'id':
      return typeof value === 'string' ? value : INVALID
    case 'ms':
      return typeof value === 'number' && value >= 0 && value < Infinity ? value : 0
    case 'heard':
      return typeof value === 'number' ? value : undefined
    case 'flag':
      return value === true
    case 'digit':
      return typeof value === 'string' && /^[\d*#A-D]$/.test(value) ? value : INVALID
    case 'frame':
      return isFrame(value) ? value : INVALID
    case 'tool-call': {
      const { id, name, input } = (typeof value === 'object' && value !== null ? value : {}) as Record<
        string,
        unknown
      >
      return [id, name, input].every((field) => typeof field === 'string') ? { id, name, input } : INVALID
    }
    case 'end':
      return value === 'completed' || value === 'cancelled' || value === 'failed' ? value : INVALID
    case 'details':
      return typeof value === 'object' && value !== null ? value : undefined
    case 'usage':
      return typeof value === 'object' && value !== null ? value : INVALID
    case 'error':
      break
  }
  return value
}

/** Whether a value is 16-bit PCM with a known rate. Anything else, such as a `Buffer` or floats, would be noise. */
export function isFrame(value: unknown): value is AudioFrame {
  if (typeof value !== 'object' || value === null) return false
  // Its samples are not read here: that would decode it.
  if (value instanceof EncodedFrame) return true
  const { samples, sampleRate } = value as Partial<Record<keyof AudioFrame, unknown>>
  return samples instanceof Int16Array && sampleRates.includes(sampleRate as SampleRate)
}
