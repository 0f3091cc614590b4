import { expect, it } from 'vitest'
import { runMoment } from './moments.ts'

/** `npm run phone -- --matrix` has more. */
const SEEDS = 60

it('[DI1] [DI2] [TR2] [TR5] [MD1] [MD6] [MD7] [KY9] [RC1] calls out, messages, transfers, keys and recordings end well at any moment, however rude the carrier', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { leaked, unreported, ringsOn, cutOff, story, problem } = await runMoment(seed)
    const found = { leaked, unreported, ringsOn, cutOff, problem }
    expect(found, `seed ${seed}: ${story.join(' · ')}`).toEqual({
      leaked: 0,
      unreported: 0,
      ringsOn: 0,
      cutOff: 0,
      problem: undefined,
    })
  }
})
