import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { noop } from '../../../src/scope/index.ts'
import { WorkerProcess } from '../../../src/host/supervisor/worker-process.ts'

describe('a worker process', () => {
  it('gives back the connections that it did not get before it was killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'endwell-worker-'))
    const entry = join(folder, 'worker.mjs')
    writeFileSync(entry, "process.on('message', () => {}); process.kill(process.pid, 'SIGSTOP')")
    const server = createServer({ pauseOnConnect: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const peers: Socket[] = []
    const accept = async (): Promise<Socket> => {
      const accepted = once(server, 'connection') as Promise<[Socket]>
      peers.push(connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', noop))
      return (await accepted)[0]
    }
    try {
      let exited = noop
      const exit = new Promise<void>((resolve) => (exited = resolve))
      const worker = new WorkerProcess({
        identity: { name: 'w1', role: 'calls', closeTimeout: 1_000 },
        program: { entry, execArgv: [] },
        events: { message: noop, passed: noop, watchdog: noop, misbehaved: noop, line: noop, exited },
      })
      const returned: number[] = []
      // The process is stopped, so it confirms none.
      for (const index of [0, 1, 2]) worker.hand(await accept(), () => returned.push(index))
      worker.kill()
      await exit
      expect(returned).toEqual([0, 1, 2])
    } finally {
      for (const peer of peers) peer.destroy()
      server.close()
      rmSync(folder, { recursive: true })
    }
  })
})
