import type { AfterCallHandlers, AgentFile, CallOptions } from '../../host/index.ts'
import type { Agent, SessionReport } from '../../session/index.ts'
import type { VirtualTime } from '../virtual-time.ts'
import type { CodeKind, CodePlace } from './code-run.ts'
import type { HuntedCode } from './hunted-code.ts'
import { limits } from './limits.ts'

/** The phone numbers of a call. */
const CALLER = '+15550100'
const AGENT = '+15550199'

/** Options of a session that a hunt sets itself, or that would only cost time. */
const leftOut: ReadonlySet<string> = new Set<keyof CallOptions>([
  'clock',
  'random',
  'network',
  'recording',
  'sounds',
  'logger',
  'priceList',
  'prices',
  'budget',
])

/** The agent file of one call: its functions run as hunted code. */
export class HuntedFile {
  /** The id of the call. */
  readonly call: string
  readonly #file: AgentFile
  readonly #code: HuntedCode

  constructor(file: AgentFile, code: HuntedCode, call: string) {
    this.#file = file
    this.#code = code
    this.call = call
  }

  agent(direction: 'inbound' | 'outbound'): Agent {
    const { agent } = this.#file
    if (typeof agent !== 'function') return agent
    const [from, to] = direction === 'inbound' ? [CALLER, AGENT] : [AGENT, CALLER]
    const info = { id: this.call, line: 'phone', direction, from, to, parameters: {} }
    return this.#code.run(place('hook', 'the function `agent` of the file'), undefined, () => agent(info))
  }

  /** The options of the file's sessions that make sense in a hunt: no recordings, no logs, no sounds, no prices. */
  sessionOptions(keepsTurns: boolean): Partial<CallOptions> {
    const { turns, afterCall = [], ...own } = this.#options()
    const kept = Object.entries(own).filter(([name]) => !leftOut.has(name))
    const handlers = typeof afterCall === 'function' ? [afterCall] : afterCall
    return {
      ...Object.fromEntries(kept),
      ...(keepsTurns && turns ? { turns } : {}),
      afterCall: handlers.map((handler, index): typeof handler => {
        const label = `the afterCall function '${handler.name || index + 1}' of the session`
        return (report, context) =>
          this.#code.run(place('after-call', label), context.signal, () => handler(report, context))
      }),
    }
  }

  /** Runs the after-call handlers of the file, one after another, each for as long as a host would let it. */
  async runHandlers(report: SessionReport, handlers: AfterCallHandlers, time: VirtualTime): Promise<void> {
    const { clock } = time
    const { afterCallTimeout = 60_000 } = this.#file
    for (const [name, handler] of Object.entries(handlers)) {
      const label = `the after-call handler '${name}'`
      const cut = new AbortController()
      let isOver = false
      const over = (): void => {
        isOver = true
      }
      const timer = clock.happen(afterCallTimeout, 'the time of a handler is up', () => {
        cut.abort()
        clock.happen(2 * limits.slowStop, 'a handler has not stopped', over)
      })
      const context = { key: `${report.id}:${name}`, call: report.id, attempt: 1, signal: cut.signal }
      const work = async (): Promise<unknown> => handler(report, context)
      this.#code.run(place('after-call', label), cut.signal, work).then(over, over)
      await time.until(() => isOver, { what: label })
      timer.clear()
    }
  }

  #options(): CallOptions {
    const { session = {} } = this.#file
    if (typeof session !== 'function') return session
    const part = { id: this.call, part: 1 }
    return this.#code.run(place('hook', 'the function `session` of the file'), undefined, () => session(part))
  }
}

function place(kind: CodeKind, label: string): CodePlace {
  return { kind, label }
}
