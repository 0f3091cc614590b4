import { describe, expect, it } from 'vitest'

import { straySuppressions, strayUses, type Place } from './places.ts'
import { usesOf } from './uses.ts'

const powersIn = (text: string): string[] =>
  usesOf({ path: 'src/session/a.ts', text }).map(({ power }) => power)

describe('the use of a power is found', () => {
  it.each([
    ['timers', 'setTimeout(f, 1)'],
    ['timers', 'setInterval(f, 1)'],
    ['immediate', 'setImmediate(f)'],
    ['now', 'Date.now()'],
    ['now', 'new Date()'],
    ['now', 'Date()'],
    ['now', 'performance.now()'],
    ['now', 'process.hrtime.bigint()'],
    ['chance', 'Math.random()'],
    ['chance', 'crypto.randomUUID()'],
    ['sockets', `new WebSocket('wss://example.com')`],
    ['race', 'Promise.race([a, b])'],
    ['timers', 'AbortSignal.timeout(5)'],
    ['timers', 'Atomics.wait(a, 0, 0, 5)'],
  ])('%s, used directly: %s', (power, text) => {
    expect(powersIn(text)).toEqual([power])
  })

  it.each([
    ['timers', `globalThis['setTimeout'](f, 1)`],
    ['timers', 'globalThis[`setTimeout`](f, 1)'],
    ['timers', 'globalThis?.setTimeout?.(f, 1)'],
    ['timers', '(globalThis as Timers).setTimeout(f, 1)'],
    ['timers', 'window.setTimeout(f, 1)'],
    ['timers', 'const wait = setTimeout'],
    ['timers', 'const timers = { setTimeout }'],
    ['timers', 'const timers = { wait: setTimeout }'],
    ['timers', 'const { setTimeout: wait } = globalThis'],
    ['timers', 'promisify(setTimeout)'],
    ['timers', 'const wait = <Wait>setTimeout'],
    ['timers', 'const wait = setTimeout satisfies Wait'],
    ['timers', `import { setTimeout as wait } from 'node:timers/promises'`],
    ['timers', `import timers from 'timers'`],
    ['timers', `const timers = await import('node:timers')`],
    ['timers', `const timers = require('timers')`],
    ['timers', `export { setTimeout } from 'node:timers'`],
    ['now', 'const { now } = Date'],
    ['now', 'const { now: time = f } = Date'],
    ['now', `const { 'now': time } = Date`],
    ['now', '({ now } = Date)'],
    ['now', 'const { Date: { now } } = globalThis'],
    ['now', 'const { Date: { now } = clock } = globalThis'],
    ['now', 'function f({ now } = Date) {}'],
    ['now', 'class A { #now = Date.now }'],
    ['now', `Date['now']()`],
    ['now', 'globalThis.Date.now()'],
    ['now', 'Date!.now()'],
    ['now', `new globalThis.Date()`],
    ['now', `import { performance as time } from 'node:perf_hooks'`],
    ['race', 'const { race } = Promise'],
    ['race', 'Promise.race.call(Promise, [a, b])'],
    ['chance', 'const { random } = Math'],
    ['chance', `import { randomInt } from 'node:crypto'`],
    ['sockets', `import { WebSocket as Socket } from 'undici'`],
    ['sockets', `import Socket from 'ws'`],
    ['sockets', 'class Mine extends WebSocket {}'],
    ['disguise', 'globalThis[name](f, 1)'],
    ['disguise', 'Reflect.get(globalThis, name)'],
    ['disguise', 'const world = globalThis'],
    ['disguise', 'const { ...world } = globalThis'],
    ['disguise', 'const { [name]: wait } = globalThis'],
    ['disguise', 'const P = Promise'],
    ['disguise', 'function f(D = Date) {}'],
    ['disguise', `process.getBuiltinModule('timers')`],
  ])('%s, used indirectly: %s', (power, text) => {
    expect(powersIn(text)).toEqual([power])
  })

  it.each([
    'clock.setTimeout(f, 1)',
    'const clock = { setTimeout: f, now: f }',
    'const clock = { setTimeout(f) {} }',
    'class Fake { setTimeout() {} now() {} }',
    'const { now } = clock',
    'const { setTimeout: wait } = clock',
    'const a = new Date(0)',
    'const a = Date.parse(text)',
    'const a = Math.max(1, 2)',
    'const a = Promise.all([b])',
    'const a = globalThis.process',
    'const a = process.env[name]',
    'const a = b instanceof Promise && b instanceof Date',
    'let a: WebSocket | ReturnType<typeof setTimeout>',
    'const a = b as WebSocket',
    'class Fake implements WebSocket {}',
    'interface Mine extends WebSocket {}',
    'function f(this: WebSocket, a: typeof Date.now) {}',
    `import type { WebSocket } from 'ws'`,
    `import { type WebSocket, other } from 'undici'`,
    `import { createHash } from 'node:crypto'`,
    '// setTimeout(f, 1)',
    `const a = 'setTimeout(f, 1)'`,
  ])('but not in: %s', (text) => {
    expect(powersIn(text)).toEqual([])
  })
})

describe('places', () => {
  const clock: Place = { path: 'src/scope/clock.ts', powers: ['now'], reason: 'test' }
  const bench: Place = { path: 'bench/', powers: ['now'], reason: 'test' }

  it('may use their powers, and other files may not', () => {
    const text = '\nDate.now()'
    expect(strayUses([{ path: 'src/scope/clock.ts', text }], [clock])).toEqual([])
    expect(strayUses([{ path: 'bench/deep/a.ts', text }], [bench])).toEqual([])
    expect(strayUses([{ path: 'src/scope/clock.test.ts', text }], [])).toEqual([
      'src/scope/clock.test.ts:2 uses Date.now (now)',
    ])
  })

  it('may not use other powers', () => {
    const source = { path: 'src/scope/clock.ts', text: 'Date.now()\nPromise.race([])' }
    expect(strayUses([source], [clock])).toEqual(['src/scope/clock.ts:2 uses Promise.race (race)'])
  })

  it('must use all their powers', () => {
    expect(strayUses([{ path: 'src/scope/clock.ts', text: '' }], [clock])).toEqual([
      'src/scope/clock.ts now is allowed and not used',
    ])
  })
})

describe('comments that suppress a rule', () => {
  it.each([
    '// oxlint-disable-next-line no-restricted-globals',
    '/* eslint-disable */',
    'f() // oxlint-disable-line',
    '/**\n * eslint-disable no-console\n */',
    '// @ts-ignore',
    '// @ts-nocheck: later',
  ])('are found: %s', (text) => {
    expect(straySuppressions([{ path: 'src/a.ts', text }], [])).toHaveLength(1)
  })

  it('are not found in strings, nor in prose', () => {
    const text = `const a = '// oxlint-disable'\n// The linter cannot be disabled, nor @ts-ignore used.`
    expect(straySuppressions([{ path: 'src/a.ts', text }], [])).toEqual([])
  })

  it('can be allowed as long as they exist', () => {
    const allowed = ['src/a.ts oxlint-disable-line no-console']
    const source = { path: 'src/a.ts', text: 'f() // oxlint-disable-line no-console' }
    expect(straySuppressions([source], allowed)).toEqual([])
    expect(straySuppressions([{ ...source, text: 'f()' }], allowed)).toHaveLength(1)
  })
})
