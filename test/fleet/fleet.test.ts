import { describe, expect, it } from 'vitest'
import { simulate } from '../../src/testing/index.ts'
import { scenarios, type ScenarioResult } from './scenarios.ts'

const small = { hosts: 30, calls: 3_000, cores: 1 }

/** Each scenario is played once. */
const played = new Map<string, Promise<ScenarioResult>>()

function play(name: string): Promise<ScenarioResult> {
  const playing = played.get(name) ?? playOnce(name)
  played.set(name, playing)
  return playing
}

async function playOnce(name: string): Promise<ScenarioResult> {
  let result: ScenarioResult | undefined
  const { violations } = await simulate(
    1,
    async (world) => void (result = await scenarios[name]!(world, small)),
    { maxEvents: Infinity },
  )
  expect(violations).toEqual([])
  return result!
}

describe('a large fleet', () => {
  it.each(Object.keys(scenarios))('[HO33] [HO34] loses no call and no host: %s', async (name) => {
    expect(await play(name)).toMatchObject({ lost: 0, falseDeaths: 0 })
  })

  it('adopts the calls of a zone within the lease and a beat, and half of the callers talk again', async () => {
    const { adopt, resumed } = await play('a zone dies')
    expect(adopt!.p99).toBeLessThan(20_000)
    expect(resumed).toBeGreaterThan(400)
  })
})
