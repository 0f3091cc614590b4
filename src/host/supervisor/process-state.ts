import { readdirSync, readFileSync } from 'node:fs'

/** What a process, or a thread, is doing. */
export interface ProcessState {
  /** Milliseconds of CPU time since it began. */
  readonly cpu: number
  /** Whether it could compute if it were given a CPU. A process that waits is not runnable. */
  readonly runnable: boolean
}

/** The kernel counts CPU time in ticks of 10 ms. */
const TICK = 10

/** Reads the state of a thread of this process; the main thread has the id of the process. Undefined except on Linux. */
export function threadState(thread: number): ProcessState | undefined {
  return read(`/proc/self/task/${thread}/stat`)
}

/** Reads the state of a process with all its threads. Undefined if it has ended, and except on Linux. */
export function processState(pid: number): ProcessState | undefined {
  const whole = read(`/proc/${pid}/stat`)
  return whole && { cpu: whole.cpu, runnable: threadsOf(pid).some((thread) => thread.runnable) }
}

/** Reads the state of this process. It is runnable if a thread other than the calling one is. Undefined except on Linux. */
export function ownState(): ProcessState | undefined {
  const whole = read('/proc/self/stat')
  return (
    whole && { cpu: whole.cpu, runnable: threadsOf('self').filter(({ runnable }) => runnable).length > 1 }
  )
}

function threadsOf(pid: number | 'self'): ProcessState[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(
      (thread) => read(`/proc/${pid}/task/${thread}/stat`) ?? [],
    )
  } catch {
    return []
  }
}

function read(file: string): ProcessState | undefined {
  try {
    return parseStat(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** `pid (name) state ppid …`, where the name may contain anything. CPU time in user and in kernel mode are fields 14 and 15. */
export function parseStat(text: string): ProcessState | undefined {
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const cpu = TICK * (Number(fields[10]) + Number(fields[11]))
  return Number.isNaN(cpu) ? undefined : { cpu, runnable: state === 'R' }
}
