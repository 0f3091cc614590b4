import { describe, expect, it } from 'vitest'
import { formatSession, type SessionReport } from '../../session/index.ts'
import { samples } from '../../testing/journal-conformance/index.ts'
import { outcomeOf } from '../archive.ts'
import type { Entry, LostCall } from '../journal/journal.ts'
import { itemsOf, lostReport } from './lost-report.ts'

const { OPENED, message, toolCall } = samples

const lost = (...entries: Entry[]): LostCall => ({
  id: 'c1',
  state: 'live',
  host: 'h1',
  fence: 2,
  agent: 'desk',
  line: 'phone',
  openedAt: OPENED,
  entries,
})

const calls: readonly [string, LostCall][] = [
  ['without a word', lost()],
  ['with words and a tool', lost(message(1, 'hello'), toolCall(2, '{}', 'fine'), message(3, 'thanks'))],
]

describe('the report of a lost call', () => {
  it.each(calls)('[HO34] can be printed, sent and shown in a list, for a call %s', (_, call) => {
    const report = lostReport(call, OPENED + 60_000)
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
    const text = formatSession(JSON.parse(JSON.stringify(report)) as SessionReport)
    expect(text).toContain('host-lost')
    expect(text).toContain('the process that served the call is gone')
    expect(outcomeOf(report)).toMatchObject({ reason: 'host-lost', clean: false, by: 'host' })
  })

  it('[HO4] names the culprit', () => {
    const report = lostReport(lost(), OPENED, 'the event loop was blocked by spin (agent.ts:12)')
    expect(formatSession(report)).toContain('spin (agent.ts:12)')
  })

  it('has what was said, with the latest version of each item in its place', () => {
    const first = message(1, 'hel')
    const later = { ...message(3, 'hello'), item: { ...message(1, 'hello').item } }
    const call = lost(first, message(2, 'yes'), later)
    expect(itemsOf(call).map((item) => (item.type === 'message' ? item.text : ''))).toEqual(['hello', 'yes'])
    const report = lostReport(call, OPENED + 60_000)
    expect(report.transcript).toEqual(itemsOf(call))
    expect(report).toMatchObject({
      lived: 3,
      usage: { turns: 2, toolCalls: 0 },
      askedAt: new Date(OPENED + 60_000).toISOString(),
    })
  })

  it('counts from the opening if the clock went back', () => {
    expect(lostReport(lost({ ...message(1, 'hi'), at: OPENED - 5_000 }), OPENED).lived).toBe(0)
  })
})
