import { createServer, type AddressInfo, type Server } from 'node:net'

import { afterEach, expect } from 'vitest'

import type { ConnectionReport } from '../../../src/parts/index.ts'
import type { McpProcessOptions } from '../../../src/providers/mcp/index.ts'
import type { Timer } from '../../../src/scope/index.ts'
import { Agent, History, Session, type SessionOptions, type Toolset } from '../../../src/session/index.ts'
import {
  partContext,
  ScriptedLlm,
  ScriptedTts,
  SimClock,
  SimRandom,
  TestLine,
  type LlmAnswer,
} from '../../../src/testing/index.ts'
import { compiled } from '../../compiled.ts'
import { aLogger } from '../../session/fixture.ts'

/** Events that servers report to a test. */
export class Events {
  readonly list: string[] = []
  readonly #waiting = new Set<() => void>()

  readonly add = (event: string): void => {
    this.list.push(event)
    for (const check of this.#waiting) check()
  }

  /** Waits until this event was reported `times` times. */
  async waitFor(event: string | RegExp, times = 1): Promise<void> {
    const matches = (each: string): boolean => (typeof event === 'string' ? each === event : event.test(each))
    await this.until(() => this.list.filter(matches).length >= times)
  }

  /** Waits until the condition is true, which is checked after each event. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return
        this.#waiting.delete(check)
        resolve()
      }
      this.#waiting.add(check)
      check()
    })
  }

  count(event: string): number {
    return this.list.filter((each) => each === event).length
  }
}

/** Receives the events of the server processes that a test starts, and notices when they end. */
export class Witness {
  readonly events = new Events()
  readonly #server: Server
  readonly #port: number

  private constructor(server: Server) {
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
    server.on('connection', (socket) => {
      let rest = ''
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        const lines = `${rest}${chunk.toString()}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) this.events.add(line)
      })
      socket.on('close', () => this.events.add('disconnected'))
    })
  }

  static async listen(): Promise<Witness> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const witness = new Witness(server)
    witnesses.add(witness)
    return witness
  }

  /** The options that start a server with these manners. */
  server(...manners: readonly string[]): McpProcessOptions {
    const args = [compiled('mcp-server'), `${this.#port}`, ...manners]
    return { name: 'crm', command: process.execPath, args }
  }

  /** The pids of all processes so far, including their children. */
  get processes(): readonly number[] {
    return this.events.list.flatMap((event) => /^(?:pid|child) (\d+)$/.exec(event)?.[1] ?? []).map(Number)
  }

  /** The pids of the processes that are still running. */
  get alive(): readonly number[] {
    return this.processes.filter(isAlive)
  }

  stop(): void {
    for (const pid of this.alive) process.kill(pid, 'SIGKILL')
    this.#server.close()
  }
}

const witnesses = new Set<Witness>()
afterEach(() => {
  for (const witness of witnesses) witness.stop()
  witnesses.clear()
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A virtual clock on which a test can wait for timers to be set. */
class WatchedClock extends SimClock {
  readonly #timers = new Events()

  override after(ms: number, name: string, callback: () => void): Timer {
    const timer = super.after(ms, name, callback)
    this.#timers.add(name)
    return timer
  }

  /** Waits until a timer with this name is set. */
  async set(timer: string): Promise<void> {
    await this.#timers.until(() => this.timers.list().some(({ name }) => name === timer))
  }

  /** Waits until a timer with this name is set, and advances the clock until it has fired. */
  async fire(timer: string): Promise<void> {
    await this.set(timer)
    while (this.step() !== timer);
  }
}

/**
 * A context with a virtual clock: nothing times out unless the test advances the clock, however slow the machine is. It
 * records the log and the ends of connections.
 */
export function aContext() {
  const clock = new WatchedClock()
  const { logger, lines } = aLogger()
  const context = partContext({ clock, random: new SimRandom(0) }, { logger })
  const ends = new Events()
  return {
    ...context,
    clock,
    fire: (timer: string) => clock.fire(timer),
    lines,
    ends,
    ended: (connection: ConnectionReport) => {
      context.ended(connection)
      ends.add(connection.how)
    },
    /** Closes the scope and checks that no timer is left. */
    close: async () => {
      const report = await context.scope.close()
      expect(clock.timers.list()).toEqual([])
      return report
    },
  }
}

/** The context for a tool that a test calls itself. */
export function aToolContext(signal: AbortSignal = new AbortController().signal) {
  const updates: string[] = []
  const missing = (): never => {
    throw new Error('not available in this test')
  }
  return {
    id: 'call-1',
    name: 'tool',
    signal,
    updates,
    progress: (update: string) => void updates.push(update),
    waitForPlayout: missing,
    history: new History(),
    say: missing,
    ifCancelled: missing,
    press: missing,
    recordCall: missing,
    run: missing,
    own: missing,
    hangUp: missing,
    hold: missing,
    transfer: missing,
    answeredBy: missing,
    leaveMessage: missing,
    close: missing,
  }
}

/** A session in real time whose agent has these toolsets. */
export function aRealCall(
  toolsets: readonly Toolset[],
  answers: readonly LlmAnswer[],
  options: Partial<SessionOptions> = {},
) {
  const llm = new ScriptedLlm({ answers })
  const session = new Session({
    agent: new Agent({ name: 'desk', instructions: 'You answer the phone.', toolsets }),
    models: { llm, tts: new ScriptedTts({ msPerCharacter: 1 }) },
    line: new TestLine(),
    id: 'test',
    ...options,
  })
  return { session, llm }
}
