import { existsSync, readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/scope/index.ts'
import type { CrashHost } from '../crash/crash-host.ts'
import { pause } from '../crash/faults.ts'
import { kill, type ProcessRole } from '../crash/processes.ts'
import { PROBES, type Probe } from './probe.ts'

/** What one process of the host holds. */
export interface ProcessSample extends Probe {
  readonly role: ProcessRole
  readonly files: number
  readonly sockets: number
}

/** What the host holds at one moment. Memory is in MB. */
export interface Sample {
  readonly at: number
  readonly processes: readonly ProcessSample[]
  readonly rss: number
  /** Live objects and buffers outside of the heap. */
  readonly heap: number
  /** Open file descriptors. */
  readonly files: number
  readonly sockets: number
  /** Open handles and requests in Node, without timers. */
  readonly resources: number
  /** Of the journal and its write-ahead log. 0 if it is in Postgres. */
  readonly journal: number
}

const MB = 1024 * 1024
/** How long the processes have to write their probes, in milliseconds. */
const WRITES = 500
const roles: readonly ProcessRole[] = ['supervisor', 'calls', 'work']

/** Asks all processes of the host what they hold. */
export async function takeSample(host: CrashHost, folder: string): Promise<Sample> {
  const found = roles.flatMap((role) => host.processes(role).map((pid) => ({ pid, role })))
  const probed = found.filter(({ pid }) => existsSync(probeOf(folder, pid)))
  for (const { pid } of probed) kill(pid, 'SIGUSR2')
  await pause(WRITES)
  const processes = probed.flatMap(({ pid, role }) => read(folder, pid, role))
  const total = (of: (each: ProcessSample) => number): number =>
    processes.reduce((sum, each) => sum + of(each), 0)
  return {
    at: systemClock.now(),
    processes,
    rss: total(({ rss }) => rss) / MB,
    heap: total(({ heap, external }) => heap + external) / MB,
    files: total(({ files }) => files),
    sockets: total(({ sockets }) => sockets),
    resources: total(({ resources }) => Object.values(resources).reduce((sum, each) => sum + each, 0)),
    journal: sizeOf(host.data) / MB,
  }
}

const probeOf = (folder: string, pid: number): string => join(folder, PROBES, `${pid}.json`)

/** Empty if the process has ended meanwhile. */
function read(folder: string, pid: number, role: ProcessRole): ProcessSample[] {
  try {
    const probe = JSON.parse(readFileSync(probeOf(folder, pid), 'utf8')) as Probe
    const links = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => target(`/proc/${pid}/fd/${fd}`))
    const sockets = links.filter((link) => link.startsWith('socket:')).length
    return [{ ...probe, role, files: links.length, sockets }]
  } catch {
    return []
  }
}

/** Empty if it was closed meanwhile. */
function target(link: string): string[] {
  try {
    return [readlinkSync(link)]
  } catch {
    return []
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => {
      const file = join(parentPath, name)
      return sum + (existsSync(file) ? statSync(file).size : 0)
    }, 0)
}
