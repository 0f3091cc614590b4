import { importedFiles } from './imports.ts'
import type { Source } from './tree.ts'

/** Every file that imports itself by way of others, types included, with the shortest way round. */
export function filesInCycles(sources: readonly Source[]): string[] {
  const graph = new Map(sources.map((source) => [source.path, importedFiles(source)]))
  return [...graph.keys()].flatMap((path) => {
    const round = shortestCycle(graph, path)
    return round === undefined ? [] : [`${round.join(' → ')} → ${path}`]
  })
}

/** The files on the shortest way from a file back to itself. Breadth first. */
function shortestCycle(
  graph: ReadonlyMap<string, readonly string[]>,
  start: string,
): readonly string[] | undefined {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (const path of queue) {
    for (const next of graph.get(path) ?? []) {
      if (next === start) return wayTo(path, cameFrom)
      if (cameFrom.has(next)) continue
      cameFrom.set(next, path)
      queue.push(next)
    }
  }
  return undefined
}

function wayTo(path: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const way = [path]
  for (let step = cameFrom.get(path); step !== undefined; step = cameFrom.get(step)) way.unshift(step)
  return way
}
