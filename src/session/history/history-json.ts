import type { VendorData } from '../../parts/index.ts'
import { EndwellError, clip } from '../../scope/index.ts'
import {
  MAX_TEXT,
  historyVersion,
  type HistoryItem,
  type HistoryJSON,
  type ToolResult,
} from './history-item.ts'

/** A stored history cannot be read. The message says which field is wrong, and what was expected. */
export class HistoryError extends EndwellError {
  constructor(code: 'HISTORY_MALFORMED' | 'HISTORY_VERSION', message: string) {
    super(code, `cannot read a stored history: ${message}`)
  }
}

/** Validates and copies a stored history of unknown origin, such as a parsed file. Throws `HistoryError` if it is invalid. */
export function readHistory(value: unknown): HistoryJSON {
  const json = record(value, 'history')
  if (json['version'] !== historyVersion) {
    throw new HistoryError(
      'HISTORY_VERSION',
      `its version is ${String(json['version'])}, and only version ${historyVersion} is supported: ` +
        'resume it with the version of endwell that stored it, or start without it',
    )
  }
  if (!Array.isArray(json['items'])) throw malformed('history.items', 'an array', json['items'])
  const items = json['items'].map((item, index) => readItem(item, `history.items[${index}]`))
  const ids = new Set<string>()
  for (const [index, { id }] of items.entries()) {
    if (ids.has(id)) throw malformed(`history.items[${index}].id`, 'unique', id)
    ids.add(id)
  }
  return {
    version: historyVersion,
    dropped: count(json, 'dropped', 'history'),
    lastId: count(json, 'lastId', 'history'),
    items,
    ...(json['vendor'] === undefined ? {} : { vendor: readVendor(record(json['vendor'], 'history.vendor')) }),
  }
}

function readVendor(fields: Fields): Readonly<Record<string, VendorData>> {
  const entries = Object.entries(fields).map(([id, value]) => {
    const path = `history.vendor.${id}`
    const data = record(value, path)
    return [id, Object.freeze({ model: text(data, 'model', path), data: text(data, 'data', path) })] as const
  })
  return Object.fromEntries(entries)
}

function readItem(value: unknown, path: string): HistoryItem {
  const item = record(value, path)
  const base = { id: text(item, 'id', path), at: number(item, 'at', path) }
  switch (item['type']) {
    case 'message':
      return Object.freeze({
        type: 'message',
        ...base,
        role: oneOf(item, 'role', ['user', 'agent'], path),
        text: clip(text(item, 'text', path), MAX_TEXT),
        ...interruptedOf(item, path),
        ...agentOf(item, path),
      })
    case 'tool':
      return Object.freeze({
        type: 'tool',
        ...base,
        call: text(item, 'call', path),
        name: text(item, 'name', path),
        input: clip(text(item, 'input', path), MAX_TEXT),
        ...agentOf(item, path),
        ...(item['with'] === undefined ? {} : { with: text(item, 'with', path) }),
        ...(item['result'] === undefined ? {} : { result: readResult(item['result'], `${path}.result`) }),
      })
    case 'handoff':
      return Object.freeze({
        type: 'handoff',
        ...base,
        from: text(item, 'from', path),
        to: text(item, 'to', path),
      })
    case 'keys':
      return Object.freeze({
        type: 'keys',
        ...base,
        keys: clip(text(item, 'keys', path), MAX_TEXT),
        ...interruptedOf(item, path),
        ...agentOf(item, path),
      })
    default:
      throw malformed(`${path}.type`, "'message', 'tool', 'handoff' or 'keys'", item['type'])
  }
}

function readResult(value: unknown, path: string): ToolResult {
  const result = record(value, path)
  return Object.freeze({
    output: clip(text(result, 'output', path), MAX_TEXT),
    failed: oneOf(result, 'failed', [true, false], path),
    ...(result['stopped'] === undefined
      ? {}
      : { stopped: oneOf(result, 'stopped', ['cancelled', 'refused'], path) }),
    at: number(result, 'at', path),
  })
}

function agentOf(item: Fields, path: string): { agent?: string } {
  return item['agent'] === undefined ? {} : { agent: text(item, 'agent', path) }
}

function interruptedOf(item: Fields, path: string): { interrupted?: true } {
  return item['interrupted'] === undefined ? {} : { interrupted: oneOf(item, 'interrupted', [true], path) }
}

type Fields = Readonly<Record<string, unknown>>

function record(value: unknown, path: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw malformed(path, 'an object', value)
}

function text(fields: Fields, name: string, path: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value
  throw malformed(`${path}.${name}`, 'a string', value)
}

function number(fields: Fields, name: string, path: string): number {
  const value = fields[name]
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw malformed(`${path}.${name}`, 'a finite number', value)
}

function count(fields: Fields, name: string, path: string): number {
  const value = number(fields, name, path)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw malformed(`${path}.${name}`, 'a whole number, 0 or more', value)
}

function oneOf<const T>(fields: Fields, name: string, allowed: readonly T[], path: string): T {
  const value = allowed.find((each) => each === fields[name])
  if (value !== undefined) return value
  throw malformed(`${path}.${name}`, allowed.map((each) => JSON.stringify(each)).join(' or '), fields[name])
}

function malformed(path: string, expected: string, found: unknown): HistoryError {
  return new HistoryError('HISTORY_MALFORMED', `${path} must be ${expected}; it is ${show(found)}`)
}

function show(found: unknown): string {
  if (Array.isArray(found)) return 'an array'
  if (typeof found === 'object' && found !== null) return 'an object'
  return JSON.stringify(found)?.slice(0, 50) ?? 'missing'
}
