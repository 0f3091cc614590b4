import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { simulate } from '../../src/testing/index.ts'
import { hostileLife } from './hostile-life.ts'
import { hostileSockets } from './hostile-sockets.ts'
import { isSocketSeed, runSeeds, type SeedResult, type World } from './run-seeds.ts'

describe('a hostile call', () => {
  it('[SC19] neither crashes, freezes nor silences anything, and its report is true', async () => {
    for (let seed = 1; seed <= 15; seed++) {
      const { violations, story } = await simulate(seed, hostileLife, { maxEvents: 300_000 })
      expect({ seed, violations, story: violations.length > 0 ? story : '' }).toEqual({
        seed,
        violations: [],
        story: '',
      })
    }
  })
})

describe('a hostile peer over a real socket', () => {
  it('[LN6] [LN7] neither crashes, freezes nor silences anything, and every report is true', async () => {
    for (let seed = 1; seed <= 15; seed++)
      expect({ seed, ...(await hostileSockets(seed)), story: '' }).toEqual({
        seed,
        violations: [],
        story: '',
      })
  })
})

describe('the run of hostile calls', () => {
  /** Runs a program in place of the lives. */
  const run = async (program: string, frozen?: number) => {
    const folder = mkdtempSync(join(tmpdir(), 'endwell-hostile-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'child.mjs'), program)
    const results: SeedResult[] = []
    const file = pathToFileURL(join(folder, 'child.mjs'))
    return { totals: await runSeeds(1, 3, file, (result) => results.push(result), frozen), results }
  }
  const fine = `process.send({ seed, violations: [], story: '' })`
  const lives = (body: string): string =>
    `const [from, seeds] = process.argv.slice(2).map(Number)\nfor (let seed = from; seed < from + seeds; seed++) { ${body} }`

  it('counts seeds, and violations by their kind', async () => {
    const violated = `process.send({ seed, violations: [{ rule: 'SC9', what: '' }, { rule: 'silent', what: '' }], story: '' })`
    const { totals } = await run(lives(`if (seed === 2) ${violated}; else ${fine}`))
    expect(totals).toEqual({ seeds: 3, crashes: 1, freezes: 0, silent: 1, untrue: 0 })
  })

  it('uses sockets for one seed in ten, or for all or none of them', () => {
    const socketSeeds = (world: World): number =>
      Array.from({ length: 100 }, (_, seed) => isSocketSeed(seed, world)).filter(Boolean).length
    expect([socketSeeds('all'), socketSeeds('parts'), socketSeeds('sockets')]).toEqual([10, 0, 100])
  })

  it('notices a life that ends or blocks its process, and continues after it', async () => {
    const { totals } = await run(lives(`if (seed === 2) process.exit(7); ${fine}`))
    expect(totals).toMatchObject({ seeds: 3, crashes: 1, freezes: 0 })
    const blocked = await run(
      lives(`if (seed === 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); ${fine}`),
      2_000,
    )
    expect(blocked.totals).toMatchObject({ seeds: 3, crashes: 0, freezes: 1 })
  })
})
