import type { ReceptionEnd } from '../../host/index.ts'
import type { LoadedFile } from './fingerprint.ts'

/** What a worker of `endwell dev` gets as its argument, as JSON. */
export interface DevArguments {
  /** Counts the versions of the agent file. */
  readonly generation: number
  readonly model: string | undefined
  readonly json: boolean
}

/** What a worker of `endwell dev` tells its parent. */
export type DevRequest =
  /** Something for the terminal: in this order, which two pipes would not keep. */
  | { readonly type: 'print'; readonly lines: readonly string[] }
  | { readonly type: 'json'; readonly value: unknown }
  /** A call has ended. */
  | {
      readonly type: 'ended'
      readonly call: string
      readonly lines: readonly string[]
      readonly value: object
    }
  | ({ readonly type: 'loaded' } & LoadedFile)
  /** The agent file could be used. */
  | ({ readonly type: 'opened' } & OpenedVersion)
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  /** All its calls have ended. `held`: what keeps the process open, in words. */
  | { readonly type: 'finished'; readonly end: ReceptionEnd; readonly held: readonly string[] }

export interface OpenedVersion {
  readonly name: string
  /** The names of the models, by kind. */
  readonly models: Readonly<Record<string, string>>
}

/** Reads what a worker has sent. It runs foreign code, so that it may be anything (HO24). */
export function readDevRequest(value: unknown): DevRequest | undefined {
  const request = (value ?? {}) as Partial<Record<string, unknown>>
  switch (request['type']) {
    case 'print':
      return areTexts(request['lines']) ? (value as DevRequest) : undefined
    case 'json':
      return value as DevRequest
    case 'ended':
      return areTexts(request['lines']) && areTexts([request['call']]) && isObject(request['value'])
        ? (value as DevRequest)
        : undefined
    case 'loaded':
      return areTexts([request['path'], request['fingerprint']]) ? (value as DevRequest) : undefined
    case 'opened':
      return areTexts([request['name'], ...valuesOf(request['models'])]) ? (value as DevRequest) : undefined
    case 'failed':
      return areTexts([request['code'], request['message']]) ? (value as DevRequest) : undefined
    case 'finished':
      return areTexts(request['held']) && isEnd(request['end']) ? (value as DevRequest) : undefined
    default:
      return undefined
  }
}

function areTexts(values: unknown): boolean {
  return Array.isArray(values) && values.every((each) => typeof each === 'string')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function valuesOf(value: unknown): unknown[] {
  return isObject(value) ? Object.values(value) : [undefined]
}

function isEnd(value: unknown): boolean {
  const { clean, took, sessions, notClean } = (value ?? {}) as Partial<ReceptionEnd>
  return typeof clean === 'boolean' && [took, sessions, notClean].every((each) => typeof each === 'number')
}
