import type { IncomingMessage } from 'node:http'
import { OptionError, type Scope } from '../scope/index.ts'
import type { Session } from '../session/index.ts'
import { hostApp, type HostHttp } from './app.ts'
import { EventStreams } from './event-streams.ts'
import { Faults, type FaultBoard } from './fault-board.ts'
import { Gate, type GateOptions, type Refused } from './gate.ts'
import { Logbook, type LogbookOptions } from './logbook.ts'
import type { LoggedSession, SessionNote } from './logged-session.ts'
import { PageFiles } from './page-files.ts'
import type { HostInfo } from './wire/index.ts'

export interface HostOptions extends LogbookOptions, GateOptions {
  /** Owns the streams of events: close it before the server, or with it. */
  readonly scope: Scope<string>
  readonly info: Omit<HostInfo, 'faults' | 'callToken'>
  /** Makes a token for a page that was let in, if the socket for calls wants one: `() => calls.token()`. */
  readonly callToken?: () => string
  /** Refused in production: there they do not exist. */
  readonly faults?: FaultBoard
  /** The folder of the page; without one there is only the interface for programs. */
  readonly page?: string
  /** Streams of events at once: 100 unless set. */
  readonly maxStreams?: number
}

/**
 * Many sessions of one process, seen over HTTP: those that live, as they live, and how the others ended.
 *
 * ```ts
 * const host = new Host({ scope, info: { name: 'Bright Dental', version: '1.0.0', mode: 'dev' } })
 * host.add(session, { agent: 'desk', from: 'browser' })
 * const { url } = await serve({ scope, app: host.app, port: 4000 })
 * ```
 */
export class Host {
  readonly logbook: Logbook
  readonly app: HostHttp
  readonly #gate: Gate

  constructor(options: HostOptions) {
    const { info, faults, page, maxStreams, callToken } = options
    if (faults && info.mode === 'production')
      throw new OptionError('faults are for demo and dev: in production nothing is broken on purpose')
    const files = page === undefined ? undefined : new PageFiles(page)
    const scope = options.scope.child('host')
    this.logbook = new Logbook(scope, options)
    this.#gate = new Gate(scope.clock, options)
    this.app = hostApp({
      logbook: this.logbook,
      gate: this.#gate,
      streams: new EventStreams(scope, maxStreams),
      info: callToken ? { ...info, callToken: true } : info,
      callToken,
      faults: faults && new Faults(faults),
      files,
    })
  }

  /** Follows a session from now on. Add it before it is started. */
  add(session: Session, note?: SessionNote): LoggedSession {
    return this.logbook.add(session, note)
  }

  /** Why a request for something that is not served here, a socket for calls, must be refused; undefined if not. */
  refuses(request: IncomingMessage): Refused | undefined {
    return this.#gate.refuses({
      remote: request.socket.remoteAddress,
      header: (name) => request.headers[name]?.toString(),
    })
  }
}
