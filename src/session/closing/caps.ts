import type { OptionNames } from '../../scope/index.ts'
import type { SessionBook } from './session-book.ts'

/** What a session may use before it says goodbye (CL14). */
export interface Budget {
  readonly tokens?: number
  readonly toolCalls?: number
  /** Milliseconds of sound made by the agent. */
  readonly sound?: number
  /** What the models may cost, in the currency of `prices`. */
  readonly cost?: number
}

export const budgetNames: OptionNames<Budget> = {
  tokens: true,
  toolCalls: true,
  sound: true,
  cost: true,
}

/** Limits on silence, duration and cost that end a session. Each warns first (CL14). */
export type Cap = 'idle' | 'max-duration' | 'budget'

export const capNames: OptionNames<Record<Cap, string>> = { idle: true, 'max-duration': true, budget: true }

/** How long before its end a session is warned, in milliseconds, and at which share of its budget. */
const WARNING = 30_000
export const WARNING_SHARE = 0.8

/** How long before a time limit the warning comes: never before half of the limit has passed. */
export const warningAhead = (limit: number): number => Math.min(WARNING, limit / 2)

/** When the warning about `maxDuration` comes, counted from the start. */
export const maxDurationWarning = (maxDuration: number): number => maxDuration - warningAhead(maxDuration)

/** How long both sides are silent before the user is warned. The session ends `idleEnd` later. */
export const idleWarning = (idleTimeout: number): number => idleTimeout - warningAhead(idleTimeout)
export const idleEnd = warningAhead

/** The used share of the budget item that is closest to its limit. */
export function spentShare(budget: Budget, book: SessionBook): number {
  return Math.max(
    budget.tokens === undefined ? 0 : tokensOf(book) / budget.tokens,
    budget.toolCalls === undefined ? 0 : book.toolCalls / budget.toolCalls,
    budget.sound === undefined ? 0 : book.sound / budget.sound,
    budget.cost === undefined ? 0 : (book.cost?.total ?? 0) / budget.cost,
  )
}

function tokensOf({ usage }: SessionBook): number {
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
}
