import { expect, it } from 'vitest'
import { runMatrix } from './matrix.ts'

it(
  'a call over real sockets leaves nothing behind, whichever side hangs up, at any moment',
  { timeout: 180_000 },
  async () => {
    const result = await runMatrix({ random: 6, seed: 2, every: 61, filter: ' at ', progress: () => {} })
    expect(result.outcomes.filter(({ problems }) => problems.length > 0)).toEqual([])
    expect([result.leaked, result.unreported, result.left]).toEqual([0, 0, []])
  },
)
