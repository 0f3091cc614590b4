import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { sine } from '../../src/audio/index.ts'
import { OpusEncoder } from '../../src/lines/webrtc/opus.ts'
import { WeriftClient } from '../../test/lines/werift-client.ts'
import type { Measure } from '../bench.ts'
import { median } from '../median.ts'
import { sample, type Server } from './load.ts'

const beeps = 30

/** A server whose connections live in one thread, which echoes their sound. */
async function serve(): Promise<Server> {
  const worker = new Worker(new URL('echo-thread.js', import.meta.url))
  const waiting = new Map<number, (sdp: string) => void>()
  let offers = 0
  worker.on('message', ({ id, sdp }: { id: number; sdp: string }) => waiting.get(id)?.(sdp))
  const answer = async (request: IncomingMessage): Promise<object> => {
    const { sdp, candidates } = JSON.parse(await text(request)) as { sdp?: string; candidates?: object[] }
    if (sdp === undefined) {
      worker.postMessage({ id: offers, candidates }, [])
      return { status: 'success' }
    }
    const id = ++offers
    const answered = new Promise<string>((resolve) => waiting.set(id, resolve))
    worker.postMessage({ id, sdp }, [])
    return { sdp: await answered, type: 'answer', pc_id: String(id) }
  }
  const server = createServer((request, response) => {
    answer(request)
      .then((body) => response.end(JSON.stringify(body)))
      .catch(() => response.writeHead(500).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      const exited = new Promise((resolve) => worker.once('exit', resolve))
      worker.postMessage({ id: 0 }, [])
      await exited
      server.closeAllConnections()
      server.close()
    },
  }
}

export const measure: Measure = async () => {
  const sound = await soundDelay(await serve())
  const figures = await sample(await serve(), async () => ({}))
  return { ...figures, sound }
}

/** Median milliseconds from a packet to its echo. */
async function soundDelay(server: Server): Promise<number> {
  const client = new WeriftClient({ url: server.url })
  await client.offers()
  await client.until(() => client.sentPings > 0)
  const encoder = new OpusEncoder(24_000)
  const loud = sine(300, { sampleRate: 24_000, duration: 20 }).samples
  const took: number[] = []
  for (let n = 0; n < beeps; n++) {
    const before = client.heard.length
    const began = performance.now()
    client.sendPacket(Buffer.from(encoder.encode(loud)), Math.round(began * 48) % 2 ** 32)
    await client.until(() => client.heard.length > before)
    took.push(performance.now() - began)
  }
  await client.close()
  await server.close()
  return median(took)
}
