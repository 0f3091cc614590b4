import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import type { Sample } from '../bench.ts'
import { median } from '../median.ts'
import { cpuTime } from '../sampling.ts'
import type { CallersAnswer, CallersOrder } from './callers.ts'

/** The server that is measured. */
export interface Server {
  /** The address for offers. */
  readonly url: string
  close(): Promise<void>
}

const calls = 16
const packetsPerSecond = 50
const stretches = 7
/** The minimum share of packets that must be on time: on a busy machine, late callers would mean a different load. */
const minShare = 0.85

/** Measures a server with sixteen concurrent calls. `ending` runs while they last, and returns further figures. */
export async function sample(server: Server, ending: () => Promise<Sample>): Promise<Sample> {
  const callers = fork(fileURLToPath(new URL('callers.js', import.meta.url)))
  const gone = new AbortController()
  callers.once('exit', () => gone.abort())
  const ask = async (order: CallersOrder): Promise<CallersAnswer> => {
    callers.send(order)
    const [answer] = (await once(callers, 'message', { signal: gone.signal })) as [CallersAnswer]
    return answer
  }
  try {
    const before = memory()
    await ask({ type: 'call', url: server.url, calls })
    await during(3_000)
    const cpu = await cpuOf(() => ask({ type: 'count' }))
    const delay = await loopDelay()
    const figures = { cpu, delay, memory: (memory() - before) / calls }
    return { ...figures, ...(await ending()) }
  } finally {
    await end(callers)
    await server.close()
  }
}

/** Percent of a core per call. */
async function cpuOf(count: () => Promise<CallersAnswer>): Promise<number> {
  const before = await count()
  const began = performance.now()
  const samples: number[] = []
  for (let n = 0; n < stretches; n++) {
    const from = performance.now()
    const took = await cpuTime(() => during(1_000))
    samples.push(took / 1_000 / (performance.now() - from) / calls)
  }
  const after = await count()
  const expected = ((performance.now() - began) / 1_000) * packetsPerSecond * calls
  for (const way of ['sent', 'heard'] as const) {
    const share = (after[way] - before[way]) / expected
    if (share < minShare || share > 1 / minShare)
      throw new Error(
        `the callers have ${way} ${Math.round(share * 100)} % of the expected packets: is the machine too busy?`,
      )
  }
  return median(samples) * 100
}

/** The 99th percentile of the delay of the main thread's event loop, in milliseconds. */
async function loopDelay(): Promise<number> {
  const resolution = 1
  const histogram = monitorEventLoopDelay({ resolution })
  histogram.enable()
  await during(3_000)
  histogram.disable()
  return Math.max(0, histogram.percentile(99) / 1e6 - resolution)
}

/** MB of the process, with its threads. */
function memory(): number {
  globalThis.gc!()
  globalThis.gc!()
  return process.memoryUsage().rss / 1_024 / 1_024
}

function during(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

async function end(callers: ChildProcess): Promise<void> {
  if (callers.exitCode !== null || callers.signalCode !== null) return
  const exited = once(callers, 'exit')
  // The clients keep timers for half a minute.
  callers.kill('SIGKILL')
  await exited
}
