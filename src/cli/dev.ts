import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Host, refuseUpgrade, serve, type AgentFile, type Refused } from '../host/index.ts'
import { TwilioCalls } from '../lines/twilio/index.ts'
import { WebSocketCalls } from '../lines/websocket/index.ts'
import { silentLogger, type Line, type Logger } from '../parts/index.ts'
import { hasLocalRoom } from '../providers/local/index.ts'
import { Scope, ScopeClosedError, noop } from '../scope/index.ts'
import { Session, type Agent, type SessionReport } from '../session/index.ts'
import { breakable } from './breakable.ts'
import { namesOf, type Choice } from './choose-models.ts'
import { FaultSwitches } from './fault-switches.ts'

export interface DevOptions {
  readonly file: AgentFile
  readonly choice: Choice
  readonly port: number
  readonly host?: string
  /** Required from every client, if set. */
  readonly secret?: string
  /** The Twilio account whose calls are accepted. Without an auth token, only local calls are. */
  readonly phone?: PhoneAccount
  /** `production` has no fault switches. Default: `dev`. */
  readonly mode?: 'demo' | 'dev' | 'production'
  /** Calls at once, on all lines together. Default: what the models and this machine can take. */
  readonly maxCalls?: number
  readonly logger?: Logger
  /** Called when a call arrives. */
  readonly began?: (id: string, from: string) => void
  /** Called when its session has closed. */
  readonly ended?: (report: SessionReport) => void
}

export interface PhoneAccount {
  readonly authToken?: string
  readonly accountSid?: string
  readonly publicUrl?: string
  /** The base URL of the REST API. Default: Twilio's. */
  readonly api?: string
}

/** How a server and all its sessions ended. */
export interface DevEnd {
  /** Whether the server and every session since the start closed cleanly. */
  readonly clean: boolean
  /** Milliseconds. */
  readonly took: number
  /** The number of sessions since the start. */
  readonly sessions: number
  /** The number of those that did not close cleanly. */
  readonly notClean: number
}

/** The output folder of `vite build`. */
const page = fileURLToPath(new URL('../studio', import.meta.url))

/** Calls at once, with models that run elsewhere. */
const MAX_CALLS = 100

/** The time limit for closing a session. */
const CLOSE_TIMEOUT = 5_000

/** Serves an agent and the page to talk to it, on a port of this machine. */
export class Dev {
  readonly #options: DevOptions
  readonly #scope = new Scope<string>('endwell', { closeTimeout: 2_000 })
  readonly #faults = new FaultSwitches()
  readonly #sessions = new Set<Session>()
  readonly #host: Host
  readonly #calls: WebSocketCalls
  readonly #phone: TwilioCalls
  #sessionCount = 0
  #notCleanCount = 0
  #ending = false
  #aborted = false
  url = ''

