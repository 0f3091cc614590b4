import { describe, expect, it } from 'vitest'

import { filesInCycles } from './cycles.ts'
import { entrancesOf, importsPastIndex } from './entrances.ts'
import { packagesLoadedWith } from './loading.ts'
import { places, straySuppressions, strayUses } from './places.ts'
import { strayImports } from './rooms.ts'
import { manifest, sources, typescript } from './tree.ts'

// The checks that read every source, in one file: the first one parses them, and the others use the imports that it found.

describe('endwell', () => {
  const ours = sources(typescript)
  const published = ours.filter(({ path }) => /^(src|studio)\//.test(path))

  it('[SC17] uses time, randomness and sockets only in their places, and Promise.race nowhere', () => {
    expect(ours.map(({ path }) => path)).toContain('test/house/repository.test.ts')
    expect(strayUses(ours, places)).toEqual([])
  })

  // Each entry is a path, a space and the text of the comment. Give the reason beside it.
  const allowed: string[] = []

  it('suppresses no rule in a comment, except those listed', () => {
    expect(straySuppressions(ours, allowed)).toEqual([])
  })

  it('has no files in src or studio that import each other in a cycle', () => {
    expect(published.map(({ path }) => path)).toContain('studio/src/main.tsx')
    expect(filesInCycles(published)).toEqual([])
  })

  it('imports no room past its index', () => {
    expect(importsPastIndex(published, entrancesOf(manifest))).toEqual([])
  })

  it('follows the order of rooms in every source', () => {
    const { dependencies, peerDependencies } = manifest
    const inRooms = published.filter(({ path }) => path.startsWith('src/'))
    expect(inRooms.map(({ path }) => path)).toContain('src/index.ts')
    expect(strayImports(inRooms, new Set(Object.keys({ ...dependencies, ...peerDependencies })))).toEqual([])
  })
})

describe('a program', () => {
  // Loading `ws` takes 40 ms, prom-client 40 and hono 20: more than all of endwell but its host.
  it('loads no package with endwell', () => {
    expect(packagesLoadedWith('src/index.ts')).toEqual([])
  })

  it('loads no package with what a command prints as its help', () => {
    expect(packagesLoadedWith('src/cli/endwell.ts')).toEqual([])
  })

  it('loads only `ws` with the lines', () => {
    expect(packagesLoadedWith('src/lines/twilio/index.ts')).toEqual(['ws'])
    expect(packagesLoadedWith('src/lines/websocket/index.ts')).toEqual(['ws'])
  })
})
