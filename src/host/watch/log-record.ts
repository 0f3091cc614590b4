import { redact } from '../../link/index.ts'
import { jsonLine } from '../../report/index.ts'
import { callOut, clip, describeError, noop } from '../../scope/index.ts'
import type { Level } from '../log-levels.ts'

/** Limits of one record: whoever reads a log must be able to read every line of it. */
export const logLimits = {
  /** Characters of a line. */
  line: 16_000,
  /** Characters of a text in it. */
  text: 2_000,
  /** Fields of an object, and items of a list. */
  fields: 50,
  /** Objects nested in each other. */
  depth: 4,
} as const

/** A message with its fields as plain JSON. */
export interface LogRecord {
  /** When it was logged, as ISO 8601. */
  readonly time: string
  readonly level: Level
  readonly message: string
  /** The id of the call that it is about. */
  readonly call?: string
  readonly [field: string]: unknown
}

/** Fields whose text is a credential, whatever it looks like. */
const secretField = /secret|passw|credential|cookie|authori[sz]ation|api[-_]?key|(^|[-_a-z])token$/i

/** Fields that hold ids. An id in the shape of a key is still an id. */
const idFields: ReadonlySet<string> = new Set(['call', 'session', 'trace', 'host', 'worker', 'id'])

/**
 * Makes a record of a message. Errors are described, credentials are masked (HO9), and everything is bounded. Never throws,
 * whatever the fields are.
 */
export function logRecord(level: Level, fields: object, message: string, date: number): LogRecord {
  const all = valueOf(fields, '', 0)
  const own: Readonly<Record<string, unknown>> = typeof all === 'object' && all !== null ? { ...all } : {}
  // Sessions log their id as `session`: on a host, that is the call.
  const { session, call: id = session, time: _time, level: _level, message: _message, ...rest } = own
  const call = typeof id === 'string' ? { call: id } : {}
  const head = { time: new Date(date).toISOString(), level, message: safe(message), ...call }
  const record = { ...head, ...rest }
  return jsonLine(record).length <= logLimits.line ? record : { ...head, clipped: true }
}

/** Plain JSON of a value: bounded, and without credentials. Undefined for what JSON leaves out. */
function valueOf(value: unknown, field: string, depth: number): unknown {
  if (typeof value === 'string') return textOf(value, field)
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') return undefined
  if (value instanceof Error) return safeError(value)
  if (depth > logLimits.depth) return '…'
  return callOut(() => objectOf(value, field, depth), noop) ?? 'a value that cannot be printed'
}

function objectOf(value: object, field: string, depth: number): unknown {
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return valueOf((value.toJSON as () => unknown)(), field, depth + 1)
  if (Array.isArray(value))
    return value.slice(0, logLimits.fields).map((item: unknown) => valueOf(item, field, depth + 1) ?? null)
  const entries = Object.keys(value)
    .slice(0, logLimits.fields)
    .map((name) => [clip(name, 100), valueOf(fieldOf(value, name), name, depth + 1)] as const)
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined))
}

const fieldOf = (value: object, name: string): unknown =>
  callOut(() => (value as Record<string, unknown>)[name], noop)

function textOf(text: string, field: string): string {
  if (idFields.has(field)) return clip(text, logLimits.text)
  if (secretField.test(field)) return '***'
  return safe(text)
}

function safeError(error: Error): object {
  const { name, message, code } = describeError(error)
  return { name: safe(name), message: safe(message), ...(code === undefined ? {} : { code }) }
}

/** Masked before it is cut: half a credential could not be recognised. */
const safe = (text: unknown): string => clip(redact(String(text)), logLimits.text)
