import { sine } from '../../src/audio/index.ts'
import type { PhoneCallInfo, TwilioCallsOptions, TwilioLine } from '../../src/lines/twilio/index.ts'
import { Scope, noop, type ScopeReport } from '../../src/scope/index.ts'
import { Agent, Session, tool, type SessionReport } from '../../src/session/index.ts'
import {
  TwilioCarrier,
  type TwilioCall,
  type TwilioCallOptions,
  type TwilioCarrierOptions,
} from '../../src/testing/servers/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import { clock } from './clock.ts'
import { makeMind, type Mind, type MindName } from './minds.ts'
import { PhoneServer } from './phone-server.ts'
import { within } from './within.ts'

/** How long a session may take to close here. */
export const CLOSE_WITHIN = 1_500

export interface StageOptions {
  readonly mind?: MindName
  readonly goodbye?: string
  readonly carrier?: TwilioCarrierOptions
  readonly calls?: Partial<TwilioCallsOptions>
  /** Something happens in the session. */
  readonly onSession?: (what: string, stage: Stage) => void
}

/** How long a caller waits for an answer before saying it again. */
const PATIENCE = 4_000

const WORD = sine(300, { sampleRate: 8000, duration: 300 })

/** A carrier, a server that takes its calls, an agent, and the models that it thinks with: all over real sockets. */
export class Stage {
  readonly carrier: TwilioCarrier
  readonly server: PhoneServer
  readonly mind: Mind
  readonly sessions: Session[] = []
  /** One for each `closed` event that ever came. */
  readonly reports: SessionReport[] = []
  readonly #changes = new Changes()
  readonly #scope: Scope<string>
  readonly #options: StageOptions

  private constructor(
    options: StageOptions,
    scope: Scope<string>,
    parts: { readonly carrier: TwilioCarrier; readonly mind: Mind },
  ) {
    this.#options = options
    this.#scope = scope
    this.carrier = parts.carrier
    this.mind = parts.mind
    this.server = new PhoneServer({
      scope,
      authToken: this.carrier.authToken,
      accountSid: this.carrier.accountSid,
      api: this.carrier.url,
      rejoinTimeout: 3_000,
      lostTimeout: 3_000,
      ...(options.carrier?.dialect === 'telnyx'
        ? { carrier: 'telnyx' as const, publicKey: this.carrier.publicKey }
        : {}),
      ...options.calls,
      onCall: (line, info) => this.#answer(line, info),
    })
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const carrier = await TwilioCarrier.listen({ clock, ...options.carrier })
    const mind = await makeMind[options.mind ?? 'chain']()
    const scope = new Scope<string>('phone', { clock, closeTimeout: CLOSE_WITHIN })
    const stage = new Stage(options, scope, { carrier, mind })
    await stage.server.listen()
    return stage
  }

  ring(options: TwilioCallOptions = {}): TwilioCall {
    const { answer, status } = this.server
    return this.carrier.call(answer, { statusCallback: status, ...options })
  }

  /**
   * Lives a whole call, as far as it is let: the second answer is interrupted, and the third ends the call. On a machine
   * that stands still the agent may have heard less than was said: then the caller says it again.
   */
  async converse(call: TwilioCall): Promise<void> {
    await call.listens(200)
    await this.#says(call)
    await within(PATIENCE, 'the first answer', call.listens(200))
    call.press('5')
    await this.#says(call)
    const enough = call.heardBytes + 4_000
    const hears = call.until(() => call.over || call.heardBytes > enough)
    await within(PATIENCE, 'some of the second answer', hears)
    const ends = call.until(() => call.over)
    for (let times = 0; times < 5 && !call.over; times++) {
      await this.#says(call)
      await within(PATIENCE, 'the goodbye', ends)
    }
    await ends
  }

  /** The host ends. */
  closeHost(): Promise<ScopeReport> {
    return this.#scope.close({ reason: 'asked' })
  }

  /** Resolves when every session has told that it is closed. */
  closed(): Promise<void> {
    return this.#changes.until(() => this.reports.length >= this.sessions.length)
  }

  /** Resolves when nobody has a connection left: the carrier, the server, the vendors. */
  async idle(): Promise<void> {
    await this.carrier.until(() => this.carrier.open === 0)
    await this.server.idle()
    await this.mind.idle()
  }

  /** Connections that somebody has. */
  get open(): number {
    return this.carrier.open + this.server.open + this.mind.open()
  }

  /** Ends what belongs to the stage itself. */
  async end(): Promise<void> {
    await this.closeHost()
    await this.server.close()
    await this.carrier.close()
    await this.mind.close()
  }

  async #says(call: TwilioCall): Promise<void> {
    this.mind.hear()
    await call.says(WORD)
  }

  #answer(line: TwilioLine, { id }: PhoneCallInfo): Promise<void> {
    const { goodbye = 'Thank you for calling. Goodbye!', onSession = noop } = this.#options
    const tell = (what: string): void => {
      onSession(what, this)
      this.#changes.tell()
    }
    const agent = new Agent({
      name: 'desk',
      instructions: 'You answer the phone.',
      onEnter: ({ session }) => session.say('Good morning!'),
      tools: {
        goodbye: tool({ description: 'Ends the call', run: (_, { hangUp }) => hangUp({ say: goodbye }) }),
      },
    })
    const session = new Session({
      id,
      agent,
      clock,
      line,
      ...this.mind.options,
      closeTimeout: CLOSE_WITHIN,
      lastWordsTimeout: 300,
    })
    this.sessions.push(session)
    session.on('closed', (report) => {
      this.reports.push(report)
      tell('reported')
    })
    for (const event of ['user', 'speaking', 'spoken', 'tool', 'tool-done'] as const)
      session.on(event, () => tell(event))
    session.on('state', ({ state }) => tell(state))
    tell('new')
    return session.start()
  }
}
