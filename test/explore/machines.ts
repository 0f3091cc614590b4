import type { Case } from './case.ts'
import { turnCases } from './turn/turn-cases.ts'

/** What is explored of each machine. */
export const machines: Readonly<Record<string, readonly Case[]>> = {
  turn: turnCases,
}
