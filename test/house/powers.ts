/**
 * Features of the platform that code may use only in a few places (SC17), and `race`: `Promise.race` keeps its losers until
 * the longest promise settles. `disguise` is code that may hide any of them: `globalThis[name]`, `const P = Promise`.
 */
export type Power = 'timers' | 'immediate' | 'now' | 'chance' | 'sockets' | 'race' | 'disguise'

type Powers = ReadonlyMap<string, Power>

const powers = (table: Record<string, Power>): Powers => new Map(Object.entries(table))

export const globals = powers({
  setTimeout: 'timers',
  setInterval: 'timers',
  setImmediate: 'immediate',
  performance: 'now',
  WebSocket: 'sockets',
  EventSource: 'sockets',
})

export const globalObjects = ['globalThis', 'global', 'window', 'self']

export const members: ReadonlyMap<string, Powers> = new Map([
  ...globalObjects.map((name) => [name, globals] as const),
  ['AbortSignal', powers({ timeout: 'timers' })],
  ['Atomics', powers({ wait: 'timers', waitAsync: 'timers' })],
  ['Date', powers({ now: 'now' })],
  ['Math', powers({ random: 'chance' })],
  ['Promise', powers({ race: 'race' })],
  ['crypto', powers({ randomUUID: 'chance', getRandomValues: 'chance' })],
  ['process', powers({ hrtime: 'now', getBuiltinModule: 'disguise' })],
])

/** Modules that give a power as a whole, without `node:`. */
export const modules = powers({
  timers: 'timers',
  'timers/promises': 'timers',
  perf_hooks: 'now',
  ws: 'sockets',
})

/** The power that one export of an otherwise harmless module gives. */
export function powerOfExport(module: string, name: string): Power | undefined {
  if (module === 'crypto' && /^(random|getRandomValues$|webcrypto$)/.test(name)) return 'chance'
  return globals.get(name)
}

// `process` is passed around for its streams and signals, and `self` is a common variable name.
const mayBeRenamed = new Set(['process', 'self'])

/** Whether an alias of this global would hide its uses. */
export const keepsItsName = (name: string): boolean => members.has(name) && !mayBeRenamed.has(name)
