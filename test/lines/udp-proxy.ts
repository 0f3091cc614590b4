import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { systemClock, type Timer } from '../../src/scope/index.ts'
import { SimRandom } from '../../src/testing/index.ts'

export interface Weather {
  /** The share of packets that are lost, from 0 to 1. Default: 0. */
  readonly loss?: number
  /** Milliseconds by which packets are delayed, at most. They overtake each other. Default: 0. */
  readonly delay?: number
}

/** A network between a client and a server on this machine, over UDP, that loses, delays and reorders packets. */
export class UdpProxy {
  weather: Weather = {}
  readonly #front = createSocket('udp4')
  /** A socket per client, with which the server sees it. */
  readonly #backs = new Map<string, Socket>()
  readonly #late = new Set<Timer>()
  readonly #random = new SimRandom(1)
  readonly #target: number
  lost = 0
  passed = 0

  private constructor(target: number) {
    this.#target = target
    this.#front.on('message', (packet, from) => this.#pass(this.#backOf(from), packet, this.#target))
  }

  /** Passes packets on to a port of the server. */
  static async open(target: number): Promise<UdpProxy> {
    const proxy = new UdpProxy(target)
    await new Promise<void>((resolve) => proxy.#front.bind(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    return this.#front.address().port
  }

  close(): void {
    for (const timer of this.#late) timer.clear()
    for (const socket of [this.#front, ...this.#backs.values()]) socket.close()
  }

  #backOf({ address, port }: RemoteInfo): Socket {
    const client = `${address}:${port}`
    const known = this.#backs.get(client)
    if (known) return known
    const back = createSocket('udp4')
    back.on('message', (packet) => this.#pass(this.#front, packet, port, address))
    this.#backs.set(client, back)
    return back
  }

  #pass(socket: Socket, packet: Buffer, port: number, address = '127.0.0.1'): void {
    const { loss = 0, delay = 0 } = this.weather
    if (this.#random.next() < loss) return void this.lost++
    this.passed++
    if (delay === 0) return socket.send(packet, port, address)
    const timer = systemClock.after(this.#random.next() * delay, 'a packet is late', () => {
      this.#late.delete(timer)
      socket.send(packet, port, address)
    })
    // It belongs to the network, and not to what is tested.
    systemClock.timers.remove(timer as never)
    this.#late.add(timer)
    return undefined
  }
}
