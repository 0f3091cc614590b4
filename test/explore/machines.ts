import type { Case } from './case.ts'
import { linkCases } from './link/link-cases.ts'
import { playoutCases } from './playout/playout-cases.ts'
import { sessionCases } from './session/session-cases.ts'
import { turnCases } from './turn/turn-cases.ts'

export const machineNames = ['link', 'playout', 'session', 'turn'] as const
export type MachineName = (typeof machineNames)[number]

/** What is explored of each machine. */
export const machines: Readonly<Record<MachineName, readonly Case[]>> = {
  link: linkCases,
  playout: playoutCases,
  session: sessionCases,
  turn: turnCases,
}
