import { get } from 'node:http'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { noop, systemClock, type Timer } from '../../src/scope/index.ts'
import type { CrashHost } from './crash-host.ts'

/** How long a connection waits for a host, in milliseconds: less than a carrier waits for a webhook. */
const PATIENCE = 10_000
/** Milliseconds between two attempts to connect. */
const RETRY = 100

/**
 * A load balancer in front of the hosts of a site. Each connection goes to the next host that is ready; if it does not
 * accept, to the one after it.
 */
export class Front {
  readonly #server: Server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) =>
    this.#take(socket, systemClock.now()),
  )
  readonly #hosts: readonly CrashHost[]
  readonly #ready = new Set<CrashHost>()
  readonly #sockets = new Set<Socket>()
  readonly #lookEvery: number
  #look: Timer | undefined
  #turn = 0
  #closed = false

  private constructor(hosts: readonly CrashHost[], lookEvery: number) {
    this.#hosts = hosts
    this.#lookEvery = lookEvery
  }

  /** Looks at `/readyz` every `lookEvery` milliseconds. */
  static async listen(hosts: readonly CrashHost[], lookEvery: number): Promise<Front> {
    const front = new Front(hosts, lookEvery)
    await new Promise<void>((resolve) => front.#server.listen(0, '127.0.0.1', resolve))
    front.#check()
    return front
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#closed = true
    this.#look?.clear()
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #check(): void {
    for (const host of this.#hosts)
      isReady(host.url)
        .then((ready) => (ready ? this.#ready.add(host) : this.#ready.delete(host)))
        .catch(noop)
    this.#look = systemClock.after(this.#lookEvery, 'look for hosts that are ready', () => this.#check())
  }

  #take(socket: Socket, since: number): void {
    this.#sockets.add(socket)
    socket.on('error', noop)
    socket.once('close', () => this.#sockets.delete(socket))
    this.#route(socket, since, [...this.#ready])
  }

  #route(socket: Socket, since: number, hosts: readonly CrashHost[]): void {
    if (socket.destroyed || this.#closed) return void socket.destroy()
    const host = hosts[this.#turn++ % Math.max(1, hosts.length)]
    const rest = hosts.filter((each) => each !== host)
    const url = host?.url
    if (url === undefined)
      return rest.length > 0 ? this.#route(socket, since, rest) : this.#wait(socket, since)
    const { hostname, port } = new URL(url)
    const onward = connect({ host: hostname, port: Number(port), noDelay: true })
    this.#sockets.add(onward)
    let connected = false
    onward.once('connect', () => {
      connected = true
      socket.pipe(onward)
      onward.pipe(socket)
    })
    onward.on('error', noop)
    onward.once('close', () => {
      this.#sockets.delete(onward)
      if (connected) socket.destroy()
      else this.#route(socket, since, rest)
    })
    socket.once('close', () => onward.destroy())
    return undefined
  }

  #wait(socket: Socket, since: number): void {
    if (systemClock.now() - since > PATIENCE) return void socket.destroy()
    systemClock.after(RETRY, 'a host may be ready', () => this.#route(socket, since, [...this.#ready]))
    return undefined
  }
}

function isReady(url: string | undefined): Promise<boolean> {
  if (url === undefined) return Promise.resolve(false)
  return new Promise((resolve) => {
    const request = get(`${url}/readyz`, { agent: false, timeout: 2_000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}
