import { Session, type Profiler } from 'node:inspector'
import { compiledLine, isAgentCode } from './code-lines.ts'
import type { CodeLine } from './finding.ts'

/** Microseconds between two samples. */
const INTERVAL = 1_000

/** The function of the agent in which a profile spent most of its time, and for how long. */
export interface Busiest {
  readonly ms: number
  readonly line: CodeLine
}

/** Profiles some work, and says which function of the agent took most of the time. */
export async function profile<T>(
  work: () => Promise<T>,
): Promise<{ value: T; busiest: Busiest | undefined }> {
  const session = new Session()
  session.connect()
  try {
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: INTERVAL })
    session.post('Profiler.start')
    const value = await work()
    const measured = await new Promise<Profiler.Profile | undefined>((resolve) => {
      session.post('Profiler.stop', (error, result) => resolve(error ? undefined : result.profile))
    })
    return { value, busiest: measured && busiestOf(measured) }
  } finally {
    session.disconnect()
  }
}

/** Adds up the time of each sample for the innermost function of the agent on its stack. */
function busiestOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Busiest | undefined {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const times = new Map<Profiler.ProfileNode['callFrame'], number>()
  for (const [index, sample] of samples.entries()) {
    let id: number | undefined = sample
    while (id !== undefined && !isAgentCode(byId.get(id)!.callFrame.url)) id = parents.get(id)
    if (id === undefined) continue
    const { callFrame } = byId.get(id)!
    times.set(callFrame, (times.get(callFrame) ?? 0) + (timeDeltas[index + 1] ?? 0) / 1_000)
  }
  const [most] = [...times].toSorted(([, one], [, other]) => other - one)
  if (!most) return undefined
  const [{ functionName, url, lineNumber, columnNumber }, ms] = most
  return {
    ms,
    line: compiledLine({ name: functionName, url, line: lineNumber + 1, column: columnNumber + 1 }),
  }
}