  private constructor(options: DevOptions) {
    const { file, choice, mode = 'dev', secret, phone, logger = silentLogger } = options
    const { phrases } = choice
    this.#options = options
    this.#host = new Host({
      scope: this.#scope,
      info: {
        name: file.name,
        version: versionOf(),
        mode,
        agent: this.#agent().name,
        models: namesOf(choice.models()),
        call: '/call',
        ...(phrases ? { phrases } : {}),
      },
      ...(mode === 'production' ? {} : { faults: this.#faults }),
      ...(existsSync(page) ? { page } : {}),
      ...(secret === undefined ? {} : { secret, callToken: () => this.#calls.token() }),
      ...(phone?.publicUrl && URL.canParse(phone.publicUrl)
        ? { names: [new URL(phone.publicUrl).hostname] }
        : {}),
    })
    const { maxCalls = MAX_CALLS } = options
    // Both lines share this machine.
    const hasRoom = (): boolean => this.#sessions.size < maxCalls && hasLocalRoom()
    this.#calls = new WebSocketCalls({
      scope: this.#scope,
      logger,
      maxCalls,
      hasRoom,
      ...(secret === undefined ? {} : { secret }),
      onCall: (line, { id, origin }) =>
        this.#answer(line, id, origin === undefined ? 'a program' : 'browser'),
    })
    this.#phone = new TwilioCalls({
      scope: this.#scope,
      logger,
      maxCalls,
      hasRoom,
      ...phone,
      onCall: (line, { id, from }) => this.#answer(line, id, from ? `phone ${masked(from)}` : 'phone'),
    })
  }

  static async start(options: DevOptions): Promise<Dev> {
    const dev = new Dev(options)
    const { port, host } = options
    try {
      const server = await serve({
        scope: dev.#scope,
        app: dev.#host.app,
        port,
        ...(host === undefined ? {} : { host }),
        request: (request, response) => dev.#request(request, response),
        upgrade: (request, tcp, head) => dev.#upgrade(request, tcp, head),
      })
      dev.url = server.url
    } catch (error) {
      await dev.close()
      throw error
    }
    return dev
  }

  /** Closes the sessions first, so that each report has the reason, and then the server. */
  async close(): Promise<DevEnd> {
    const began = this.#scope.clock.now()
    await this.#closeSessions(this.#aborted ? 0 : CLOSE_TIMEOUT)
    const { clean } = await this.#scope.close({ reason: 'asked' })
    const notClean = this.#notCleanCount
    return {
      clean: clean && notClean === 0,
      took: this.#scope.clock.now() - began,
      sessions: this.#sessionCount,
      notClean,
    }
  }

  /** Aborts everything, also while it closes. */
  abort(): void {
    this.#aborted = true
    this.#closeSessions(0).catch(noop)
    this.#scope.abort()
  }

  async #closeSessions(closeTimeout: number): Promise<void> {
    this.#ending = true
    const ask = { reason: 'host-draining', closeTimeout } as const
    await Promise.all([...this.#sessions].map((session) => session.close(ask)))
  }

  #agent(): Agent {
    const { agent } = this.#options.file
    return typeof agent === 'function' ? agent() : agent
  }

  /** Handles the webhooks of the carrier. Returns false for other requests. */
  #request(request: IncomingMessage, response: ServerResponse): boolean {
    if (!this.#phone.concerns(request)) return false
    const refused = this.#refuses(request)
    if (!refused) return this.#phone.request(request, response)
    response.writeHead(refused.status).end()
    return true
  }

  #upgrade(request: IncomingMessage, tcp: Duplex, head: Buffer): void {
    const refused = this.#refuses(request)
    if (refused) return refuseUpgrade(tcp, refused.status)
    this.#faults.watch(tcp)
    if (this.#phone.concerns(request)) return this.#phone.upgrade(request, tcp, head)
    return this.#calls.upgrade(request, tcp, head)
  }

  /** Signed requests of the carrier need no secret, and their host is the public one. */
  #refuses(request: IncomingMessage): Refused | undefined {
    const signed = this.#options.phone?.authToken !== undefined && this.#phone.concerns(request)
    return signed ? undefined : this.#host.refuses(request)
  }

  async #answer(line: AnswerableLine, id: string, from: string): Promise<void> {
    if (this.#ending) throw new ScopeClosedError(this.#scope.name, 'answer a call', undefined)
    const { file, choice, logger = silentLogger, began = noop, ended = noop } = this.#options
    began(id, from)
    const agent = this.#agent()
    let breakModel = (): void => {}
    const models = breakable(choice.models(), (breakConnection) => (breakModel = breakConnection))
    const { intercept, follow } = this.#faults.afflict({ agent, breakModel: () => breakModel() })
    const session = new Session({
      closeTimeout: CLOSE_TIMEOUT,
      logger,
      ...(typeof file.session === 'function' ? file.session({ id }) : file.session),
      id,
      agent,
      models,
      line,
      intercept,
    })
    follow(session)
    this.#sessions.add(session)
    this.#sessionCount++
    session.on('closed', (report) => {
      this.#sessions.delete(session)
      if (!report.clean) this.#notCleanCount++
      ended(report)
    })
    this.#host.add(session, { agent: agent.name, from })
    try {
      await session.start()
    } catch (error) {
      // The log and the report of a session that has opened the line show the error already.
      if (!line.answered) throw error
    }
  }
}

interface AnswerableLine extends Line {
  /** Whether a session has opened it. */
  readonly answered: boolean
}

/** The last two digits: enough to tell calls apart, without showing the caller's number in the page. */
function masked(number: string): string {
  return `…${number.slice(-2)}`
}

function versionOf(): string {
  const manifest = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

/** Resolves on the first SIGINT or SIGTERM. The second one calls `abort`. */
export function untilSignal(abort: () => void): Promise<string> {
  return new Promise((resolve) => {
    const received = (signal: string): void => {
      for (const name of signals) process.off(name, received)
      for (const name of signals) process.once(name, abort)
      resolve(signal)
    }
    for (const name of signals) process.on(name, received)
  })
}

const signals = ['SIGINT', 'SIGTERM'] as const
