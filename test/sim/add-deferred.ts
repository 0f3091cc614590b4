import type { World } from '../../src/testing/index.ts'
import { WorldError, nextName, someTime } from './draw.ts'
import type { DeferredFacts, ScopeFacts } from './facts.ts'

/** Defers work of a random character. */
export function addDeferred(world: World, owner: ScopeFacts): void {
  const { random, clock } = world
  const facts: DeferredFacts = {
    name: nextName('d'),
    phase: random.pick(owner.phases),
    calls: 0,
    beganAt: undefined,
    endedAt: undefined,
    failed: false,
    revoked: false,
  }
  const character = random.weighted({ sync: 2, slow: 4, hangs: 1, throws: 1, rejects: 1 })
  const time = someTime(world)
  world.tell(`deferred ${facts.name} in ${owner.name} is ${character} (${time} ms)`)
  owner.deferred.push(facts)
  const end = (failed: boolean): void => {
    facts.endedAt = clock.now()
    facts.failed = failed
  }
  const runSlowly = async (): Promise<void> => {
    if (character === 'hangs') await new Promise(() => {})
    await clock.elapse(time)
    end(character === 'rejects')
    if (character === 'rejects') throw new WorldError('deferred rejected')
  }
  const work = (): void | Promise<void> => {
    facts.calls++
    facts.beganAt ??= clock.now()
    if (character === 'throws') {
      end(true)
      throw new WorldError('deferred threw')
    }
    if (character === 'sync') return end(false)
    return runSlowly()
  }
  const revoke = owner.scope.defer(facts.name, work, {
    phase: facts.phase,
    ...(random.chance(0.3) ? { cap: someTime(world) } : {}),
  })
  if (random.chance(0.1)) {
    clock.happen(someTime(world), `${facts.name} is revoked`, () => {
      if (owner.scope.state !== 'live') return
      facts.revoked = true
      revoke()
    })
  }
}
