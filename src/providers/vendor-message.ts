import { FrameReader, type AudioFormat, type AudioFrame } from '../audio/index.ts'
import type { Data, LinkConnection } from '../link/index.ts'
import { isNestedTooDeeply } from './nesting.ts'

/** What a field may hold (SC18, PR2). All are far beyond what a vendor sends, and far below what hurts. */
const limits = {
  /** Characters of base64 in an audio field: more than a minute of PCM16 at 24 kHz. */
  audio: 4 * 1024 * 1024,
  /** Characters of a text, and of the JSON of a call's arguments. */
  text: 256 * 1024,
  /** Characters of an id. */
  id: 1_000,
  /** Entries of a list: the words of an hour. */
  list: 10_000,
  /** Tokens, or an index. */
  count: 1e9,
  /** A time within a session, in seconds: a day. */
  seconds: 24 * 60 * 60,
} as const

/**
 * The expected type of a field. Every field may be missing.
 *
 * - `id`: a short string; `audio`: base64
 * - `number`: any finite number; `count`: 0 or more; `seconds`: a time within a session
 * - `json`: any object of limited size
 */
export type Shape =
  | 'string'
  | 'id'
  | 'audio'
  | 'number'
  | 'count'
  | 'seconds'
  | 'boolean'
  | 'json'
  | readonly [Shape]
  | Fields

interface Fields {
  readonly [name: string]: Shape
}

/** The shape of a message type. It has to name every field of the type, so none can be read without a check. */
export type ShapeOf<T> = [T] extends [string]
  ? 'string' | 'id' | 'audio'
  : [T] extends [number]
    ? 'number' | 'count' | 'seconds'
    : [T] extends [boolean]
      ? 'boolean'
      : [T] extends [readonly (infer Each)[]]
        ? readonly [ShapeOf<Each>]
        : 'json' | { readonly [Name in NamesIn<T>]-?: ShapeOf<NonNullable<FieldOf<T, Name>>> }

type NamesIn<T> = T extends T ? keyof T : never
type FieldOf<T, Name extends PropertyKey> = T extends T ? (Name extends keyof T ? T[Name] : never) : never

/** Checks the fields of a message. */
export type Check<T> = (message: object) => message is object & T

/** Checks messages that all have the same fields. */
export function checkOf<T extends object>(shape: ShapeOf<T>): Check<T> {
  return (message): message is object & T => fits(message, shape)
}

/** Checks messages by their `type`. A message of another type passes, because new types are to be ignored. */
export function checkByType<T extends { readonly type: string }>(shapes: {
  readonly [Type in T['type']]: ShapeOf<Omit<Extract<T, { readonly type: Type }>, 'type'>>
}): Check<T> {
  const known = new Map(Object.entries(shapes)) as ReadonlyMap<unknown, Shape>
  return (message): message is object & T => fits(message, known.get((message as T).type) ?? {})
}

/**
 * Reads a message of a vendor, with null as a missing field. Returns undefined if the message is malformed: not a JSON
 * object, or with a field of a wrong type.
 */
export function readMessage<T>(data: Data, check: Check<T>): T | undefined {
  const message = parse(data)
  return typeof message === 'object' && message !== null && check(message) ? message : undefined
}

/** Like `readMessage`, but also drops the connection if the message is malformed (PR1). */
export function receiveMessage<T>(data: Data, check: Check<T>, connection: LinkConnection): T | undefined {
  const message = readMessage(data, check)
  if (message === undefined) connection.end('dropped', 'the server sent a malformed message')
  return message
}

/** Decodes fields that were checked as `audio`: PCM16, little-endian. A sample may be split between two of them. */
export class AudioDecoder {
  readonly #reader: FrameReader

  constructor(format: AudioFormat) {
    this.#reader = new FrameReader(format)
  }

  push(audio: string | Uint8Array = ''): AudioFrame {
    return this.#reader.push(typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio)
  }
}

function parse(data: Data): unknown {
  try {
    const text = typeof data === 'string' ? data : Buffer.from(data).toString()
    return isNestedTooDeeply(text) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a value fits. Removes the known fields that are null: they count as missing. */
function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === 'string') return checks[shape](value)
  if (isList(shape))
    return Array.isArray(value) && value.length <= limits.list && value.every((each) => fits(each, shape[0]))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(shape).every(([name, field]) => {
    const fields = value as Record<string, unknown>
    const own = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (own === null) Reflect.deleteProperty(fields, name)
    return own === undefined || own === null || fits(own, field)
  })
}

const checks: Record<Extract<Shape, string>, (value: unknown) => boolean> = {
  string: (value) => isText(value, limits.text),
  id: (value) => isText(value, limits.id),
  audio: (value) => isText(value, limits.audio),
  number: (value) => Number.isFinite(value),
  count: (value) => isWithin(value, limits.count),
  seconds: (value) => isWithin(value, limits.seconds),
  boolean: (value) => typeof value === 'boolean',
  json: isSmallObject,
}

const isText = (value: unknown, max: number): boolean => typeof value === 'string' && value.length <= max
const isWithin = (value: unknown, max: number): boolean =>
  typeof value === 'number' && value >= 0 && value <= max

function isSmallObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  try {
    return JSON.stringify(value).length <= limits.text
  } catch {
    // Nested too deeply.
    return false
  }
}

const isList = (shape: readonly [Shape] | Fields): shape is readonly [Shape] => Array.isArray(shape)
