import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { growthChart, type GrowthOutcome } from './growth-chart.ts'
import { peersChart, type PeersOutcome } from './peers-chart.ts'
import { themes, type Theme } from './svg.ts'

const draws: Readonly<Record<string, (outcome: unknown, theme: Theme) => string>> = {
  growth: (outcome, theme) => growthChart(outcome as GrowthOutcome, theme),
  peers: (outcome, theme) => peersChart(outcome as PeersOutcome, theme),
}

/** Draws the charts of benchmarks from the JSON files in a folder, light and dark. Returns them by file name. */
export function charts(folder: string): ReadonlyMap<string, Buffer> {
  const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''))
  return new Map(
    names.flatMap((name) => {
      const outcome: unknown = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
      return Object.entries(themes).map(([scheme, theme]): [string, Buffer] => [
        `${name}-${scheme}.svg`,
        Buffer.from(draws[name]!(outcome, theme)),
      ])
    }),
  )
}
