import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import type { CallersAnswer, CallersOrder } from '../calls/callers.ts'
import { serveCalls, talk } from '../calls/serve-calls.ts'
import { servePhone } from '../phone/serve-phone.ts'
import { cpuTime } from '../sampling.ts'

/** Which line to measure, as JSON in the first argument of the process. */
export interface CapacityOrder {
  readonly line: CapacityLine
  /** The 99th percentile at which frames count as late, in milliseconds. */
  readonly late: number
  /** How many calls are added at a time. */
  readonly step: number
  readonly most: number
}

export type CapacityLine = 'browser' | 'phone'

/** What was measured with this many calls at once. */
export interface CapacityStep {
  readonly calls: number
  /** How late the server's timers fire, which delays every frame: the 99th percentile, in milliseconds. */
  readonly late: number
  /** The share of the frames that the callers should have sent. Below 0.9, the callers are the limit. */
  readonly sent: number
  /** The share of a core that the server took, in percent. */
  readonly cpu: number
}

export interface CapacityResult {
  /** Whether server and callers have a core each. */
  readonly pinned: boolean
  readonly steps: readonly CapacityStep[]
}

/** Milliseconds of a frame. */
const FRAME = 20

const lines = {
  browser: { far: 'line', serve: () => serveCalls(talk) },
  phone: { far: 'phone', serve: () => servePhone(talk) },
} as const

/** Ties a process to a core. Returns false where that is not possible. */
function pin(pid: number, core: number): boolean {
  try {
    execFileSync('taskset', ['-a', '-p', '-c', String(core), String(pid)], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const during = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function measure({ line, late, step, most }: CapacityOrder): Promise<CapacityResult> {
  const { far, serve } = lines[line]
  const callers = fork(fileURLToPath(new URL('../calls/callers.js', import.meta.url)))
  const pinned = pin(process.pid, 0) && pin(callers.pid!, 1)
  const server = await serve()
  const gone = new AbortController()
  callers.once('exit', () => gone.abort())
  const ask = async (order: CallersOrder): Promise<CallersAnswer> => {
    callers.send(order)
    const [answer] = (await once(callers, 'message', { signal: gone.signal })) as [CallersAnswer]
    return answer
  }
  const steps: CapacityStep[] = []
  for (let calls = step; calls <= most; calls += step) {
    await ask({ type: 'call', url: server.url, calls, far })
    await during(2_000)
    const before = await ask({ type: 'count' })
    const delay = monitorEventLoopDelay({ resolution: 1 })
    const from = performance.now()
    delay.enable()
    const took = await cpuTime(() => during(5_000))
    delay.disable()
    const ms = performance.now() - from
    const after = await ask({ type: 'count' })
    const sent = (after.sent - before.sent) / ((ms / FRAME) * calls)
    const found = { calls, late: Math.max(0, delay.percentile(99) / 1e6 - 1), sent, cpu: took / 10 / ms }
    steps.push(found)
    await ask({ type: 'hang-up' })
    await during(500)
    if (found.late > late || found.sent < 0.9) break
  }
  callers.disconnect()
  await once(callers, 'exit')
  await server.close()
  return { pinned, steps }
}

process.send!(await measure(JSON.parse(process.argv[2]!) as CapacityOrder))
process.disconnect()
