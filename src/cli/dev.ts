import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Host, refuseUpgrade, serve, type AgentFile, type Refused } from '../host/index.ts'
import { TwilioCalls } from '../lines/twilio/index.ts'
import { WebSocketCalls } from '../lines/websocket/index.ts'
import { silentLogger, type Line, type Logger } from '../parts/index.ts'
import { Scope, ScopeClosedError, noop, type ScopeReport } from '../scope/index.ts'
import { Session, type Agent, type SessionReport } from '../session/index.ts'
import { breakable } from './breakable.ts'
import { namesOf, type Choice } from './choose-models.ts'
import { FaultSwitches } from './fault-switches.ts'

export interface DevOptions {
  readonly file: AgentFile
  readonly choice: Choice
  readonly port: number
  readonly host?: string
  /** Nobody gets in without it. */
  readonly secret?: string
  /** The account at Twilio whose calls are taken; without a token, calls of this machine are. */
  readonly phone?: PhoneAccount
  /** Faults can be switched on in the page. */
  readonly mode?: 'demo' | 'dev' | 'production'
  readonly logger?: Logger
  /** A call comes. */
  readonly began?: (id: string, from: string) => void
  /** It is over. */
  readonly ended?: (report: SessionReport) => void
}

export interface PhoneAccount {
  readonly authToken?: string
  readonly accountSid?: string
  readonly publicUrl?: string
  /** Its REST interface, if it is not the usual one: that of a region, or of a test. */
  readonly api?: string
}

/** Where `vite build` puts the page. */
const page = fileURLToPath(new URL('../studio', import.meta.url))

/** How long a session has to end when the server does. */
const CLOSE_TIMEOUT = 5_000

/** An agent on a port of this machine: a page to talk to it, to see what is alive, and how each session ended. */
export class Dev {
  readonly #options: DevOptions
  readonly #scope = new Scope<string>('endwell', { closeTimeout: 2_000 })
  readonly #faults = new FaultSwitches()
  readonly #sessions = new Set<Session>()
  readonly #host: Host
  readonly #calls: WebSocketCalls
  readonly #phone: TwilioCalls
  #ending = false
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
    })
    this.#calls = new WebSocketCalls({
      scope: this.#scope,
      logger,
      ...(secret === undefined ? {} : { secret }),
      onCall: (line, { id, origin }) =>
        this.#answer(line, id, origin === undefined ? 'a program' : 'browser'),
    })
    this.#phone = new TwilioCalls({
      scope: this.#scope,
      logger,
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

  /** Ends every session, so that each has its reason, and then the server. */
  async close(): Promise<ScopeReport> {
    this.#ending = true
    const ask = { reason: 'host-draining', closeTimeout: CLOSE_TIMEOUT } as const
    await Promise.all([...this.#sessions].map((session) => session.close(ask)))
    return this.#scope.close({ reason: 'asked' })
  }

  /** Ends everything now. */
  abort(): void {
    this.#scope.abort()
  }

  #agent(): Agent {
    const { agent } = this.#options.file
    return typeof agent === 'function' ? agent() : agent
  }

  /** The carrier asks what to do with a call. */
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

  /** What a carrier has signed needs no other secret, and comes by a name that is not ours. */
  #refuses(request: IncomingMessage): Refused | undefined {
    const signed = this.#options.phone?.authToken !== undefined && this.#phone.concerns(request)
    return signed ? undefined : this.#host.refuses(request)
  }

  async #answer(line: AnswerableLine, id: string, from: string): Promise<void> {
    if (this.#ending) throw new ScopeClosedError(this.#scope.name, 'answer a call', undefined)
    const { file, choice, logger = silentLogger, began = noop, ended = noop } = this.#options
    began(id, from)
    const agent = this.#agent()
    let breaks = (): void => {}
    const models = breakable(choice.models(), (way) => (breaks = way))
    const { intercept, follow } = this.#faults.afflict({ agent, breakModel: () => breaks() })
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
    session.on('closed', (report) => {
      this.#sessions.delete(session)
      ended(report)
    })
    this.#host.add(session, { agent: agent.name, from })
    try {
      await session.start()
    } catch (error) {
      // Of a session that has the line, the log and the report tell already.
      if (!line.answered) throw error
    }
  }
}

interface AnswerableLine extends Line {
  /** Whether a session has opened it. */
  readonly answered: boolean
}

/** Enough of a number to tell calls apart, and too little to call back: a page is looked at over shoulders. */
function masked(number: string): string {
  return `…${number.slice(-2)}`
}

function versionOf(): string {
  const manifest = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

/** Resolves at the first signal that asks the process to end; the second ends it at once. */
export function untilAsked(abort: () => void): Promise<string> {
  return new Promise((resolve) => {
    const asked = (signal: string): void => {
      for (const name of signals) process.off(name, asked)
      for (const name of signals) process.once(name, abort)
      resolve(signal)
    }
    for (const name of signals) process.on(name, asked)
  })
}

const signals = ['SIGINT', 'SIGTERM'] as const
