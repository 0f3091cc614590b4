import { expect, it } from 'vitest'
import { goWrong, wrongs } from './wrongs.ts'

it('a call over real sockets ends well however it goes wrong', async () => {
  const waiting = wrongs.filter(({ slow }) => !slow)
  const failed: string[] = []
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const { name, leaked, unreported, problems } = await goWrong(one)
      if (leaked + unreported + problems.length > 0)
        failed.push(`${name}: ${leaked} left, ${unreported} not reported, ${problems.join('; ')}`)
    }
  }
  // Calls mostly wait.
  await Promise.all(Array.from({ length: 4 }, work))
  expect(failed).toEqual([])
})
