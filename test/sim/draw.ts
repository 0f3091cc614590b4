import type { World } from '../../src/testing/index.ts'

/** The error of code that the world made fail. */
export class WorldError extends Error {
  override readonly name = 'WorldError'
}

/** Times worth trying: zero, short, about a cap, about a deadline, and far beyond. */
export function someTime(world: World): number {
  return world.random.pick([0, 0, 1, 5, 20, 100, 250, 900, 1_000, 2_000, 4_900, 6_000, 20_000])
}

let serial = 0

/** Names start again with every life, so that a seed always gives the same story. */
export function restartNames(): void {
  serial = 0
}

export function nextName(kind: string): string {
  return `${kind}${++serial}`
}

// Some variety comes from the name and not from `world.random`: an additional draw would turn every seed in
// regressions.txt into another life.

/** True for every other name. */
export function isEven(name: string): boolean {
  return Number(/\d+$/.exec(name)?.[0] ?? 0) % 2 === 0
}

/** Fails as a callback can: by throwing, or as an async function whose promise rejects (SC19). */
export function failAsCallback(name: string, message: string): void {
  const error = new WorldError(message)
  if (isEven(name)) return Promise.reject(error) as never
  throw error
}

/** The error of a library whose signal aborted: some wrap the reason, axios and others do not (SC10). */
export function cancelErrorOfLibrary(reason: unknown): Error {
  const canceled = Object.assign(new Error('canceled'), { name: 'CanceledError', code: 'ERR_CANCELED' })
  return reason === undefined ? canceled : new Error('the request failed', { cause: reason })
}
