import type { Socket } from 'node:net'
import { systemClock } from '../scope/index.ts'
import { limits } from './limits.ts'

/** A connection that was opened outside every guard's context while a guard existed. */
export interface UnownedConnection {
  /** `host:port`, or the path of a pipe. */
  readonly to: string
  /** When it was opened, on the system's clock. */
  readonly at: number
}

/**
 * Connections that were opened outside every guard's context while guards existed. They may belong to a guarded session
 * whose work has lost its context, or to other code. That cannot be decided here, so they are reported.
 */
export class Unowned {
  readonly #open = new Set<UnownedConnection>()
  readonly #warned = new Set<string>()
  #omitted = 0

  /** Connections that were opened after `since` and are still open. */
  since(since: number): UnownedConnection[] {
    return [...this.#open].filter(({ at }) => at >= since)
  }

  /** How many connections exceeded the limit. */
  get omitted(): number {
    return this.#omitted
  }

  add(socket: Socket, to: string): void {
    if (process.env['NODE_ENV'] !== 'production') this.#warn(to)
    if (this.#open.size >= limits.unowned) {
      this.#omitted++
      return
    }
    const connection = { to, at: systemClock.now() }
    this.#open.add(connection)
    socket.once('close', () => this.#open.delete(connection))
  }

  /** Warns once per place in the code. */
  #warn(to: string): void {
    if (this.#warned.size >= limits.unownedWarnings) return
    const frames = (new Error('opened here').stack ?? '')
      .split('\n')
      .slice(1)
      .filter((line) => !/[/\\]guard[/\\](unowned|patch-net)\.[jt]s/.test(line) && !line.includes('node:'))
    const [place = ''] = frames
    if (this.#warned.has(place)) return
    this.#warned.add(place)
    process.emitWarning(
      `a connection to ${to} was opened outside every guard's context. If it belongs to a guarded session, ` +
        `enter the context with run, wrap, bind or iterate. If not, open it in outside()`,
      { type: 'GuardWarning', code: 'ENDWELL_UNOWNED', detail: frames.join('\n') },
    )
  }
}
