import { describe, expect, it } from 'vitest'
import type { SessionSummary } from '../../src/host/index.ts'
import type { TurnStage } from '../../src/session/index.ts'
import { firstWordsOf } from '../../studio/src/sessions/first-words.ts'
import { listFiguresOf } from '../../studio/src/sessions/list-figures.ts'
import { conditionOf, everything, listStateOf, searchOf } from '../../studio/src/sessions/list-state.ts'

const ended = (changes: Partial<SessionSummary>): SessionSummary => ({
  id: 'a',
  state: 'closed',
  addedAt: 0,
  turns: 1,
  errors: 0,
  clean: true,
  ...changes,
})

describe('the state of the list', () => {
  it('is in the address, and what is not valid there is ignored', () => {
    const state = { filter: 'went wrong', period: 'day', sort: 'dearest', query: 'a & b' } as const
    expect(listStateOf(searchOf(state))).toEqual(state)
    expect(searchOf(everything)).toBe('')
    expect(listStateOf('filter=toString&sort=prettiest&period=')).toEqual(everything)
  })

  it('[ST5] asks the host for what is wanted', () => {
    const state = { filter: 'went wrong', period: 'day', sort: 'slowest', query: ' tooth & nail ' } as const
    expect(conditionOf(state, 100_000_000)).toBe(
      'q=tooth%20%26%20nail&wrong=true&since=13600000&sort=slowest',
    )
    expect(conditionOf(everything, 1)).toBe('q=&sort=newest')
  })
})

describe('the figures of a list', () => {
  it('[ST5] say how many calls went wrong, how long callers waited, and what the calls cost', () => {
    const latency = (p50: number, p95: number, stage: TurnStage) => ({ latency: { p50, p95, stage } })
    const cost = (total: number) => ({ cost: { total, currency: 'USD' } })
    expect(
      listFiguresOf([
        ended({ ...latency(400, 900, 'model'), ...cost(0.1) }),
        ended({ ...latency(600, 2_400, 'voice'), ...cost(0.2), clean: false }),
        ended({ ...latency(500, 1_000, 'voice'), ...cost(0.3), failedTools: ['book'] }),
        { ...ended({}), state: 'live' },
      ]),
    ).toEqual({
      calls: 4,
      live: 1,
      wrong: 2,
      p50: 500,
      p95: 2_400,
      stage: 'voice',
      cost: '$0.6000',
      perCall: '$0.2000',
      unpriced: 0,
    })
  })

  it('do not add different currencies up, and count what has no price', () => {
    const figures = listFiguresOf([
      ended({ cost: { total: 1.5, currency: 'USD' } }),
      ended({ cost: { total: 2, currency: 'EUR', unpriced: ['rime'] } }),
      ended({}),
      ended({ turns: 0 }),
    ])
    expect(figures).toMatchObject({ cost: '$1.50 + €2.00', perCall: undefined, unpriced: 2 })
    expect(listFiguresOf([])).toMatchObject({ calls: 0, p50: undefined, cost: undefined, unpriced: 0 })
  })
})

describe('the title of a call', () => {
  it('has its first words, and says so if they are those of the agent', () => {
    expect(firstWordsOf(ended({ words: 'When are you open?' }))).toBe('When are you open?')
    expect(firstWordsOf(ended({ words: 'Bright Dental!', turns: 0 }))).toBe('Agent: Bright Dental!')
    expect(firstWordsOf(ended({ turns: 0 }))).toBe('Nothing was said')
    expect(firstWordsOf({ ...ended({ turns: 0 }), state: 'live' })).toBe('Nothing said yet')
  })
})
