import type { Agent } from 'node:http'
import { noop } from '../scope/index.ts'
import type { Dispatcher } from './context.ts'
import { endIdle } from './patch-http.ts'

/** One guard's part of the pools that otherwise all share. */
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
   * A dispatcher like the shared one. Only undici's plain agent can be made again; what the user has set up, with a
   * proxy or with certificates, is not ours to copy.
   */
  dispatcher(shared: Dispatcher): Dispatcher | undefined {
    const made = this.#dispatchers.get(shared)
    if (made) return made
    if (!isPlainAgent(shared)) return undefined
    const own = new (shared.constructor as new () => Dispatcher)()
    this.#dispatchers.set(shared, own)
    return own
  }

  /** Ends the connections that wait for another request. Those with one under way finish it. */
  release(): void {
    for (const agent of this.#agents) endIdle(agent, this.#id)
    for (const dispatcher of this.#dispatchers.values()) dispatcher.close?.().catch(noop)
    // A request that comes now gets a pool of its own.
    this.#dispatchers = new Map()
  }

  /** Ends requests that wait for a connection, too. */
  destroy(error: Error): void {
    for (const dispatcher of this.#dispatchers.values()) dispatcher.destroy?.(error).catch(noop)
    this.#dispatchers = new Map()
    this.#agents.clear()
  }
}

/** Whether it is the agent of undici with no option set: then another one is just like it. */
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
