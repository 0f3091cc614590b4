import { Agent } from 'node:http'
import { contextOf, type Runtime } from './runtime.ts'

/** The option of a connection that holds the id of its guard. */
const owner: unique symbol = Symbol.for('endwell/guard/owner')

interface Options {
  readonly [owner]?: number
}
interface Patched {
  addRequest: (this: Agent, request: unknown, options: unknown, ...rest: unknown[]) => unknown
  getName: (this: Agent, options?: Options) => string
}

/**
 * Splits the pool of every HTTP agent by guard: a connection opened by one session is never used by another, so that
 * cutting it cannot break another session's request. Agents pool connections by name, and the guard's id is added to it.
 */
export function patchHttp(runtime: Runtime): void {
  const prototype = Agent.prototype as unknown as Patched
  const { addRequest, getName } = prototype
  prototype.addRequest = function (request, options, ...rest) {
    const context = contextOf(runtime)
    if (!context || typeof options !== 'object')
      return Reflect.apply(addRequest, this, [request, options, ...rest])
    context.agent(this)
    return Reflect.apply(addRequest, this, [request, { ...options, [owner]: context.id }, ...rest])
  }
  prototype.getName = function (options) {
    const name: string = Reflect.apply(getName, this, [options])
    const id = options?.[owner]
    return id === undefined ? name : `${name}:guard ${id}:`
  }
}

/** Ends the idle connections of one guard in an agent's pool. */
export function endIdle(agent: Agent, id: number): void {
  for (const [name, sockets] of Object.entries(agent.freeSockets)) {
    if (!name.includes(`:guard ${id}:`)) continue
    for (const socket of Array.from(sockets ?? [])) socket.destroy()
  }
}
