import { percentileOf, wentWrong, type SessionSummary } from '../../../src/host/wire/index.ts'
import type { TurnStage } from '../../../src/session/index.ts'
import { moneyText } from '../shared/texts.ts'

/** What a list of calls adds up to. */
export interface ListFigures {
  readonly calls: number
  readonly live: number
  readonly wrong: number
  /** The response times of a typical call, in milliseconds. Undefined if no turn was answered. */
  readonly p50: number | undefined
  readonly p95: number | undefined
  /** The stage that took most of the time in most of the calls. */
  readonly stage: TurnStage | undefined
  /** `$0.12`. Several amounts if there are several currencies. Undefined if no cost is known. */
  readonly cost: string | undefined
  /** Undefined if there are several currencies. */
  readonly perCall: string | undefined
  /** How many calls have ended without a known cost, or used a model that has no price. */
  readonly unpriced: number
}

export function listFiguresOf(sessions: readonly SessionSummary[]): ListFigures {
  const latencies = sessions.flatMap(({ latency }) => (latency ? [latency] : []))
  const ended = sessions.filter(({ state }) => state === 'closed')
  return {
    calls: sessions.length,
    live: sessions.length - ended.length,
    wrong: ended.filter((session) => wentWrong(session)).length,
    p50: percentileOf(
      latencies.map(({ p50 }) => p50),
      0.5,
    ),
    p95: percentileOf(
      latencies.map(({ p95 }) => p95),
      0.95,
    ),
    stage: mostFrequent(latencies.flatMap(({ stage }) => stage ?? [])),
    ...costsOf(ended),
    unpriced: ended.filter(({ cost, turns }) => (cost ? cost.unpriced : turns > 0)).length,
  }
}

function mostFrequent<Value>(values: readonly Value[]): Value | undefined {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}

function costsOf(sessions: readonly SessionSummary[]): Pick<ListFigures, 'cost' | 'perCall'> {
  const costs = sessions.flatMap(({ cost }) => (cost ? [cost] : []))
  const sums = new Map<string | undefined, number>()
  for (const { currency, total } of costs) sums.set(currency, (sums.get(currency) ?? 0) + total)
  const [first] = sums
  if (!first) return { cost: undefined, perCall: undefined }
  const [currency, sum] = first
  return {
    cost: [...sums].map(([each, total]) => moneyText(total, each)).join(' + '),
    perCall: sums.size === 1 ? moneyText(sum / costs.length, currency) : undefined,
  }
}
