import type { Socket } from 'node:net'
import { systemClock } from '../scope/index.ts'
import { limits } from './limits.ts'

/** A connection that belongs to no guard, although it was opened while there was one. */
export interface UnownedConnection {
  /** `host:port`, or the path of a pipe. */
  readonly to: string
  /** When it was opened, on the system's clock. */
  readonly at: number
}

/**
 * Connections that were opened in no guard's context while guards lived. They may be a guarded session's, whose work has
 * slipped out of its context, or somebody else's: nobody can tell, so it is said.
 */
export class Unowned {
  readonly #open = new Set<UnownedConnection>()
  readonly #warned = new Set<string>()
  #omitted = 0

  /** Those that were opened after `since` and are open now. */
  since(since: number): UnownedConnection[] {
    return [...this.#open].filter(({ at }) => at >= since)
  }

  /** Connections there was no room to remember. */
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

  /** Once for each place in the code. */
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
      `a connection to ${to} was opened outside of every guard while one was alive. If it is a guarded session's, ` +
        `enter its context by run, wrap, bind or iterate; if it is not, open it in outside()`,
      { type: 'GuardWarning', code: 'ENDWELL_UNOWNED', detail: frames.join('\n') },
    )
  }
}
