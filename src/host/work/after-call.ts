import { OptionError } from '../../scope/index.ts'
import type { SessionReport } from '../../session/index.ts'
import { limits } from './limits.ts'

export interface AfterCallContext {
  /** The same for every attempt at this work, and for no other work. Receivers recognise a repetition by it. */
  readonly key: string
  /** The id of the call. */
  readonly call: string
  /** Counts from 1. An attempt that was cut off by a crash counts, too. */
  readonly attempt: number
  /** The W3C `traceparent` of the request that began the call. */
  readonly trace?: string
  /** Aborts when the time is up, when another process has taken the work over, and shortly before this process ends. */
  readonly signal: AbortSignal
}

/**
 * Runs after a call, in a process of its own, at least once (HO2). The work is done when the handler returns. If the
 * handler throws, the work is retried with backoff for three days.
 */
export type AfterCallHandler = (report: SessionReport, context: AfterCallContext) => unknown

/** The after-call handlers of an agent file by name. The journal has only the name, so renaming one orphans its work. */
export type AfterCallHandlers = Readonly<Record<string, AfterCallHandler>>

const NAME = /^[\w.-]{1,64}$/

/** What is wrong with the `afterCall` of an agent file; undefined if nothing is. */
export function handlersProblem(handlers: unknown): string | undefined {
  if (typeof handlers !== 'object' || handlers === null || Array.isArray(handlers))
    return 'afterCall must be an object with a function per name: { saveTranscript(report) { … } }'
  const entries = Object.entries(handlers)
  if (entries.length > limits.handlers) return `afterCall must have ${limits.handlers} handlers at most`
  for (const [name, handler] of entries) {
    if (!NAME.test(name))
      return `afterCall: the name '${name}' must be 1 to 64 letters, digits, '_', '-' or '.'`
    if (typeof handler !== 'function') return `afterCall: '${name}' must be a function`
  }
  return undefined
}

/** The handlers by name. A map, because the names that are looked up come from the journal: `constructor` is not one. */
export function handlersByName(handlers: AfterCallHandlers): ReadonlyMap<string, AfterCallHandler> {
  const problem = handlersProblem(handlers)
  if (problem !== undefined) throw new OptionError(problem)
  return new Map(Object.entries(handlers))
}
