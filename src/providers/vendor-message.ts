import { samplesFromBytes } from '../audio/index.ts'
import type { Data, LinkConnection } from '../link/index.ts'

/** Characters of base64 in one audio field: more than a minute of PCM16 at 24 kHz. */
const MAX_AUDIO = 4 * 1024 * 1024

/** The expected type of a field; `audio` is base64 of limited length. Every field may be missing. */
export type Shape = 'string' | 'number' | 'boolean' | 'audio' | readonly [Shape] | Fields

interface Fields {
  readonly [name: string]: Shape
}

/** The shape of a message type. It has to name every field of the type, so none can be read without a check. */
export type ShapeOf<T> = [T] extends [string]
  ? 'string' | 'audio'
  : [T] extends [number]
    ? 'number'
    : [T] extends [boolean]
      ? 'boolean'
      : [T] extends [readonly (infer Each)[]]
        ? readonly [ShapeOf<Each>]
        : { readonly [Name in NamesIn<T>]-?: ShapeOf<NonNullable<FieldOf<T, Name>>> }

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

/** Decodes an audio field that was checked as `audio`: PCM16, little-endian. */
export function decodeAudio(base64 = ''): Int16Array<ArrayBuffer> {
  return samplesFromBytes(Buffer.from(base64, 'base64'))
}

function parse(data: Data): unknown {
  try {
    const text = typeof data === 'string' ? data : Buffer.from(data).toString()
    return JSON.parse(text, (_, value: unknown) => value ?? undefined)
  } catch {
    return undefined
  }
}

function fits(value: unknown, shape: Shape): boolean {
  if (shape === 'audio') return typeof value === 'string' && value.length <= MAX_AUDIO
  if (typeof shape === 'string') return typeof value === shape
  // A copy, because `every` skips the holes that nulls have left.
  if (isList(shape)) return Array.isArray(value) && [...value].every((each) => fits(each, shape[0]))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(shape).every(([name, field]) => {
    const own = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
    return own === undefined || fits(own, field)
  })
}

const isList = (shape: readonly [Shape] | Fields): shape is readonly [Shape] => Array.isArray(shape)
