import { Effect, Exit, Scope } from 'effect'

import type { Sample } from '../bench.ts'
import { perCall } from '../sampling.ts'
import { timeFamily, untilAborted, weighFamily, type Family } from './children.ts'

/** Forks the children in a scope, which costs the same as a `FiberSet` for many tasks and less for ten. */
const family: Family = (count, children, live) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      for (let i = 0; i < count; i++) {
        const child = Effect.promise((signal) => untilAborted(children, signal))
        yield* Effect.forkIn(child, scope, { startImmediately: true })
      }
      const wait = live()
      if (wait) yield* Effect.promise(() => wait)
      yield* Scope.close(scope, Exit.void)
    }),
  )

export async function measure(): Promise<Sample> {
  const times = await timeFamily(family)
  const empty = await perCall(() => Effect.runPromise(Effect.scoped(Effect.void)))
  return { ...times, empty, ...(await weighFamily(family)) }
}
