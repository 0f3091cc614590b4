import type { IncomingMessage } from 'node:http'
import { OptionError, checkOptions, type Scope, type OptionNames } from '../scope/index.ts'
import type { Session } from '../session/index.ts'
import type { HostHttp } from './answers.ts'
import { hostApp } from './app.ts'
import type { Fleet } from './fleet/fleet.ts'
import { EventStreams } from './event-streams.ts'
import { Faults, type FaultBoard } from './fault-board.ts'
import { Gate, type GateOptions, type GateRequest, type Refused } from './gate.ts'
import { Logbook, type LogbookOptions } from './logbook.ts'
import type { LoggedSession, SessionNote } from './logged-session.ts'
import { PageFiles } from './page-files.ts'
import { Recordings } from './recordings.ts'
import type { CallsOut } from './reception/calls-out.ts'
import type { HostInfo } from './wire/index.ts'

export interface HostOptions extends LogbookOptions, GateOptions {
  /** Owns the event streams. Close it before the server, or together with it. */
  readonly scope: Scope<string>
  readonly info: Omit<HostInfo, 'faults' | 'callToken' | 'records'>
  /** Creates a token for an admitted page, if the call socket requires one: `() => calls.token()`. */
  readonly callToken?: () => string
  /** Faults that can be switched on. Not allowed in production. */
  readonly faults?: FaultBoard
  /** The folder of the page. Default: none, only the API. */
  readonly page?: string
  /** The calls of all processes that share a journal. Default: only those of this process. */
  readonly fleet?: Fleet
  /** The folder whose recordings the page may play. Default: none. */
  readonly recordings?: string
  /** Calls out. Default: none can be made over HTTP. */
  readonly callsOut?: CallsOut
  /** The number of concurrent event streams. Default: 100. */
  readonly maxStreams?: number
}

const optionNames: OptionNames<HostOptions> = {
  reports: true,
  secret: true,
  names: true,
  scope: true,
  info: true,
  callToken: true,
  faults: true,
  page: true,
  maxStreams: true,
  fleet: true,
  recordings: true,
  callsOut: true,
}

/**
 * The sessions of one process over HTTP: live sessions with their events, and the reports of closed ones.
 *
 * ```ts
 * const host = new Host({ scope, info: { name: 'Bright Dental', version: '1.0.0', mode: 'dev' } })
 * host.add(session, { agent: 'desk', from: 'browser' })
 * const { url } = await listen({ scope, app: host.app, port: 4000 })
 * ```
 */
export class Host {
  readonly logbook: Logbook
  readonly app: HostHttp
  readonly #gate: Gate
  readonly #faults: Faults | undefined
  /** Called when pages should connect again. */
  readonly #leaving = new Set<() => void>()

  constructor(options: HostOptions) {
    checkOptions('Host', options, optionNames)
    const { info, faults, page, maxStreams, callToken, fleet, recordings, callsOut } = options
    if (faults && info.mode === 'production')
      throw new OptionError("faults are not allowed in mode 'production'")
    const files = page === undefined ? undefined : new PageFiles(page)
    const scope = options.scope.child('host')
    this.logbook = new Logbook(scope, options)
    this.#gate = new Gate(scope.clock, options)
    this.#faults = faults && new Faults(faults)
    this.app = hostApp({
      logbook: this.logbook,
      gate: this.#gate,
      streams: new EventStreams(scope, maxStreams),
      info: {
        ...info,
        ...(callToken ? { callToken: true } : {}),
        ...(recordings === undefined ? {} : { records: true }),
      },
      callToken,
      faults: this.#faults,
      files,
      fleet,
      recordings: recordings === undefined ? undefined : new Recordings(recordings),
      callsOut,
      onLeave: (listener) => {
        this.#leaving.add(listener)
        return () => void this.#leaving.delete(listener)
      },
    })
  }

  /** Has pages connect again: another process takes calls from now on. */
  leave(): void {
    for (const listener of this.#leaving) listener()
  }

  /** Adds a session to the logbook. Add it before it starts. */
  add(session: Session, note?: SessionNote): LoggedSession {
    const logged = this.logbook.add(session, note)
    this.#noteFaults(session, logged)
    return logged
  }

  /** Notes the faults that are on during a call, so that its report is not mistaken for one of a healthy call. */
  #noteFaults(session: Session, logged: LoggedSession): void {
    const faults = this.#faults
    if (!faults) return
    const on = new Set<string>()
    const compare = (): void => {
      for (const fault of faults.list()) {
        if (fault.on === on.has(fault.name)) continue
        if (fault.on) on.add(fault.name)
        else on.delete(fault.name)
        logged.fault(fault.name, fault.on)
      }
    }
    compare()
    const unwatch = faults.watch(compare)
    session.on('closed', unwatch)
  }

  /** Checks a request that the app does not serve, such as a call socket. Returns undefined if it is allowed. */
  refuses(request: IncomingMessage): Refused | undefined {
    return this.#gate.refuses(gateRequestOf(request))
  }

  /** Checks only the host name of such a request, and the secret if it presents one. */
  refusesNameOrSecret(request: IncomingMessage): Refused | undefined {
    return this.#gate.refusesNameOrSecret(gateRequestOf(request))
  }
}

function gateRequestOf({ socket, headers }: IncomingMessage): GateRequest {
  return { address: socket.remoteAddress, headers }
}
