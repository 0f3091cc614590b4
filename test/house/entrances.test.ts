import { describe, expect, it } from 'vitest'

import { entrancesOf, importsPastIndex, publishedOf } from './entrances.ts'
import { importedFiles } from './imports.ts'
import { manifest, paths, sources } from './tree.ts'

const entrances = new Set(['src/lines/websocket/client/index.ts'])
const past = (path: string, from: string): string[] =>
  importsPastIndex([{ path, text: `import type { A } from '${from}'` }], entrances)

describe('a room', () => {
  it('is imported through its index, or through another of its entrances', () => {
    expect(past('src/link/link.ts', '../scope/index.ts')).toEqual([])
    expect(past('src/index.ts', './scope/index.ts')).toEqual([])
    expect(past('studio/src/call/calls.ts', '../../../src/lines/websocket/client/index.ts')).toEqual([])
  })

  it('is not imported past its index, types included', () => {
    expect(past('src/link/link.ts', '../scope/clock.ts')).toEqual([
      'src/link/link.ts imports src/scope/clock.ts',
    ])
    expect(past('src/index.ts', './scope/clock.ts')).toHaveLength(1)
    expect(past('studio/src/app.tsx', '../../src/scope/clock.ts')).toHaveLength(1)
    expect(past('src/host/host.ts', '../session/hearing/index.ts')).toHaveLength(1)
    expect(past('src/host/host.ts', '../lines/websocket/line.ts')).toHaveLength(1)
  })

  it('may import its own files as it likes', () => {
    expect(past('src/link/link.ts', './link-end.ts')).toEqual([])
    expect(past('src/lines/websocket/line.ts', '../watchdog.ts')).toEqual([])
    expect(past('studio/src/app.tsx', './call/phone.ts')).toEqual([])
  })

  it('is open to the tests beside the source', () => {
    expect(past('src/link/link.test.ts', '../scope/clock.ts')).toEqual([])
  })
})

describe('entrances', () => {
  it('are the published files, and exist', () => {
    const all = entrancesOf(manifest)
    expect([...all]).toContain('src/guard/install.ts')
    expect([...all].filter((path) => !paths('src').includes(path))).toEqual([])
  })
})

it('every published entry point has type tests', () => {
  const tested = new Set(sources(/^test\/types\/.*\.test\.ts$/).flatMap(importedFiles))
  expect(publishedOf(manifest).filter((path) => !tested.has(path))).toEqual([])
})
