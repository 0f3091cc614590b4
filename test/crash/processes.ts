import { readFileSync, readdirSync } from 'node:fs'

export type ProcessRole = 'supervisor' | 'calls' | 'work'

export interface HostProcess {
  readonly pid: number
  /** The name of its host. */
  readonly host: string
  readonly role: ProcessRole
}

/** All processes that run the programs of a folder, whoever has started them. Linux only. */
export function processesOf(programs: string): HostProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    return Number.isInteger(pid) && read(pid, 'cmdline').includes(programs) ? describe(pid) : []
  })
}

function describe(pid: number): HostProcess[] {
  const environment = new Map(
    read(pid, 'environ')
      .split('\0')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const host = environment.get('CRASH_NAME')
  const worker = environment.get('ENDWELL_WORKER')
  if (host === undefined) return []
  return [{ pid, host, role: worker === undefined ? 'supervisor' : (JSON.parse(worker) as HostProcess).role }]
}

/** Empty if the process has ended. */
function read(pid: number, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

export function kill(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}
