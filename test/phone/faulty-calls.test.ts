import { expect, it } from 'vitest'
import { faultyCalls } from './faulty-calls.ts'
import { runFaultyCall } from './run-faulty-call.ts'

it('a call over real sockets ends well with every kind of failure', async () => {
  const waiting = faultyCalls.filter(({ slow }) => !slow)
  const failed: string[] = []
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const { name, leaked, unreported, problems } = await runFaultyCall(one)
      if (leaked + unreported + problems.length > 0)
        failed.push(`${name}: ${leaked} left, ${unreported} not reported, ${problems.join('; ')}`)
    }
  }
  // A call mostly waits, so four run at a time.
  await Promise.all(Array.from({ length: 4 }, work))
  expect(failed).toEqual([])
})
