import { describe, expect, it } from 'vitest'
import { oldFunctions } from './young.ts'
import { sources } from './tree.ts'

/** Each replaces something of the platform, once, or must have an accessor of its own. */
const exceptions = new Set([
  'src/guard/patch-http.ts',
  'src/guard/patch-net.ts',
  'src/guard/patch-processes.ts',
  'src/testing/conformance/llm.ts',
])

describe('functions that V8 would put among the old objects', () => {
  it('[SC22] are not in the source', () => {
    const shipped = sources(/^src\/.*\.tsx?$/).filter(
      ({ path }) => !/\.test\.tsx?$/.test(path) && !exceptions.has(path),
    )
    expect(shipped.flatMap(oldFunctions)).toEqual([])
  })

  it.each([
    'call.onEnd = () => call.leave()',
    'call.onEnd = (async () => call.leave()) as () => void',
    'call.onEnd ??= function () {}',
    "call['onEnd'] = () => call.leave()",
    'class Call { #end; constructor() { this.#end = () => this } }',
    'export const call = { get signal() { return task.signal } }',
  ])('are found in %s', (text) => {
    expect(oldFunctions({ path: 'a.ts', text })).toHaveLength(1)
  })

  it.each([
    'const onEnd = () => call.leave(); call.onEnd = onEnd',
    'call.onEnd = call.leave.bind(call)',
    'call.onEnd = ends(() => call.leave())',
    'class Call { end = () => this; get signal() { return 1 } }',
    'export const call = { end: () => 1, leave() {} }',
  ])('are not found in %s', (text) => {
    expect(oldFunctions({ path: 'a.ts', text })).toEqual([])
  })
})
