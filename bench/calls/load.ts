import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

import type { Sample } from '../bench.ts'
import { median } from '../median.ts'
import { cpuTime } from '../sampling.ts'
import type { CallersAnswer, CallersOrder, Far } from './callers.ts'

/** The server that is measured. */
export interface Server {
  readonly url: string
  /** The number of sessions, sockets and timers that are left. */
  left(): number
  close(): Promise<void>
}

const calls = 100
const framesPerSecond = 50
const stretches = 9
/** The minimum share of frames that must be on time: on a busy machine, late callers would mean a different load. */
const minFrameShare = 0.9

/** Measures a server with a hundred concurrent calls. */
export async function sample(far: Far, serve: () => Promise<Server>): Promise<Sample> {
  const server = await serve()
  const callers = fork(fileURLToPath(new URL('callers.js', import.meta.url)))
  const gone = new AbortController()
  callers.once('exit', () => gone.abort())
  const ask = async (order: CallersOrder): Promise<CallersAnswer> => {
    callers.send(order)
    // Rejects if the callers end, so that a call that is refused cannot hang the benchmark.
    const [answer] = (await once(callers, 'message', { signal: gone.signal })) as [CallersAnswer]
    return answer
  }
  const call = (): Promise<CallersAnswer> => ask({ type: 'call', url: server.url, calls, far })
  try {
    // Warm up twice: memory that the JIT and the platform's pools keep does not belong to a call.
    for (let n = 0; n < 2; n++) {
      await call()
      await during(2_000)
      await ask({ type: 'hang-up' })
      await during(500)
    }
    const before = { ...memory(), resources: resources() }
    await call()
    await during(3_000)
    const figures = { cpu: await cpuOf(() => ask({ type: 'count' })), delay: await delay() }
    const talking = memory()
    await ask({ type: 'hang-up' })
    await during(500)
    const after = memory()
    return {
      ...figures,
      memory: perCall(talking.memory - before.memory),
      voice: perCall(talking.buffers - before.buffers),
      kept: perCall(after.memory + after.buffers - before.memory - before.buffers),
      left: server.left() + Math.max(0, resources() - before.resources),
    }
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
  const expected = ((performance.now() - began) / 1_000) * framesPerSecond * calls
  for (const way of ['sent', 'heard'] as const) {
    const share = (after[way] - before[way]) / expected
    if (share < minFrameShare || share > 1 / minFrameShare)
      throw new Error(
        `the callers have ${way} ${Math.round(share * 100)} % of the expected frames: is the machine too busy?`,
      )
  }
  return median(samples) * 100
}

/** The 99th percentile of the event loop delay, in milliseconds. Measured separately, because measuring costs CPU time. */
async function delay(): Promise<number> {
  const resolution = 1
  const histogram = monitorEventLoopDelay({ resolution })
  histogram.enable()
  await during(4_000)
  histogram.disable()
  return Math.max(0, histogram.percentile(99) / 1e6 - resolution)
}

/** Bytes in use, and bytes of audio buffers, which are outside the heap. */
function memory(): { memory: number; buffers: number } {
  globalThis.gc!()
  globalThis.gc!()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return { memory: heapUsed + external - arrayBuffers, buffers: arrayBuffers }
}

/** KB per call. */
function perCall(bytes: number): number {
  return Math.max(0, bytes / calls / 1_024)
}

function resources(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout' && kind !== 'Immediate').length
}

function during(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

async function end(callers: ChildProcess): Promise<void> {
  if (callers.exitCode !== null || callers.signalCode !== null) return
  callers.disconnect()
  await once(callers, 'exit')
}
