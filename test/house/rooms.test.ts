import { describe, expect, it } from 'vitest'

import { rooms, strayImports } from './rooms.ts'

const packages = new Set(['ws', '@vendor/sdk'])
const stray = (path: string, ...lines: string[]): string[] =>
  strayImports([{ path, text: lines.join('\n') }], packages)

describe('the order of rooms', () => {
  it('lets a room import from itself and from rooms above it', () => {
    expect(stray('src/session/turn.ts', `import { a } from './speech.ts'`)).toEqual([])
    expect(stray('src/session/turn/loop.ts', `import { a } from '../speech.ts'`)).toEqual([])
    expect(stray('src/session/turn.ts', `import { Scope } from '../scope/index.ts'`)).toEqual([])
    expect(stray('src/index.ts', `export * from './cli/index.ts'`)).toEqual([])
  })

  it.each([
    ['a static import', `import { a } from '../session/turn.ts'`],
    ['an import for its side effects', `import '../session/turn.ts'`],
    ['an import of a type', `import type { A } from '../session/turn.ts'`],
    ['an inline type', `import { type A } from '../session/turn.ts'`],
    ['a type expression', `export let a: import('../session/turn.ts').A`],
    ['typeof a module', `export let a: typeof import('../session/turn.ts')`],
    ['a re-export', `export { a } from '../session/turn.ts'`],
    ['a re-export of all', `export * from '../session/turn.ts'`],
    ['a re-export of all as one', `export * as a from '../session/turn.ts'`],
    ['a re-export of a type', `export type { A } from '../session/turn.ts'`],
    ['a dynamic import', `export const a = () => import('../session/turn.ts')`],
    ['a dynamic import of a template', 'export const a = () => import(`../session/turn.ts`)'],
    ['an import over lines', `import {\n  a,\n} from\n  '../session/turn.ts'`],
    ['an import assignment', `import a = require('../session/turn.ts')`],
    ['a call of require', `export const a = require('../session/turn.ts')`],
    ['a reference', `/// <reference path="../session/turn.ts" />`],
    ['a detour', `import { a } from './../link/../session/turn.ts'`],
  ])('sees %s', (_, text) => {
    expect(stray('src/link/link.ts', text)).toEqual([
      'src/link/link.ts:1 imports src/session/turn.ts: session is below link',
    ])
  })

  it('ignores comments and strings', () => {
    const text = `// import '../session/turn.ts'\nexport const a = "import '../session/turn.ts'"`
    expect(stray('src/link/link.ts', text)).toEqual([])
  })

  it.each(rooms.slice(1).map((room, above) => [rooms[above], room] as const))(
    'keeps %s from importing %s',
    (upper, lower) => {
      const target = `${lower}/member/a.ts`
      expect(stray(`src/${upper}/a.ts`, `import '../${target}'`)).toHaveLength(1)
      expect(stray(`src/${lower}/member/a.ts`, `import '../../${upper}/b.ts'`)).toEqual([])
    },
  )

  it('refuses a file outside the rooms, and imports of one', () => {
    expect(stray('src/utils/a.ts')).toHaveLength(1)
    expect(stray('src/utils.ts')).toHaveLength(1)
    expect(stray('src/link/a.ts', `import '../utils.ts'`)).toHaveLength(1)
    expect(stray('src/link/a.ts', `import '../index.ts'`)).toHaveLength(1)
    expect(stray('src/link/a.ts', `import '../../test/setup.ts'`)).toHaveLength(1)
    expect(stray('src/link/a.ts', `import '../../package.json'`)).toHaveLength(1)
  })

  it('refuses computed imports, except in the last room and in what loads the agent file', () => {
    expect(stray('src/host/a.ts', 'export const a = (name: string) => import(name)')).toHaveLength(1)
    expect(stray('src/cli/a.ts', 'export const a = (name: string) => import(name)')).toEqual([])
  })

  it('throws if a source cannot be parsed', () => {
    expect(() => stray('src/link/a.ts', 'import {')).toThrow('src/link/a.ts cannot be parsed')
  })
})

describe('members of a family', () => {
  it('must not import each other', () => {
    expect(stray('src/providers/openai/a.ts', `import '../gemini/b.ts'`)).toHaveLength(1)
    expect(stray('src/lines/twilio/a.ts', `import '../websocket/b.ts'`)).toHaveLength(1)
    expect(stray('src/providers/openai/a.ts', `import './b.ts'`)).toEqual([])
  })

  it('may import the files that the family shares, which must not import a member', () => {
    expect(stray('src/providers/openai/a.ts', `import '../codes.ts'`)).toEqual([])
    expect(stray('src/providers/codes.ts', `import './openai/a.ts'`)).toHaveLength(1)
    expect(stray('src/providers/xai/a.ts', `import '../openai-realtime/b.ts'`)).toEqual([])
    expect(stray('src/providers/openai-realtime/b.ts', `import '../codes.ts'`)).toEqual([])
    expect(stray('src/providers/openai-realtime/b.ts', `import '../openai/a.ts'`)).toHaveLength(1)
  })
})

describe('packages', () => {
  it('must not be imported in scope and report, not even Node', () => {
    expect(stray('src/scope/a.ts', `import { on } from 'node:events'`)).toHaveLength(1)
    expect(stray('src/report/a.ts', `import { on } from 'node:events'`)).toHaveLength(1)
    expect(stray('src/scope/a.ts', `import type { Data } from 'ws'`)).toHaveLength(1)
    expect(stray('src/scope/a.ts', `/// <reference types="node" />`)).toHaveLength(1)
  })

  it('may be Node and the dependencies in other rooms', () => {
    expect(stray('src/link/a.ts', `import { on } from 'node:events'`)).toEqual([])
    expect(stray('src/link/a.ts', `import { Data } from 'ws/lib/data.js'`)).toEqual([])
    expect(stray('src/link/a.ts', `import { a } from '@vendor/sdk/a'`)).toEqual([])
    expect(stray('src/link/a.ts', `import { a } from '@vendor/other'`)).toHaveLength(1)
    expect(stray('src/link/a.ts', `import { it } from 'vitest'`)).toHaveLength(1)
    expect(stray('src/link/a.ts', `import { Scope } from 'endwell'`)).toHaveLength(1)
    expect(stray('src/link/a.ts', `import { a } from '#hidden'`)).toHaveLength(1)
  })
})

describe('unit tests', () => {
  it('may also import the testing room and the test packages', () => {
    const text = [`import 'vitest'`, `import 'fast-check'`, `import '../testing/index.ts'`]
    expect(stray('src/scope/a.test.ts', ...text)).toEqual([])
    expect(stray('src/scope/a.ts', ...text)).toHaveLength(3)
  })

  it('follow the order of rooms otherwise, and must not be imported', () => {
    expect(stray('src/scope/a.test.ts', `import '../link/index.ts'`)).toHaveLength(1)
    expect(stray('src/scope/a.test.ts', `import 'node:fs'`)).toHaveLength(1)
    expect(stray('src/scope/b.ts', `import './a.test.ts'`)).toHaveLength(1)
  })
})
