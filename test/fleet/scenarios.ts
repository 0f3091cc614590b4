import type { World } from '../../src/testing/index.ts'
import { ScaleFleet, type ScaleOptions } from './scale-fleet.ts'
import type { StoreFigures } from './scale-store.ts'

export interface ScenarioResult {
  /** Calls of dead hosts that nobody adopted, took over or closed. */
  readonly lost: number
  /** Hosts that were declared dead although they live. */
  readonly falseDeaths: number
  readonly store: StoreFigures
  readonly writesPerSecond: number
  /** Milliseconds from the death of a host to the moment at which its call had another owner. */
  readonly adopt?: { readonly p50: number; readonly p99: number; readonly most: number }
  /** How many calls went on in another process. */
  readonly resumed?: number
  /** Milliseconds after an outage until all spools were empty. */
  readonly drained?: number
}

export type Scenario = (world: World, options: ScaleOptions) => Promise<ScenarioResult>

const START = 20_000

async function started({ clock, random }: World, options: ScaleOptions): Promise<ScaleFleet> {
  const fleet = new ScaleFleet(clock, random, options)
  await fleet.start(START)
  await clock.elapse(20_000)
  fleet.store.read()
  fleet.written = 0
  return fleet
}

function finish(fleet: ScaleFleet, since: number): ScenarioResult {
  const ms = fleet.clock.now() - since
  const writesPerSecond = Math.round((fleet.written / ms) * 1_000)
  fleet.stop()
  return { lost: 0, falseDeaths: fleet.journal.falseDeaths, store: fleet.store.read(), writesPerSecond }
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  'steady state': async (world, options) => {
    const fleet = await started(world, options)
    const since = world.clock.now()
    await world.clock.elapse(30_000)
    return finish(fleet, since)
  },

  'a zone dies': async (world, options) => {
    const { clock, random } = world
    const fleet = await started(world, options)
    const since = clock.now()
    const zone = fleet.living.slice(0, Math.floor(options.hosts * 0.3))
    const lost = fleet.kill(zone)
    for (const call of lost) if (random.chance(0.5)) fleet.callBack(call, 30_000).catch(() => {})
    await clock.elapse(80_000)
    const times = lost
      .flatMap(({ adoptedAt, lostAt }) => (adoptedAt === undefined ? [] : [adoptedAt - lostAt!]))
      .toSorted((a, b) => a - b)
    const open = lost.filter(({ served, closed, host }) => !closed && (!served || zone.includes(host)))
    const at = (share: number): number => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)
    return {
      ...finish(fleet, since),
      lost: open.length,
      adopt: { p50: at(0.5), p99: at(0.99), most: at(1) },
      resumed: lost.filter(({ served, closed }) => served && !closed).length,
    }
  },

  'the store fails over': async (world, options) => {
    const { clock } = world
    const fleet = await started(world, options)
    const since = clock.now()
    fleet.store.fail(30_000)
    await clock.elapse(30_000)
    fleet.store.read()
    while (fleet.spooled > 0 && clock.now() - since < 200_000) await clock.elapse(100)
    const drained = Math.round(clock.now() - since - 30_000)
    await clock.elapse(40_000)
    return { ...finish(fleet, since), drained }
  },

  'a rolling deploy': async (world, options) => {
    const { clock } = world
    const fleet = await started(world, options)
    const since = clock.now()
    // A tenth of the hosts in half a minute.
    const leaving = fleet.living.slice(0, Math.ceil(options.hosts / 10))
    for (const id of leaving) {
      fleet.replace(id).catch(() => {})
      await clock.elapse(30_000 / leaving.length)
    }
    await clock.elapse(20_000)
    return finish(fleet, since)
  },
}
