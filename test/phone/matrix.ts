import { wsNetwork } from '../../src/link/index.ts'
import { liveScopes, systemClock } from '../../src/scope/index.ts'
import { SimRandom } from '../../src/testing/index.ts'
import { waysToEnd } from './ways-to-end.ts'
import { modelNames } from './models.ts'
import { faultyCalls } from './faulty-calls.ts'
import { runFaultyCall } from './run-faulty-call.ts'
import { nameOf, runCase, type Case, type Outcome } from './run-case.ts'

export interface MatrixOptions {
  /** How many calls to end at a random time. */
  readonly random: number
  readonly seed: number
  /** Runs only every Nth of the cases at an event. */
  readonly every: number
  readonly filter: string
  readonly progress: (done: number, of: number) => void
}

export interface MatrixResult {
  readonly outcomes: readonly Outcome[]
  /** How many connections were left after a call, plus the length of `left`. */
  readonly leaked: number
  readonly unreported: number
  /** Timers, scopes and sockets that were left after all calls. */
  readonly left: readonly string[]
}

/** How many calls run at once. They mostly wait. */
const CONCURRENCY = 10
/** How many occurrences of the same event to end a call at. */
const MAX_OCCURRENCES = 4

/** Ends calls at every event and at random times, from every side, and counts what is left. */
export async function runMatrix(options: MatrixOptions): Promise<MatrixResult> {
  const whole = await Promise.all(modelNames.map((models) => runCase({ models })))
  const cases = [...casesAtEvents(whole, options.every), ...randomCases(options)]
  const all = [
    ...faultyCalls
      .filter(({ slow }) => !slow || options.every === 1)
      .map((faulty) => ({ name: faulty.name, run: () => runFaultyCall(faulty) })),
    ...cases.map((one) => ({ name: nameOf(one), run: () => runCase(one) })),
  ].filter(({ name }) => name.includes(options.filter))
  const outcomes: Outcome[] = [...whole]
  const waiting = [...all]
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      outcomes.push(await one.run())
      options.progress(outcomes.length, all.length + whole.length)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
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

/** Ends a call at each event that happens in a whole call. */
function casesAtEvents(whole: readonly Outcome[], every: number): Case[] {
  const cases = whole.flatMap(({ story }, index) => {
    const moments = [...new Set(story)].flatMap((what) => {
      const times = Math.min(MAX_OCCURRENCES, story.filter((each) => each === what).length)
      return Array.from({ length: times }, (_, nth) => ({ what, nth: nth + 1 }))
    })
    return moments.flatMap((moment) =>
      Object.keys(waysToEnd).map((way) => ({ models: modelNames[index]!, way, moment })),
    )
  })
  return cases.filter((_, index) => index % every === 0)
}

function randomCases({ random, seed }: MatrixOptions): Case[] {
  const chance = new SimRandom(seed)
  return Array.from({ length: random }, () => ({
    models: chance.pick(modelNames),
    way: chance.pick(Object.keys(waysToEnd)),
    moment: { after: chance.next() * 5_000 },
  }))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0)
}
