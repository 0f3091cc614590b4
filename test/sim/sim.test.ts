import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { simulate } from '../../src/testing/index.ts'
import { compiled } from '../compiled.ts'
import { liveInJobs } from './jobs.ts'
import { combined, live, type Lived } from './lives.ts'
import { worldNames, type WorldName } from './world-names.ts'
import { worlds } from './worlds.ts'

const run = promisify(execFile)

async function sim(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [compiled('sim'), ...args], { timeout: 250_000 })
  return stdout
}

/** Each line is `world seed  what it found`. */
async function regressions(): Promise<[world: WorldName, seed: number, found: string][]> {
  const text = await readFile(path.join(import.meta.dirname, 'regressions.txt'), 'utf8')
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [world, seed, ...found] = line.split(/\s+/)
    return [world as WorldName, Number(seed), found.join(' ')]
  })
}

const regressionSeeds = await regressions()

describe('the simulation', () => {
  it.each(regressionSeeds)('passes a seed that once failed: world %s, seed %i: %s', async (world, seed) => {
    expect((await simulate(seed, worlds[world])).violations).toEqual([])
  })

  it.each(worldNames)(
    '[SI1] gives the same trace for the same seed in every process, world %s',
    async (world) => {
      const args = ['--world', world, '--from', '7', '--seeds', '3', '--story']
      const [there, thereAgain] = await Promise.all([sim(...args), sim(...args)])
      const here: string[] = []
      for (const seed of [7, 8, 9]) {
        const { hash, story } = await simulate(seed, worlds[world])
        here.push(`seed ${seed} · ${hash}\n${story}\n`)
      }
      expect(there.split('\n').slice(0, -2).join('\n')).toBe(here.join('\n').trimEnd() + '\n')
      // Without the last line, which shows the speed.
      expect(thereAgain.split('\n').slice(0, -2)).toEqual(there.split('\n').slice(0, -2))
    },
  )

  it('[SI1] gives the same lives in any number of processes', async () => {
    const range = { world: 'scope', from: 1, seeds: 100, stop: false, hash: true } as const
    const parts: Lived[] = []
    await liveInJobs(compiled('sim'), range, 2, (part) => parts.push(part))
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.map((part) => part.hash).reduce(combined)).toBe((await live(range)).hash)
  })

  it('[SI1] gives another life for another seed', async () => {
    const hashes = new Set<string>()
    for (let seed = 1; seed <= 50; seed++) hashes.add((await simulate(seed, worlds.scope)).hash)
    expect(hashes.size).toBe(50)
  })

  it('tells the story of a failing life', async () => {
    const life = await simulate(3, ({ tell, violate, clock }) => {
      tell('a call comes in')
      clock.jump(12)
      violate('CL1', 'it never ended')
    })
    expect(life.violations).toEqual([{ rule: 'CL1', what: 'it never ended' }])
    expect(life.story).toBe('        0 ms  a call comes in\n       12 ms  ✗ CL1: it never ended')
  })
})
