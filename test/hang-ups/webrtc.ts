import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Worker } from 'node:worker_threads'
import { WebRtcCalls } from '../../src/lines/webrtc/index.ts'
import { Scope, noop, systemClock, systemRandom } from '../../src/scope/index.ts'
import { WeriftClient } from '../lines/werift-client.ts'
import type { LineClient, LineStage, OpenStage } from './line-stage.ts'

/** The threads that the requests to a server have started. Servers of several stages run at the same time. */
const startedThreads = new AsyncLocalStorage<Set<Worker>>()
process.on('worker', (worker) => startedThreads.getStore()?.add(worker))

/** RTVI over WebRTC, on real sockets: its connections live in threads, which know no other time. */
export const webRtcOnSockets: OpenStage = async (onCall) => {
  const scope = new Scope<string>('calls', { phases: ['tasks', 'resources'] })
  // A thread has to compile its program here.
  const calls = new WebRtcCalls({ scope, onCall, maxCalls: 1, connectTimeout: 60_000 })
  const threads = new Set<Worker>()
  const server = createServer((request, response) => {
    const isTaken = startedThreads.run(threads, () => calls.request(request, response))
    if (!isTaken) response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return new WebRtcHangUpStage(scope, calls, { server, threads })
}

class WebRtcHangUpStage implements LineStage {
  readonly clock = systemClock
  readonly random = systemRandom
  readonly timers = []
  /** Nothing tells a server that a tab is closed, or that packets get lost. */
  readonly silentWays = ['its tab is closed', 'its connection breaks', 'its network goes silent']
  readonly scope: Scope<string>
  readonly #calls: WebRtcCalls
  readonly #server: Server
  readonly #threads: ReadonlySet<Worker>
  readonly #clients: WeriftClient[] = []

  constructor(
    scope: Scope<string>,
    calls: WebRtcCalls,
    { server, threads }: { server: Server; threads: ReadonlySet<Worker> },
  ) {
    this.scope = scope
    this.#calls = calls
    this.#server = server
    this.#threads = threads
  }

  get size(): number {
    return this.#calls.size
  }

  async call(ready: boolean): Promise<LineClient> {
    const client = this.#client('', ready)
    const { status, body } = await client.offers()
    if (status !== 200) throw new Error(JSON.stringify(body))
    return clientOf(client, this.#threads)
  }

  async refusals(): Promise<readonly string[]> {
    const accepted: string[] = []
    for (const [what, query] of Object.entries({ 'no token': '', 'a wrong token': '?token=abc.def' })) {
      const { status } = await this.#client(query, true).offers()
      if (status === 200) accepted.push(what)
    }
    return accepted
  }

  /** The threads that are left: each of them may have connections. */
  async connections(): Promise<number> {
    const { threads } = this.#calls.inspect() as { threads: number }
    return threads
  }

  async end(): Promise<void> {
    await this.scope.close()
    for (const client of this.#clients) await client.close()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #client(query: string, ready: boolean): WeriftClient {
    const { port } = this.#server.address() as AddressInfo
    const client = new WeriftClient({ url: `http://127.0.0.1:${port}/api/offer${query}`, ready })
    this.#clients.push(client)
    return client
  }
}

function clientOf(client: WeriftClient, threads: ReadonlySet<Worker>): LineClient {
  const vanishes = (): void => void client.vanishes().catch(noop)
  return {
    types: (text) => client.says('send-text', { content: text }),
    leaves: () => client.leaves(),
    closesTab: vanishes,
    dismissesAgent: () => client.says('disconnect-bot', {}),
    isCut: vanishes,
    vanishes,
    losesThread: () => {
      // `terminate()` would end this process, too, if a packet arrives at the wrong moment.
      for (const thread of threads) thread.postMessage({ type: 'exit' }, [])
    },
    get hears() {
      return client.audible > 0
    },
    get isGone() {
      return client.hasEnded
    },
    get farewell() {
      return client.messages.find(({ type }) => type === 'peerLeft')?.type
    },
    until: (met) => client.until(met),
  }
}
