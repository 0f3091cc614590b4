import { describe, expect, it } from 'vitest'
import { ExpectationError } from './expectation.ts'
import type { TurnEvent } from './turn-event.ts'
import { Turn } from './turn-record.ts'

const events: readonly TurnEvent[] = [
  { type: 'message', text: 'Let me look.', agent: 'desk', interrupted: false },
  {
    type: 'toolCall',
    name: 'findSlot',
    input: { day: 'Monday', people: 2 },
    output: { hour: 10 },
    how: 'done',
    mocked: true,
    agent: 'desk',
  },
  {
    type: 'toolCall',
    name: 'charge',
    input: {},
    output: 'card declined',
    how: 'failed',
    mocked: false,
    agent: 'desk',
  },
  { type: 'guardrail', name: 'polite', on: 'output', verdict: 'rude' },
  { type: 'handoff', from: 'desk', to: 'billing' },
  { type: 'approval', name: 'refund', input: { sum: 40 } },
  { type: 'digits', digits: '12' },
  { type: 'keys', keys: '1w2', agent: 'billing', interrupted: false },
  { type: 'error', where: 'speech', error: new Error('the voice broke') },
  { type: 'message', text: 'Your bill', agent: 'billing', interrupted: true },
  { type: 'closed', reason: 'idle' },
]

function turnOf(turnEvents: readonly TurnEvent[] = events, latency?: number): Turn {
  const entries = turnEvents.map((event, index) => ({ key: String(index), event }))
  return new Turn('Any time on Monday?', { entries: () => entries, latency: () => latency })
}

function failureOf(check: () => unknown): ExpectationError {
  try {
    check()
  } catch (error) {
    if (error instanceof ExpectationError) return error
    throw error
  }
  throw new Error('the expectation was met')
}

describe('an expectation', () => {
  it('matches the events of a turn in order', () => {
    turnOf()
      .expect.message('look')
      .toolCall('findSlot', { day: 'Monday' }, { hour: 10 })
      .failedToolCall('charge', /declined/)
      .guardrail('polite', 'rude')
      .handoff('billing')
      .approval('refund', { sum: 40 })
      .digits('12')
      .keys('1w2')
      .error('speech: the voice broke')
      .interruptedMessage(/^Your bill$/)
      .closed('idle')
      .nothingElse()
  })

  it('skips events in between, and remembers its position between statements', () => {
    const turn = turnOf()
    turn.expect.toolCall('findSlot')
    turn.expect.message('Your bill')
    expect(failureOf(() => turn.expect.message()).message).toMatch(
      /^expected a message after 'billing: Your bill —'\. There is one before it: expectations are checked in order\n/,
    )
  })

  it('matches an event only once', () => {
    const turn = turnOf([{ type: 'handoff', from: 'desk', to: 'billing' }])
    turn.expect.handoff('billing')
    failureOf(() => turn.expect.handoff('billing'))
  })

  it('matches no event if it fails', () => {
    const turn = turnOf()
    failureOf(() => turn.expect.handoff('sales'))
    turn.expect.message('Let me look.')
  })

  it.each<[string, (turn: Turn) => unknown]>([
    ['message', (turn) => turn.expect.message('Tuesday')],
    ['interrupted message', (turn) => turn.expect.interruptedMessage('look')],
    ['tool call of this name', (turn) => turn.expect.toolCall('bookSlot')],
    ['tool call with this input', (turn) => turn.expect.toolCall('findSlot', { day: 'Tuesday' })],
    ['tool call with this output', (turn) => turn.expect.toolCall('findSlot', {}, { hour: 11 })],
    ['successful tool call', (turn) => turn.expect.toolCall('charge')],
    ['failed tool call', (turn) => turn.expect.failedToolCall('findSlot')],
    ['failed tool call with this error', (turn) => turn.expect.failedToolCall('charge', 'timeout')],
    ['handoff', (turn) => turn.expect.handoff('desk')],
    ['guardrail', (turn) => turn.expect.guardrail('honest')],
    ['guardrail with this verdict', (turn) => turn.expect.guardrail('polite', 'loud')],
    ['approval', (turn) => turn.expect.approval('refund', { sum: 50 })],
    ['digits', (turn) => turn.expect.digits('1')],
    ['keys', (turn) => turn.expect.keys('1')],
    ['error', (turn) => turn.expect.error('line')],
    ['end with this reason', (turn) => turn.expect.closed('requested')],
    ['turn without a message', (turn) => turn.expect.noMessage()],
    ['turn without such a message', (turn) => turn.expect.noMessage(/bill/)],
    ['turn without a tool call', (turn) => turn.expect.noToolCall()],
    ['turn without a call of this tool', (turn) => turn.expect.noToolCall('charge')],
    ['turn without a handoff', (turn) => turn.expect.noHandoff()],
    ['turn without an error', (turn) => turn.expect.noError()],
    ['answer in time', (turn) => turn.expect.answeredWithin(1_000)],
  ])('fails on a mismatch: %s', (_, check) => {
    expect(failureOf(() => check(turnOf()))).toMatchObject({
      code: 'EXPECTATION',
      message: expect.stringMatching(/^expected [^]*\n\nthe turn:\n {4}caller +Any time on Monday\?\n/),
    })
  })

  it('holds for the absence of events', () => {
    turnOf([]).expect.noMessage().noToolCall().noHandoff().noError().nothingElse()
    turnOf()
      .expect.noMessage(/Tuesday/)
      .noToolCall('bookSlot')
    turnOf([], 400).expect.answeredWithin(400)
    failureOf(() => turnOf([], 401).expect.answeredWithin(400))
  })

  it('shows the whole turn if it fails, with ticks at matched events', () => {
    const turn = turnOf(events.slice(0, 3))
    turn.expect.toolCall('findSlot')
    const { message, expected, actual } = failureOf(() => turn.expect.nothingElse())
    expect(message).toBe(
      `expected nothing else, but there was
  desk: Let me look.
  charge: {} → failed: card declined

the turn:
    caller           Any time on Monday?
    desk             Let me look.
  ✓ findSlot (mock)  { day: 'Monday', people: 2 } → { hour: 10 }
    charge           {} → failed: card declined`,
    )
    expect(expected).toEqual(["findSlot (mock): { day: 'Monday', people: 2 } → { hour: 10 }"])
    expect(actual).toHaveLength(3)
  })

  it('has `expected` and `actual` for a diff if it fails', () => {
    const call = failureOf(() => turnOf(events.slice(0, 2)).expect.toolCall('findSlot', { day: 'Tuesday' }))
    expect(call).toMatchObject({
      expected: { name: 'findSlot', input: { day: 'Tuesday' } },
      actual: { name: 'findSlot', input: { day: 'Monday', people: 2 } },
    })
    const message = failureOf(() => turnOf().expect.message(/Tuesday/))
    expect(message).toMatchObject({ expected: '/Tuesday/', actual: ['Let me look.', 'Your bill'] })
  })
})
