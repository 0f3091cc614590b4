import { describe, expect, it } from 'vitest'

import { filesInCycles } from './cycles.ts'

const cycles = (files: Record<string, string>): string[] =>
  filesInCycles(Object.entries(files).map(([path, text]) => ({ path, text })))

describe('import cycles', () => {
  it('are not seen where files import each other in one direction', () => {
    expect(
      cycles({
        'src/link/a.ts': `import './b.ts'\nimport './c.ts'`,
        'src/link/b.ts': `import './c.ts'`,
        'src/link/c.ts': `import { on } from 'node:events'`,
      }),
    ).toEqual([])
  })

  it('are reported for each file in them, with the shortest way round', () => {
    expect(
      cycles({
        'src/link/a.ts': `import './b.ts'`,
        'src/link/b.ts': `import './c.ts'\nimport './d.ts'`,
        'src/link/c.ts': `import './d.ts'`,
        'src/link/d.ts': `import './a.ts'`,
        'src/link/e.ts': `import './a.ts'`,
      }),
    ).toEqual([
      'src/link/a.ts → src/link/b.ts → src/link/d.ts → src/link/a.ts',
      'src/link/b.ts → src/link/d.ts → src/link/a.ts → src/link/b.ts',
      'src/link/c.ts → src/link/d.ts → src/link/a.ts → src/link/b.ts → src/link/c.ts',
      'src/link/d.ts → src/link/a.ts → src/link/b.ts → src/link/d.ts',
    ])
  })

  it.each([
    ['a type', `import type { A } from './a.ts'`],
    ['an inline type', `import { type A } from './a.ts'`],
    ['a type expression', `export let a: import('./a.ts').A`],
    ['a re-export', `export { a } from './a.ts'`],
    ['a dynamic import', `export const a = () => import('./a.ts')`],
  ])('are closed by %s', (_, text) => {
    expect(cycles({ 'studio/src/a.ts': `import './b.ts'`, 'studio/src/b.ts': text })).toHaveLength(2)
  })

  it('can have a single file, and can cross folders', () => {
    expect(cycles({ 'src/link/a.ts': `import './a.ts'` })).toEqual(['src/link/a.ts → src/link/a.ts'])
    expect(
      cycles({
        'studio/src/call/a.tsx': `import '../ended/b.tsx'`,
        'studio/src/ended/b.tsx': `import '../call/a.tsx'`,
      }),
    ).toHaveLength(2)
  })
})
