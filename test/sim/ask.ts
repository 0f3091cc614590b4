import type { ScopeReport } from '../../src/scope/index.ts'
import type { World } from '../../src/testing/index.ts'
import { failAsCallback } from './draw.ts'
import type { ScopeFacts } from './facts.ts'

/** Calls `close`, and notes the call and its result. */
export async function ask(
  world: World,
  facts: ScopeFacts,
  close: () => Promise<ScopeReport>,
  closeTimeout?: number,
): Promise<void> {
  const at = world.clock.now()
  // The first call fixes the deadline; later calls change it only if they name a time.
  const first = facts.scope.state === 'live'
  facts.asks.push({ at, deadline: at + (closeTimeout ?? (first ? facts.closeTimeout : Infinity)) })
  try {
    facts.reports.push(await close())
  } catch (error) {
    world.violate('SC2', `close() of ${facts.name} rejected: ${String(error)}`)
    facts.reports.push('rejected')
  }
}

/** Checks that a closing scope accepts nothing new (SC7). */
export function mustRefuseAll(world: World, owner: ScopeFacts): void {
  const { scope } = owner
  mustRefuse(world, owner, 'spawn', () => scope.spawn('too late', () => {}))
  mustRefuse(world, owner, 'timer', () => scope.after(1, 'too late', () => {}))
  mustRefuse(world, owner, 'child', () => scope.child('too late'))
  let aborts = 0
  const abort = (): void => {
    aborts++
    // Not in every life, because the error would keep every report from being clean.
    if (world.seed % 7 === 3) return failAsCallback(owner.name, 'abort of what came too late')
  }
  mustRefuse(world, owner, 'own', () => scope.own('too late', { close() {}, abort }))
  if (aborts !== 1) world.violate('SC7', `${owner.name} aborted ${aborts} times what came too late`)
}

export function mustRefuse(world: World, owner: ScopeFacts, what: string, attempt: () => unknown): void {
  try {
    attempt()
    world.violate('SC7', `${owner.name} accepted: ${what}`)
  } catch (error) {
    refusedWith(world, error)
  }
}

export function refusedWith(world: World, error: unknown): void {
  if ((error as { code?: string }).code !== 'SCOPE_CLOSED')
    world.violate('SC7', `refused with ${String(error)}`)
}
