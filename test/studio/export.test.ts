import { expect, it } from 'vitest'
import { csvOf } from '../../studio/src/sessions/export.ts'

it('a list of sessions becomes a table for a spreadsheet, in which no text is a formula', () => {
  const csv = csvOf([
    {
      id: 'one',
      state: 'closed',
      addedAt: 0,
      closedAt: 1_000,
      turns: 2,
      errors: 0,
      clean: true,
      lived: 61_000,
      took: 12,
      ended: 'hung-up',
      reason: 'caller-hung-up',
      from: '+4930123456',
      words: '=HYPERLINK("http://x")',
      latency: { p50: 420, p95: 1_700, stage: 'model' },
      cost: { total: 0.0123, currency: 'USD', unpriced: ['rime'] },
      failedTools: ['book', 'find'],
    },
    { id: 'two', state: 'live', addedAt: 5, turns: 0, errors: 0, words: 'Hello, "you"' },
  ])
  const [head, one, two, end] = csv.split('\r\n')
  expect(head).toMatch(/^id,startedAt,endedAt,/)
  expect(one).toBe(
    `one,1970-01-01T00:00:00.000Z,1970-01-01T00:00:01.000Z,,'+4930123456,closed,hung-up,caller-hung-up,true,"The tool book, the tool find failed",,book find,0,2,61000,420,1700,model,0.0123,USD,rime,12,"'=HYPERLINK(""http://x"")"`,
  )
  expect(two).toMatch(/,"Hello, ""you"""$/)
  expect(end).toBe('')
})
