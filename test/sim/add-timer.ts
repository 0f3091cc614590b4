import type { World } from '../../src/testing/index.ts'
import { failAsCallback, nextName, someTime } from './draw.ts'
import type { ScopeFacts } from './facts.ts'

/** Schedules a timer. One callback in ten fails. */
export function addTimer(world: World, owner: ScopeFacts): void {
  const ms = Math.max(1, someTime(world))
  const schedule = (kind: 'after' | 'every', delay: number): void => {
    const name = nextName(kind)
    owner.scope[kind](delay, name, () => {
      if (owner.scope.state !== 'live') owner.timersFiredAfterClosing++
      if (world.random.chance(0.1)) return failAsCallback(name, 'timer failed')
    })
  }
  if (world.random.chance(0.5)) schedule('after', ms)
  else schedule('every', Math.max(100, ms))
}
