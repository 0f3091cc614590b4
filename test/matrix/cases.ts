import type { Fault } from '../../src/testing/index.ts'
import { moments } from './moments.ts'
import { misbehavingParts } from './misbehaving-parts.ts'
import { runCase, type Case } from './run-case.ts'
import { callEnds } from '../../src/testing/call-ends.ts'
import { knownHangs } from './known-hangs.ts'

/** The faults that a step can get, by how they appear in the name of a case. */
export const faults: Readonly<Record<string, Fault>> = {
  hangs: 'hang',
  throws: 'throw',
  rejects: 'reject',
  'ignores its signal': 'ignore-signal',
  'is late': { late: 300 },
  'rejects after the deadline': { late: 9_000, fails: true },
}

/** Every trigger at every moment, without a fault. */
export function healthyCases(): Case[] {
  return Object.keys(moments).flatMap((moment) =>
    Object.keys(callEnds).map((trigger) => ({ name: `${trigger} · ${moment}`, trigger, moment })),
  )
}

/** The same with a realtime model, which never begins a reply early. */
function realtimeCases(): Case[] {
  return healthyCases()
    .filter(({ moment }) => moment !== 'preemptive')
    .map((healthy) => ({
      ...healthy,
      name: `${healthy.name} · realtime`,
      call: { ...moments[healthy.moment]!.call, realtime: {} },
    }))
}

/**
 * Yields the case with a fault in each of its steps, for every kind of fault. The steps are those of the healthy run, so
 * that a new step of the runtime gets faults automatically.
 */
export async function* faultedCases(healthy: Case): AsyncGenerator<Case> {
  const { outcome, steps } = await runCase(healthy)
  if (outcome === 'unreachable') return
  for (const step of steps) {
    for (const [word, fault] of Object.entries(faults)) {
      yield { ...healthy, name: `${healthy.name} · ${step} ${word}`, step, fault }
    }
  }
}

/** Every trigger at every moment, with misbehaving parts. */
export function misbehavingCases(): Case[] {
  return Object.entries(misbehavingParts).flatMap(([group, { call, tamper }]) =>
    healthyCases().map((healthy) => ({
      ...healthy,
      name: `${healthy.name} · ${group}`,
      group,
      call: { ...moments[healthy.moment]!.call, ...call },
      ...(tamper ? { tamper } : {}),
    })),
  )
}

export async function* allCases(): AsyncGenerator<Case> {
  const healthy = healthyCases()
  yield* knownHangs
  yield* healthy
  yield* misbehavingCases()
  const realtime = realtimeCases()
  yield* realtime
  for (const one of [...healthy, ...realtime]) yield* faultedCases(one)
}
