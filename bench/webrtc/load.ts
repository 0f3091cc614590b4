import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Sample } from '../bench.ts'
import { cpuPerCall, during, loopDelay } from '../talking.ts'
import type { CallersAnswer, CallersOrder } from './callers.ts'

/** The server that is measured. */
export interface Server {
  /** The address for offers. */
  readonly url: string
  close(): Promise<void>
}

const calls = 16

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
    const cpu = await cpuPerCall({ calls, count: () => ask({ type: 'count' }), stretches: 7, minShare: 0.85 })
    const delay = await loopDelay(3_000)
    const figures = { cpu, delay, memory: (memory() - before) / calls }
    return { ...figures, ...(await ending()) }
  } finally {
    await end(callers)
    await server.close()
  }
}

/** MB of the process, with its threads. */
function memory(): number {
  globalThis.gc!()
  globalThis.gc!()
  return process.memoryUsage().rss / 1_024 / 1_024
}

async function end(callers: ChildProcess): Promise<void> {
  if (callers.exitCode !== null || callers.signalCode !== null) return
  const exited = once(callers, 'exit')
  // The clients keep timers for half a minute.
  callers.kill('SIGKILL')
  await exited
}
