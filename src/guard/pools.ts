import type { Agent } from 'node:http'
import { noop } from '../scope/index.ts'
import type { Dispatcher } from './context.ts'
import { endIdle } from './patch-http.ts'

/** One guard's part of the shared connection pools. */
export class Pools {
  readonly #id: number
  readonly #agents = new Set<Agent>()
  #dispatchers = new Map<Dispatcher, Dispatcher>()

  constructor(id: number) {
    this.#id = id
  }

  agent(agent: Agent): void {
    this.#agents.add(agent)
  }

  /**
   * Returns the guard's own copy of the shared dispatcher. Only undici's default agent can be copied, and not one that
   * the user has configured, for example with a proxy or certificates.
   */
  dispatcher(shared: Dispatcher): Dispatcher | undefined {
    const existing = this.#dispatchers.get(shared)
    if (existing) return existing
    if (!isPlainAgent(shared)) return undefined
    const own = new (shared.constructor as new () => Dispatcher)()
    this.#dispatchers.set(shared, own)
    return own
  }

  /** Ends idle connections. Requests in progress may finish. */
  release(): void {
    for (const agent of this.#agents) endIdle(agent, this.#id)
    for (const dispatcher of this.#dispatchers.values()) dispatcher.close?.().catch(noop)
    // Later requests get a new pool.
    this.#dispatchers = new Map()
  }

  /** Ends all connections and requests. */
  destroy(error: Error): void {
    for (const dispatcher of this.#dispatchers.values()) dispatcher.destroy?.(error).catch(noop)
    this.#dispatchers = new Map()
    this.#agents.clear()
  }
}

/** Whether this is undici's agent with default options, so that a new one is equivalent. */
function isPlainAgent(dispatcher: Dispatcher): boolean {
  if (dispatcher.constructor.name !== 'Agent') return false
  const own = (name: string): unknown => {
    const key = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === name)
    return key && Reflect.get(dispatcher, key)
  }
  const [options, factory] = [own('options'), own('factory')]
  if (typeof options !== 'object' || options === null || typeof factory !== 'function') return false
  const isUnset = (value: unknown): boolean => value === undefined || value === Infinity
  return factory.name === 'defaultFactory' && Object.values(options).every(isUnset)
}
