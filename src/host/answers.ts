import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import { OptionError, type ErrorCode } from '../scope/index.ts'
import { limits } from './limits.ts'
import { readJson } from './read-json.ts'
import type { Refusal } from './wire/index.ts'

// What the parts of the HTTP API share: how they read requests and refuse them.

export type HostHttp = Hono<{ Bindings: Partial<HttpBindings> }>
export type HostContext = Context<{ Bindings: Partial<HttpBindings> }>

export type Status = 400 | 401 | 403 | 404 | 409 | 413 | 429 | 500 | 503

export function refuse(context: Context, status: Status, code: ErrorCode, message: string): Response {
  return context.json<Refusal>({ error: { code, message } }, status)
}

export function refuseLarge(context: HostContext): Response {
  return refuse(context, 413, 'TOO_LARGE', `the request is larger than ${limits.body} bytes`)
}

export function refuseUnknown(context: HostContext): Response {
  return refuse(context, 404, 'NO_SUCH_SESSION', 'session not found: the host keeps only the latest sessions')
}

/** A field of a JSON object, undefined if the value is no object or has no such field. */
export function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, name)
    ? (body as Record<string, unknown>)[name]
    : undefined
}

/** The body of a request, which must be a JSON object with nothing but texts and `true` in these fields. */
export async function readFields<Name extends string>(
  context: HostContext,
  names: readonly Name[],
): Promise<Partial<Record<Name, string | true>> | Response> {
  const body = await readJson(context.req, limits.body)
  if (body === 'too large') return refuseLarge(context)
  const { json } = body
  const expected = `send a JSON object with ${names.map((name) => `"${name}"`).join(', ')}`
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return refuse(context, 400, 'BAD_REQUEST', expected)
  for (const [name, value] of Object.entries(json)) {
    const valid =
      value === true || (typeof value === 'string' && value !== '' && value.length <= limits.query)
    if (!names.some((each) => each === name) || !valid)
      return refuse(context, 400, 'BAD_REQUEST', `${expected}; '${name.slice(0, 40)}' is not valid`)
  }
  return json
}

/** A parameter of the query that must be one of these. Undefined if there is none. */
export function choiceIn<T extends string>(
  context: HostContext,
  name: string,
  known: readonly T[],
): T | undefined {
  const value = context.req.query(name) ?? ''
  if (value === '') return undefined
  const found = known.find((each) => each === value)
  if (found !== undefined) return found
  const choices = known.map((each) => `'${each}'`).join(' or ')
  throw new OptionError(`${name} must be ${choices}, not '${value.slice(0, limits.query)}'`)
}

/** A text in the query. Empty if there is none. */
export function textIn(context: HostContext, name: string): string {
  const value = context.req.query(name) ?? ''
  if (value.length > limits.query) throw new OptionError(`${name} is longer than ${limits.query} characters`)
  return value
}

/** How many rows to answer with, if the query says so. */
export function limitIn(context: HostContext): { readonly limit?: number } {
  const text = context.req.query('limit') ?? ''
  if (text === '') return {}
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= limits.rows) return { limit }
  throw new OptionError(`limit must be a whole number from 1 to ${limits.rows}`)
}
