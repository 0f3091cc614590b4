// An agent whose process is killed by the first hang-up while its tool runs, and blocked by the second. A process that it has
// started outlives it, and holds its output open. HUNT_MARKS is a folder in which it remembers that between processes.
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, tool } from 'endwell'

function isFirst(name) {
  const mark = join(process.env.HUNT_MARKS, name)
  if (existsSync(mark)) return false
  writeFileSync(mark, '')
  return true
}

function die() {
  if (isFirst('killed')) {
    const { pid } = spawn('sleep', ['600'], { detached: true, stdio: 'inherit' })
    writeFileSync(join(process.env.HUNT_MARKS, 'pid'), String(pid))
    process.kill(process.pid, 'SIGKILL')
  }
  if (isFirst('blocked')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

export default {
  name: 'Deadly',
  agent: new Agent({
    name: 'deadly',
    instructions: 'You answer the phone.',
    tools: {
      work: tool({
        description: 'Works',
        run: async (_, { signal }) => {
          signal.addEventListener('abort', die)
          await sleep(1_000, undefined, { signal })
        },
      }),
    },
  }),
  models: () => ({}),
}
