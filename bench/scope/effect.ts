import { Effect, Exit, Scope } from 'effect'

import type { Sample } from '../bench.ts'
import { perCall } from '../sampling.ts'
import { measureFamily, untilAborted, type Family } from './children.ts'

/** Forked in a scope, which costs the same as a `FiberSet` for many and less for ten. */
const family: Family = (count, children, live) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      for (let i = 0; i < count; i++) {
        const child = Effect.promise((signal) => untilAborted(children, signal))
        yield* Effect.forkIn(child, scope, { startImmediately: true })
      }
      live()
      yield* Scope.close(scope, Exit.void)
    }),
  )

export async function measure(weigh: boolean): Promise<Sample> {
  const tasks = await measureFamily(family, weigh)
  const empty = await perCall(() => Effect.runPromise(Effect.scoped(Effect.void)))
  return { ...tasks, empty }
}
