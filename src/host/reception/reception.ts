import type { Socket } from 'node:net'
import { silentLogger, type Line } from '../../parts/index.ts'
import {
  EndwellError,
  Scope,
  ScopeClosedError,
  describeError,
  noop,
  pause,
  type Intercept,
} from '../../scope/index.ts'
import { Session, type Agent, type Models, type SessionReport } from '../../session/index.ts'
import { agentFor, type AgentFile, type CallOptions } from '../agent-file.ts'
import { itemsOf, lostReport, withEarlierRecording } from '../fleet/lost-report.ts'
import type { LostCall, Owner } from '../journal/journal.ts'
import { limits as supervision } from '../supervisor/limits.ts'
import type { PassedRequest } from '../supervisor/messages.ts'
import { listen, type HttpServer } from '../http-server.ts'
import { outcomeOf } from '../archive.ts'
import { Recordings } from '../recordings.ts'
import type { LoggedSession } from '../logged-session.ts'
import type { CallTrace, Traces } from '../watch/trace-types.ts'
import type { CallLog } from './call-log.ts'
import { CallSettings } from './call-settings.ts'
import type { EntranceOptions } from './entrance-options.ts'
import { Entrance } from './entrance.ts'
import type { NewCallInfo } from './new-call-info.ts'
import type { ReceptionEnd } from './reception-end.ts'

export interface ReceptionOptions extends Omit<
  EntranceOptions,
  'scope' | 'answer' | 'count' | 'agent' | 'rtvi' | 'webrtc'
> {
  readonly file: AgentFile
  /** Creates the models. Called once per call. */
  readonly models: () => Models
  /** 0 for any free port. */
  readonly port: number
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string
  /** Writes the calls. Without it, a call is forgotten when its process ends. */
  readonly journal?: ReceptionJournal
  /** How long a session may take to close. Default: 5 s. */
  readonly closeTimeout?: number
  /** Prices by product, unless the agent file has its own list. Default: `defaultPriceList`. */
  readonly priceList?: CallOptions['priceList']
  /** What is said to callers who are still there when a drain ends. */
  readonly goodbye?: string
  /** What is said to a caller whose call goes on in this process. */
  readonly welcomeBack?: string
  /** Changes a call before it begins: fault injection. */
  readonly prepare?: (call: { readonly agent: Agent; readonly models: Models }) => Prepared
  /** Called when a call arrives. */
  readonly began?: (id: string, from: string) => void
  /** Called when its session has closed. */
  readonly ended?: (report: SessionReport) => void
  /** Called for each session before it starts: metrics. */
  readonly follow?: (session: Session, call: NewCallInfo) => void
  readonly traces?: Traces
}

export interface ReceptionJournal {
  readonly log: CallLog
  /** Identifies this process. */
  readonly owner: () => Owner
  /** Takes over a call whose process is gone. Undefined if it has a living owner, or has ended. */
  readonly take: (call: string) => Promise<LostCall | undefined>
}

export interface Prepared {
  readonly models: Models
  readonly intercept: Intercept
  /** Called with the session. */
  readonly follow: (session: Session) => void
}

interface AnswerableLine extends Line {
  /** Whether a session has opened it. */
  readonly answered: boolean
}

/** What the session of a call is made of. */
interface SessionMaking {
  readonly agent: Agent
  /** The call goes on: its process is gone. */
  readonly lost: LostCall | undefined
  readonly settings: CallSettings
  readonly trace: CallTrace | undefined
}

const GOODBYE = 'I am sorry, I have to end this call now. Please call again.'
const WELCOME_BACK = 'Sorry, we were cut off for a moment. Please go on.'

/**
 * Takes calls for one agent: makes a session for each, writes it to the journal, and ends them all.
 *
 *   Entrance  who may come in, and which line or page is meant
 *   Session   one per call
 *   CallLog   what outlives this process
 */
export class Reception {
  readonly entrance: Entrance
  readonly #options: ReceptionOptions
  readonly #recordings: Recordings | undefined
  readonly #scope = new Scope<string>('endwell', { closeTimeout: 2_000 })
  readonly #sessions = new Map<string, Session>()
  /** Reports that are being written. */
  readonly #writing = new Set<Promise<void>>()
  #emptied: () => void = noop
  #sessionCount = 0
  #notClean = 0
  #notWritten = 0
  #ending = false
  #aborted = false
  #server: HttpServer | undefined

  private constructor(options: ReceptionOptions) {
    this.#options = options
    const { recordings } = options
    this.#recordings = recordings === undefined ? undefined : new Recordings(recordings)
    this.entrance = new Entrance({
      ...options,
      scope: this.#scope,
      agent: agentFor(options.file).name,
      ...(options.file.rtvi ? { rtvi: options.file.rtvi } : {}),
      ...(options.file.webrtc ? { webrtc: options.file.webrtc } : {}),
      count: () => this.#sessions.size,
      answer: (line, call) => this.#answer(line, call),
    })
  }

