import type { SimRandom } from '../../src/testing/index.ts'

/** Values that no interface allows. */
export const garbage: readonly unknown[] = [
  undefined,
  null,
  '',
  7,
  Number.NaN,
  Infinity,
  true,
  {},
  [],
  () => {},
  Symbol('garbage'),
  { toString: 1 },
  { samples: [1, 2, 3], sampleRate: 16_000 },
  { samples: new Float32Array(320), sampleRate: 16_000 },
  { samples: new Int16Array(320), sampleRate: -1 },
  { type: 'text', text: { length: 1e9 } },
  { type: 'unheard of' },
  // Looks like a promise, and is none.
  new Proxy(
    {},
    {
      get: (_, key) => {
        if (key === 'then') throw new Error('not a promise')
        return undefined
      },
    },
  ),
]

/** `SimRandom.pick` refuses lists that contain undefined. */
const anyOf = (random: SimRandom, list: readonly unknown[]): unknown => list[random.int(0, list.length - 1)]

const thrown: readonly unknown[] = [new Error('hostile'), 'a string', undefined, null, { message: 1 }]

type Way = 'throws' | 'rejects' | 'hangs' | 'returns garbage' | 'works, then rejects' | 'works, then throws'
const ways: readonly Way[] = [
  'throws',
  'rejects',
  'hangs',
  'returns garbage',
  'works, then rejects',
  'works, then throws',
]

/** Misbehaves in one call, as if it were the method. */
function misbehave(random: SimRandom, way: Way, work: () => unknown): unknown {
  const error = anyOf(random, thrown)
  switch (way) {
    case 'throws':
      throw error
    case 'rejects':
      return Promise.reject(error)
    case 'hangs':
      return new Promise(() => {})
    case 'returns garbage':
      return anyOf(random, garbage)
    case 'works, then rejects':
      work()
      return Promise.reject(error)
    case 'works, then throws':
      break
  }
  work()
  throw error
}

export interface Hostility {
  readonly random: SimRandom
  /** How often a call misbehaves, 0 to 1. */
  readonly rate: number
  readonly tell: (text: string) => void
}

/** Wraps a function so that some of its calls misbehave. */
export function hostileFunction<F extends (...args: never[]) => unknown>(
  { random, rate, tell }: Hostility,
  name: string,
  work: F,
): F {
  const hostile = (...args: never[]): unknown => {
    if (!random.chance(rate)) return work(...args)
    const way = random.pick(ways)
    tell(`${name} ${way}`)
    return misbehave(random, way, () => {
      const result = work(...args)
      // What it returns is dropped: its rejection is the wrapper's fault and not endwell's.
      if (result instanceof Promise) result.catch(() => {})
    })
  }
  return hostile as F
}

/** Wraps an object so that some calls of its methods misbehave. What a method resolves to is wrapped as well. */
export function hostileObject<T extends object>(hostility: Hostility, name: string, thing: T): T {
  return new Proxy(thing, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function' || typeof key === 'symbol') return value
      const label = `${name}.${key}()`
      const method = hostileFunction(hostility, label, (...args: never[]) => {
        const result: unknown = Reflect.apply(value, target, args)
        if (isAsyncIterable(result)) return hostileStream(hostility, label, result)
        if (result instanceof Promise)
          return result.then((made: unknown) =>
            typeof made === 'object' && made !== null ? hostileObject(hostility, name, made) : made,
          )
        return result
      })
      return method
    },
  })
}

/** Wraps a stream so that it sometimes yields garbage, throws, hangs, or never ends. */
async function* hostileStream(
  { random, rate, tell }: Hostility,
  name: string,
  source: AsyncIterable<unknown>,
): AsyncGenerator {
  for await (const value of source) {
    yield value
    if (!random.chance(rate)) continue
    const way = random.pick(['garbage', 'throws', 'hangs', 'endless'] as const)
    tell(`${name} stream: ${way}`)
    if (way === 'garbage') yield anyOf(random, garbage)
    if (way === 'throws') throw anyOf(random, thrown)
    if (way === 'hangs') await new Promise(() => {})
    if (way === 'endless') for (;;) yield value
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Calls random events of a part with random arguments, now and later, and also after the end. */
export function hostileEvents({ random, tell }: Hostility, name: string, events: object): void {
  const names = Object.keys(events)
  const chosen = random.pick(names)
  const args = [anyOf(random, garbage), anyOf(random, garbage), anyOf(random, garbage)]
  tell(`${name} calls ${chosen}() with garbage`)
  ;(events as Record<string, (...args: unknown[]) => void>)[chosen]!(...args)
}
