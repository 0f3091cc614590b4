import type { Fault } from '../../src/testing/index.ts'
import { moments } from './moments.ts'
import { rudeCasts } from './rude-casts.ts'
import { runCase, type Case } from './run-case.ts'
import { triggers } from './triggers.ts'
import { wedges } from './wedges.ts'

/** The ways in which a step is made to misbehave, by the word that stands in a case's name. */
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
    Object.keys(triggers).map((trigger) => ({ name: `${trigger} · ${moment}`, trigger, moment })),
  )
}

/** The same with one model that does it all: it prepares nothing. */
function realtimeCases(): Case[] {
  return healthyCases()
    .filter(({ moment }) => moment !== 'preemptive')
    .map((healthy) => ({
      ...healthy,
      name: `${healthy.name} · realtime`,
      cast: { ...moments[healthy.moment]!.cast, realtime: {} },
    }))
}

/**
 * The healthy case, and then each of its steps made to misbehave in every way. Which steps there are is asked of the
 * healthy run, so that a step that is new in the runtime is faulted without anybody remembering to.
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

/** A whole cast that misbehaves, at every moment and ended in every way. */
export function rudeCases(): Case[] {
  return Object.entries(rudeCasts).flatMap(([group, { cast, spoil }]) =>
    healthyCases().map((healthy) => ({
      ...healthy,
      name: `${healthy.name} · ${group}`,
      group,
      cast: { ...moments[healthy.moment]!.cast, ...cast },
      ...(spoil ? { spoil } : {}),
    })),
  )
}

export async function* allCases(): AsyncGenerator<Case> {
  const healthy = healthyCases()
  yield* wedges
  yield* healthy
  yield* rudeCases()
  const realtime = realtimeCases()
  yield* realtime
  for (const one of [...healthy, ...realtime]) yield* faultedCases(one)
}
