import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { spareMemory } from '../../src/audio/send-window.ts'
import type { Sample } from '../bench.ts'
import { profiled } from '../profile.ts'
import { cpuPerCall, during, loopDelay } from '../talking.ts'
import type { CallersAnswer, CallersOrder, Far } from './callers.ts'

/** The server that is measured. */
export interface Server {
  readonly url: string
  /** The number of sessions, sockets and timers that are left. */
  left(): number
  close(): Promise<void>
}

const calls = 100
/** Milliseconds of talk before anything is measured. */
const WARM_UP = 20_000

/** Measures a server with a hundred concurrent calls. `profiles`: also where its CPU time goes. */
export async function sample(far: Far, serve: () => Promise<Server>, profiles = false): Promise<Sample> {
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
  const hangUp = async (): Promise<void> => {
    await ask({ type: 'hang-up' })
    await during(500)
  }
  try {
    // In calls that have lasted for a while: first the JIT compiles what a reply needs, which most calls do a few times only.
    await call()
    await during(WARM_UP)
    const cpu = await cpuPerCall({ calls, count: () => ask({ type: 'count' }), stretches: 9, minShare: 0.9 })
    const figures = { cpu, delay: await loopDelay(4_000), ...(profiles ? await partsOf(cpu) : {}) }
    await hangUp()
    // Not before: a full collection discards optimized code whose objects are dead, and it would be compiled again.
    const before = { ...memory(), resources: resources() }
    await call()
    await during(3_000)
    const talking = memory()
    await hangUp()
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

/** What the CPU time of a call is spent on. */
async function partsOf(cpu: number): Promise<Sample> {
  const shares = await profiled(
    {
      collector: /^\(garbage collector\)$/,
      vad: /\/providers\/local\//,
      session: /\/src\/(session|parts|scope)\//,
      line: /\/src\/(lines|audio|link)\//,
      stubs: /\/bench\//,
      platform: /./,
    },
    () => during(5_000),
  )
  return Object.fromEntries(Object.entries(shares).map(([part, share]) => [part, share * cpu]))
}

/** Bytes in use, and bytes of audio buffers, which are outside the heap. Blocks that no call uses are neither. */
function memory(): { memory: number; buffers: number } {
  globalThis.gc!()
  globalThis.gc!()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return { memory: heapUsed + external - arrayBuffers, buffers: arrayBuffers - spareMemory() }
}

/** KB per call. */
function perCall(bytes: number): number {
  return Math.max(0, bytes / calls / 1_024)
}

function resources(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout' && kind !== 'Immediate').length
}

async function end(callers: ChildProcess): Promise<void> {
  if (callers.exitCode !== null || callers.signalCode !== null) return
  callers.disconnect()
  await once(callers, 'exit')
}
