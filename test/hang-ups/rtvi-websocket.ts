import { RtviCalls } from '../../src/lines/rtvi-websocket/index.ts'
import { Scope, systemClock, systemRandom, type Clock, type Random } from '../../src/scope/index.ts'
import type { World } from '../../src/testing/index.ts'
import { RealWires } from '../lines/real-wires.ts'
import { RtviTestClient, type ClientWires } from '../lines/rtvi-client.ts'
import { dialRtvi, localPage, startCall } from '../lines/rtvi-fixture.ts'
import { SimWires } from '../lines/sim-wires.ts'
import { TcpProxy } from '../lines/tcp-proxy.ts'
import { within } from '../phone/within.ts'
import type { LineClient, LineStage, OpenStage } from './line-stage.ts'

/** How long the other side may take to notice that we have ended a connection. */
const NOTICE_TIMEOUT = 2_000

interface Network {
  readonly wires: ClientWires
  readonly url: string
  /** How many connections the server has. Waits a moment until there is none. */
  connections(): Promise<number>
  cut(): void
  vanish(): void
  end(): Promise<void>
}

interface Parts {
  readonly clock: Clock
  readonly random: Random
  readonly calls: RtviCalls
  readonly scope: Scope<string>
  readonly network: Network
}

/** RTVI over WebSocket, in virtual time and on simulated sockets. */
export const rtviInWorld =
  (world: World): OpenStage =>
  async (onCall) => {
    const { clock, random } = world
    const scope = scopeOn(clock)
    const calls = new RtviCalls({ scope, onCall, maxCalls: 1 })
    const wires = new SimWires(
      world,
      dialRtvi(() => calls),
    )
    const network: Network = {
      wires,
      url: 'ws://localhost:4600',
      connections: async () => wires.connections,
      cut: () => wires.cut(),
      vanish: () => wires.vanish(),
      end: async () => {},
    }
    return new RtviStage({ clock, random, calls, scope, network })
  }

/** RTVI over WebSocket, on real sockets. */
export const rtviOnSockets: OpenStage = async (onCall) => {
  const scope = scopeOn(systemClock)
  const calls = new RtviCalls({ scope, onCall, maxCalls: 1, lostTimeout: 1_000 })
  const wires = await RealWires.listen(systemClock, { upgrade: (...upgrade) => calls.upgrade(...upgrade) })
  const proxy = await TcpProxy.listen(Number(new URL(wires.url).port))
  const network: Network = {
    wires,
    url: `ws://127.0.0.1:${proxy.port}`,
    connections: async () => {
      await within(NOTICE_TIMEOUT, 'the end of all connections', proxy.idle())
      return proxy.open
    },
    cut: () => proxy.cut(),
    vanish: () => proxy.freeze(),
    end: async () => {
      await wires.close()
      await proxy.close()
    },
  }
  return new RtviStage({ clock: systemClock, random: systemRandom, calls, scope, network })
}

const scopeOn = (clock: Clock): Scope<string> =>
  new Scope<string>('calls', { clock, phases: ['tasks', 'resources'] })

class RtviStage implements LineStage {
  readonly silentWays = ['its network goes silent']
  readonly clock: Clock
  readonly random: Random
  readonly scope: Scope<string>
  readonly #calls: RtviCalls
  readonly #network: Network

  constructor({ clock, random, scope, calls, network }: Parts) {
    this.clock = clock
    this.random = random
    this.scope = scope
    this.#calls = calls
    this.#network = network
  }

  get size(): number {
    return this.#calls.size
  }

  get timers(): readonly string[] {
    return this.clock === systemClock ? [] : this.clock.timers.list().map(({ name }) => name)
  }

  async call(ready: boolean): Promise<LineClient> {
    const client = await this.#dial(await startCall(this.#calls, this.#network.url), ready)
    return clientOf(client, this.#network)
  }

  async refusals(): Promise<readonly string[]> {
    const { url } = this.#network
    const accepted: string[] = []
    if (!('refused' in (await this.#calls.start({ headers: localPage.headers, data: undefined }))))
      accepted.push('a call that is one too many')
    for (const [what, query] of Object.entries({ 'no token': '', 'a wrong token': '?token=abc.def' })) {
      const client = await this.#dial(`${url}/rtvi${query}`, true)
      await client.until(() => client.isConnected || client.end !== undefined)
      if (client.isConnected) accepted.push(what)
    }
    return accepted
  }

  connections(): Promise<number> {
    return this.#network.connections()
  }

  async end(): Promise<void> {
    await this.scope.close()
    await this.#network.end()
  }

  async #dial(address: string, ready: boolean): Promise<RtviTestClient> {
    const options = ready ? {} : ({ readyAfter: 'never' } as const)
    const client = new RtviTestClient(this.clock, this.#network.wires, address, options)
    await client.until(() => client.isOpen || client.end !== undefined)
    return client
  }
}

function clientOf(client: RtviTestClient, network: Network): LineClient {
  return {
    types: (text) => client.says('send-text', { content: text }),
    leaves: () => client.leaves(),
    closesTab: () => client.leaves(1001),
    dismissesAgent: () => client.says('disconnect-bot', {}),
    isCut: () => network.cut(),
    vanishes: () => {
      network.vanish()
      client.freezes()
    },
    get hears() {
      return client.heard.length > 0
    },
    get isGone() {
      return client.end !== undefined
    },
    get farewell() {
      return client.all('error').find(({ fatal }) => fatal)?.['error'] as string | undefined
    },
    until: (met) => client.until(met),
  }
}