  static async start(options: ReceptionOptions): Promise<Reception> {
    const reception = new Reception(options)
    const { port, host } = options
    try {
      const server = await listen({
        scope: reception.#scope,
        port,
        ...(host === undefined ? {} : { host }),
        ...reception.entrance.handlers(),
      })
      reception.#server = server
    } catch (error) {
      await reception.close()
      throw error
    }
    return reception
  }

  /** The URL for a browser on this machine. */
  get url(): string {
    return this.#server?.url ?? ''
  }

  get port(): number {
    return this.#server?.port ?? 0
  }

  /** Serves a connection that another process has accepted. `passed`: with a request that it had no room for. */
  accept(socket: Socket, passed?: PassedRequest): void {
    if (!this.#server) return void socket.destroy()
    if (passed) {
      this.entrance.received(socket, passed)
      socket.unshift(Buffer.from(passed.head, 'latin1'))
    }
    return this.#server.accept(socket)
  }

  /** The calls of this process. */
  get calls(): Iterable<string> {
    return this.#sessions.keys()
  }

  /** How many sessions there are. */
  get size(): number {
    return this.#sessions.size
  }

  /** The session that serves a call of this process. */
  session(call: string): Session | undefined {
    return this.#sessions.get(call)
  }

  /**
   * Takes no more calls, and waits until those under way have ended. After `timeout` milliseconds, says goodbye to the callers
   * who are still there.
   */
  async drain(timeout: number): Promise<void> {
    this.#server?.leave()
    this.entrance.drain()
    // A call that is on its way is answered by another process.
    const { clock, signal } = this.#scope
    if (this.#server?.hasUnused) await pause(clock, supervision.unused, 'requests on their way', signal)
    await this.#untilEmpty(timeout)
    const { goodbye = GOODBYE } = this.#options
    for (const session of this.#sessions.values())
      session.hangUp({ say: goodbye, reason: 'host-draining', by: 'drain' }).catch(noop)
    await this.#untilEmpty(supervision.goodbye)
  }

  /** Closes the sessions first, so that each report has the reason, and then the server. */
  async close(): Promise<ReceptionEnd> {
    const { clock } = this.#scope
    const began = clock.now()
    const { closeTimeout = 5_000 } = this.#options
    await this.#closeSessions(this.#aborted ? 0 : closeTimeout)
    const { clean } = await this.#scope.close({ reason: 'asked' })
    // Bounded: the scope has closed or aborted the call log, which settles every write.
    await Promise.all(this.#writing)
    const notClean = this.#notClean
    const notWritten = this.#notWritten
    return {
      clean: clean && notClean === 0 && notWritten === 0,
      took: clock.now() - began,
      sessions: this.#sessionCount,
      notClean,
      notWritten,
    }
  }

  /** Aborts everything, also while it closes. */
  abort(): void {
    this.#aborted = true
    this.#closeSessions(0).catch(noop)
    this.#scope.abort()
  }

  /** The call belongs to another process now: ends its session, but not the call (HO5). */
  letGo(call: string): void {
    this.entrance.letGo(call)
    this.#options.journal?.log.letGo(call)
    const session = this.#sessions.get(call)
    session?.close({ reason: 'host-lost', by: 'journal' }).catch(noop)
  }

  /** Something went wrong that concerns all sessions: it is in the report of each. */
  reportError(where: string, error: unknown): void {
    for (const session of this.#sessions.values()) session.reportError(where, error)
  }

  /** All calls belong to other processes now. */
  letGoAll(): void {
    this.entrance.letGoAll()
    for (const call of this.#sessions.keys()) this.letGo(call)
  }

  async #closeSessions(closeTimeout: number): Promise<void> {
    this.#ending = true
    const ask = { reason: 'host-draining', closeTimeout } as const
    await Promise.all(Array.from(this.#sessions.values(), (session) => session.close(ask)))
  }

  /** Resolves when no session is left, or after `ms`. */
  async #untilEmpty(ms: number): Promise<void> {
    if (this.#sessions.size === 0 || this.#scope.state !== 'live') return
    await new Promise<void>((resolve) => {
      const timer = this.#scope.after(ms, 'calls end by themselves', resolve)
      const emptied = (): void => {
        timer.clear()
        resolve()
      }
      this.#emptied = emptied
      this.#scope.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    this.#emptied = noop
  }

  async #answer(line: AnswerableLine, call: NewCallInfo): Promise<void> {
    const { id, from } = call
    if (this.#ending) throw new ScopeClosedError(this.#scope.name, 'answer a call', undefined)
    let agent = agentFor(this.#options.file, call.info)
    const trace = this.#options.traces?.call({ id, line: call.line, agent: agent.name, parent: call.trace })
    const settings = new CallSettings(this.#options, id, this.#recordings)
    let session: Session
    let lost: LostCall | undefined
    try {
      const written = { ...call, trace: trace?.traceparent ?? call.trace }
      lost = await this.#write(written, agent.name, settings.place)
      const { parameters } = lost?.resume ?? {}
      if (parameters) agent = agentFor(this.#options.file, { ...call.info, parameters })
      session = await this.#begin(line, call, { agent, lost, settings, trace })
    } catch (error) {
      settings.discard()
      // Not hung up at the carrier: it goes on elsewhere, or here once the journal is back.
      const taken = error instanceof EndwellError && error.code === 'CALL_TAKEN'
      if (taken || call.comesBack) this.entrance.letGo(id)
      trace?.failed(error)
      throw error
    }
    this.#options.began?.(id, lost?.from ?? from)
    try {
      await session.start()
    } catch (error) {
      // The log and the report of a session that has opened the line show the error already.
      if (!line.answered) throw error
    }
  }

  /** Makes the session of a call that the journal has. If that fails, the journal has its report at once. */
  async #begin(line: Line, call: NewCallInfo, making: SessionMaking): Promise<Session> {
    const { agent, lost, trace } = making
    const { journal, welcomeBack = WELCOME_BACK } = this.#options
    const { id, from } = call
    try {
      // The journal may have taken its time.
      if (this.#ending) throw new ScopeClosedError(this.#scope.name, 'answer a call', undefined)
      const session = this.#session(line, id, making)
      trace?.follow(session)
      this.#options.follow?.(session, call)
      const logged = this.entrance.add(session, { agent: agent.name, from: lost?.from ?? from })
      journal?.log.follow(session, itemsOf(lost))
      this.#keep(session, lost, logged)
      if (lost && !agent.onResume) session.on('started', () => session.say(welcomeBack))
      const { culprit } = lost ?? {}
      if (culprit !== undefined)
        session.on('started', () => session.reportError('host', new EndwellError('HOST_LOST', culprit)))
      return session
    } catch (error) {
      const { clock } = this.#scope
      const unserved = lost ?? { id, openedAt: clock.date(), entries: [] }
      await journal?.log.end(id, lostReport(unserved, clock.date(), describeError(error).message))
      throw error
    }
  }

  /** Writes a call before it is answered (HO1). Returns it if it goes on: its process is gone, and the caller came back. */
  async #write(
    { id, line, from, resume, trace }: Omit<NewCallInfo, 'trace'> & { readonly trace: string | undefined },
    agent: string,
    recording: string | undefined,
  ): Promise<LostCall | undefined> {
    const { journal, file } = this.#options
    if (!journal) return undefined
    return await journal.log.open(
      {
        id,
        owner: journal.owner(),
        agent,
        line,
        from,
        ...(resume ? { resume: { ...resume, ...(recording === undefined ? {} : { recording }) } } : {}),
        ...(trace === undefined ? {} : { trace }),
        openedAt: this.#scope.clock.date(),
        work: Object.keys(file.afterCall ?? {}),
      },
      journal.take,
    )
  }

  #session(line: Line, id: string, { agent, lost, settings, trace }: SessionMaking): Session {
    const { models, closeTimeout = 5_000, logger = silentLogger, prepare } = this.#options
    const own = trace?.models(models()) ?? models()
    const prepared = prepare?.({ agent, models: own })
    const session = new Session({
      closeTimeout,
      logger,
      ...settings.whole(lost?.fence ?? 1),
      ...(lost
        ? { history: { version: 1, items: itemsOf(lost), lastId: 0, dropped: 0 }, resumed: true }
        : {}),
      id,
      agent,
      models: prepared?.models ?? own,
      line,
      ...(prepared ? { intercept: prepared.intercept } : {}),
    })
    prepared?.follow(session)
    return session
  }

  #keep(session: Session, lost: LostCall | undefined, logged: LoggedSession): void {
    const { ended = noop, changed = noop, journal } = this.#options
    const { id } = session
    this.#sessions.set(id, session)
    changed()
    this.#sessionCount++
    session.on('closed', (report) => {
      if (this.#sessions.get(id) === session) this.#sessions.delete(id)
      changed()
      if (!report.clean) this.#notClean++
      ended(report)
      if (journal) this.#record(withEarlierRecording(report, lost), logged, journal.log)
      if (this.#sessions.size === 0) this.#emptied()
    })
  }

  #record(report: SessionReport, { events, summary }: LoggedSession, log: CallLog): void {
    const { words, faults } = summary
    const listed = {
      ...outcomeOf(report),
      ...(words === undefined ? {} : { words }),
      ...(faults ? { faults } : {}),
    }
    const writing = log
      .end(report.id, { ...report, timeline: events }, listed)
      .catch(() => void this.#notWritten++)
      .finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }
}
