import { callEnds } from '../call-ends.ts'
import { SimRandom } from '../sim-random.ts'
import type { CallRecord } from './call-record.ts'
import { huntTroubles, type HuntCase, type HuntTrouble } from './hunt-case.ts'
import { chooseMoments, type ChosenMoment } from './moments.ts'

type Unnumbered = Omit<HuntCase, 'number'>

/** The share of moments at which a call is ended in each of the other ways, and interrupted. */
const OTHER_SHARE = 1 / 6

/** How often a call with a trouble is hung up. */
const TROUBLED_MOMENTS = 2

/**
 * Lists the cases of a hunt: every conversation to its end; hung up at every moment; ended in every other way, and interrupted, at
 * some; and with every trouble. Conversations take turns, so that a hunt that is cut short has tried something of each. The
 * same seed and the same conversations give the same list.
 */
export function planCases(
  healthy: readonly CallRecord[],
  {
    seed,
    moments,
    isRealtime,
  }: { readonly seed: number; readonly moments: number; readonly isRealtime: boolean },
): HuntCase[] {
  const troubles = huntTroubles(isRealtime)
  const random = new SimRandom(seed)
  const chosen = healthy.map(({ anchors }) => chooseMoments(anchors, moments, random))
  const each = (make: (record: CallRecord, own: readonly ChosenMoment[]) => Unnumbered[]): Unnumbered[] =>
    inTurns(healthy.map((record, index) => make(record, chosen[index]!)))
  const cases = [
    ...each(({ case: { conversation } }) => [{ conversation, act: 'finishes', withHandlers: true }]),
    ...each(({ case: { conversation } }, own) =>
      own.map((moment) => ({ conversation, act: 'hangs-up', moment })),
    ),
    ...each(({ case: one }, own) => otherActs(one, own, random)),
    ...each(({ case: one }, own) => troubled(one, own, troubles, random)),
  ]
  return cases.map((one, index) => ({ ...one, number: index + 1 }))
}

function otherActs(
  { conversation }: HuntCase,
  own: readonly ChosenMoment[],
  random: SimRandom,
): Unnumbered[] {
  const acts = [...Object.keys(callEnds).filter((act) => act !== 'hangs-up'), 'interrupts']
  return acts.flatMap((act) =>
    some(own, Math.ceil(own.length * OTHER_SHARE), random).map((moment, index) => ({
      conversation,
      act,
      moment,
      ...(index === 0 ? { withHandlers: true } : {}),
    })),
  )
}

function troubled(
  { conversation }: HuntCase,
  own: readonly ChosenMoment[],
  troubles: readonly HuntTrouble[],
  random: SimRandom,
): Unnumbered[] {
  // A hunt at few moments is a quick one: each conversation has only some of the troubles.
  const chosen = pickSome(troubles, Math.min(troubles.length, own.length), random)
  return chosen.flatMap((trouble) => [
    { conversation, act: 'finishes', trouble, ...(trouble.servers ? { withHandlers: true } : {}) },
    ...some(own, TROUBLED_MOMENTS, random).map((moment) => ({
      conversation,
      act: 'hangs-up',
      moment,
      trouble,
    })),
  ])
}

function pickSome<T>(all: readonly T[], count: number, random: SimRandom): T[] {
  return all
    .map((one) => ({ one, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .slice(0, count)
    .map(({ one }) => one)
}

/** Picks some moments, most of them while code of the agent runs. */
function some(own: readonly ChosenMoment[], count: number, random: SimRandom): ChosenMoment[] {
  const left = own.map((moment) => ({ moment, weight: random.next() - (moment.busy ? 1 : 0) }))
  return left
    .toSorted((one, other) => one.weight - other.weight)
    .slice(0, count)
    .map(({ moment }) => moment)
}

/** The first of each list, then the second of each, and so on. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat()
}
