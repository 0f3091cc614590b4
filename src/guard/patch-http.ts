import { Agent } from 'node:http'
import { contextOf, type Runtime } from './runtime.ts'

/** Where the options of a connection say whose it is. */
const owner: unique symbol = Symbol.for('endwell/guard/owner')

interface Options {
  readonly [owner]?: number
}
interface Patched {
  addRequest: (this: Agent, request: unknown, options: unknown, ...rest: unknown[]) => unknown
  getName: (this: Agent, options?: Options) => string
}

/**
 * Splits the pool of every HTTP agent by guard: a connection that one session has opened is never used by another, so
 * that ending it ends nobody else's request. An agent pools by name, and the name gets the guard's number.
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

/** Ends the connections of one guard that an agent keeps for later, and no others. */
export function endIdle(agent: Agent, id: number): void {
  for (const [name, sockets] of Object.entries(agent.freeSockets)) {
    if (!name.includes(`:guard ${id}:`)) continue
    for (const socket of Array.from(sockets ?? [])) socket.destroy()
  }
}
