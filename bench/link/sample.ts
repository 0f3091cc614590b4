import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import type { Sample } from '../bench.ts'
import { median } from '../median.ts'
import { heap, perCall } from '../sampling.ts'

/** A connection of a contestant. It reconnects when the server resets it. */
export interface Client {
  send(frame: Uint8Array): void
  ask(text: string): void
  close(): Promise<void>
}

export type Connect = (url: string, events: { ready(): void; message(): void }) => Promise<Client>

const burst = 100
const drops = 100
const many = 300

/** Measures a contestant against a server in another process, which is not measured. */
export async function sample(connect: Connect): Promise<Sample> {
  const server = fork(fileURLToPath(new URL('far-end.js', import.meta.url)))
  try {
    const [url] = (await once(server, 'message')) as [string]
    // First a warm-up: memory that the JIT and the platform's pools keep does not belong to a connection.
    await memory(connect, url)
    return {
      ...(await memory(connect, url)),
      frame: await frames(connect, url),
      reconnect: await reconnects(connect, url),
    }
  } finally {
    server.disconnect()
  }
}

async function frames(connect: Connect, url: string): Promise<number> {
  const frame = new Uint8Array(640).fill(7)
  let left = 0
  let done = (): void => {}
  const message = (): void => {
    if (--left === 0) done()
  }
  const client = await connect(url, { ready() {}, message })
  const took = await perCall(
    () =>
      new Promise<void>((resolve) => {
        done = resolve
        left = burst
        for (let n = 0; n < burst; n++) client.send(frame)
      }),
  )
  await client.close()
  return took / burst
}

async function reconnects(connect: Connect, url: string): Promise<number> {
  let ready = (): void => {}
  const client = await connect(url, { ready: () => ready(), message() {} })
  const took: number[] = []
  for (let n = 0; n < drops; n++) {
    const began = performance.now()
    await new Promise<void>((resolve) => {
      ready = resolve
      client.ask('drop')
    })
    took.push(performance.now() - began)
  }
  await client.close()
  return median(took)
}

async function memory(connect: Connect, url: string): Promise<{ heap: number; kept: number }> {
  const before = heap()
  const clients: Client[] = []
  for (let n = 0; n < many; n++) clients.push(await connect(url, { ready() {}, message() {} }))
  const open = (heap() - before) / many / 1_024
  await Promise.all(clients.map((client) => client.close()))
  clients.length = 0
  await new Promise((resolve) => setTimeout(resolve, 50))
  return { heap: open, kept: Math.max(0, (heap() - before) / many / 1_024) }
}
