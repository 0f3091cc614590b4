import { wsNetwork } from '../../src/link/index.ts'
import { liveScopes, systemClock } from '../../src/scope/index.ts'
import { SimRandom } from '../../src/testing/index.ts'
import { enders } from './enders.ts'
import { minds } from './minds.ts'
import { goWrong, wrongs } from './wrongs.ts'
import { nameOf, runCase, type Case, type Outcome } from './run-case.ts'

export interface MatrixOptions {
  /** Instants drawn by chance. */
  readonly random: number
  readonly seed: number
  /** Every so many of the cases at an event: 1 is all. */
  readonly every: number
  readonly filter: string
  readonly progress: (done: number, of: number) => void
}

export interface MatrixResult {
  readonly outcomes: readonly Outcome[]
  /** Connections that were left after a call, and timers, scopes and sockets that were left after all. */
  readonly leaked: number
  readonly unreported: number
  readonly left: readonly string[]
}

/** Calls at a time: they mostly wait. */
const AT_ONCE = 10
/** Of what happens often, the first few times are moments enough. */
const TIMES = 4

/** Ends calls at every event and at random instants, by every side, and counts. */
export async function runMatrix(options: MatrixOptions): Promise<MatrixResult> {
  const whole = await Promise.all(minds.map((mind) => runCase({ mind })))
  const cases = [...casesAtEvents(whole, options.every), ...casesByChance(options)]
  const all = [
    ...wrongs
      .filter(({ slow }) => !slow || options.every === 1)
      .map((wrong) => ({ name: wrong.name, live: () => goWrong(wrong) })),
    ...cases.map((one) => ({ name: nameOf(one), live: () => runCase(one) })),
  ].filter(({ name }) => name.includes(options.filter))
  const outcomes: Outcome[] = [...whole]
  const waiting = [...all]
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      outcomes.push(await one.live())
      options.progress(outcomes.length, all.length + whole.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const left = [systemClock.timers, liveScopes, wsNetwork.sockets]
    .flatMap((registry) => registry.list())
    .map(({ kind, name }) => `${kind} '${name}'`)
  return {
    outcomes,
    left,
    leaked: sum(outcomes.map(({ leaked }) => leaked)) + left.length,
    unreported: sum(outcomes.map(({ unreported }) => unreported)),
  }
}

/** Everything that happens in a whole call is a moment to end it. */
function casesAtEvents(whole: readonly Outcome[], every: number): Case[] {
  const cases = whole.flatMap(({ story }, index) => {
    const moments = [...new Set(story)].flatMap((what) => {
      const times = Math.min(TIMES, story.filter((each) => each === what).length)
      return Array.from({ length: times }, (_, nth) => ({ what, nth: nth + 1 }))
    })
    return moments.flatMap((moment) =>
      Object.keys(enders).map((ender) => ({ mind: minds[index]!, ender, moment })),
    )
  })
  return cases.filter((_, index) => index % every === 0)
}

function casesByChance({ random, seed }: MatrixOptions): Case[] {
  const chance = new SimRandom(seed)
  return Array.from({ length: random }, () => ({
    mind: chance.pick(minds),
    ender: chance.pick(Object.keys(enders)),
    moment: { after: chance.next() * 5_000 },
  }))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0)
}
