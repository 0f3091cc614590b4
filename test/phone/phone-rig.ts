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
import { makeModels, type PhoneModels, type ModelsName } from './models.ts'
import { PhoneServer } from './phone-server.ts'
import { within } from './within.ts'

/** How long a session may take to close here. */
export const CLOSE_TIMEOUT = 1_500

export interface RigOptions {
  readonly models?: ModelsName
  readonly goodbye?: string
  readonly carrier?: TwilioCarrierOptions
  readonly calls?: Partial<TwilioCallsOptions>
  /** Called when something happens in the session. */
  readonly onSession?: (what: string, rig: PhoneRig) => void
}

/** How long the caller waits for an answer before repeating the question. */
const PATIENCE = 4_000

const WORD = sine(300, { sampleRate: 8000, duration: 300 })

/** A carrier, a server that takes its calls, an agent and its models, all over real sockets. */
export class PhoneRig {
  readonly carrier: TwilioCarrier
  readonly server: PhoneServer
  readonly models: PhoneModels
  readonly sessions: Session[] = []
  /** The report of each `closed` event. */
  readonly reports: SessionReport[] = []
  readonly #changes = new Changes()
  readonly #scope: Scope<string>
  readonly #options: RigOptions

  private constructor(
    options: RigOptions,
    scope: Scope<string>,
    parts: { readonly carrier: TwilioCarrier; readonly models: PhoneModels },
  ) {
    this.#options = options
    this.#scope = scope
    this.carrier = parts.carrier
    this.models = parts.models
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

  static async open(options: RigOptions = {}): Promise<PhoneRig> {
    const carrier = await TwilioCarrier.listen({ clock, ...options.carrier })
    const models = await makeModels[options.models ?? 'pipeline']()
    const scope = new Scope<string>('phone', { clock, closeTimeout: CLOSE_TIMEOUT })
    const rig = new PhoneRig(options, scope, { carrier, models })
    await rig.server.listen()
    return rig
  }

  ring(options: TwilioCallOptions = {}): TwilioCall {
    const { answer, status } = this.server
    return this.carrier.call(answer, { statusCallback: status, ...options })
  }

  /**
   * Runs a whole conversation, unless the call ends earlier: the caller interrupts the second answer, and the third one ends
   * the call. On a busy machine the agent may miss what was said, so the caller repeats it.
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

  /** Closes the host. */
  closeHost(): Promise<ScopeReport> {
    return this.#scope.close({ reason: 'asked' })
  }

  /** Resolves when every session has emitted `closed`. */
  closed(): Promise<void> {
    return this.#changes.until(() => this.reports.length >= this.sessions.length)
  }

  /** Resolves when neither the carrier, nor the server, nor a vendor has an open connection. */
  async idle(): Promise<void> {
    await this.carrier.until(() => this.carrier.open === 0)
    await this.server.idle()
    await this.models.idle()
  }

  /** The number of open connections at all sides. */
  get open(): number {
    return this.carrier.open + this.server.open + this.models.open()
  }

  /** Closes the host, the server, the carrier and the vendors. */
  async end(): Promise<void> {
    await this.closeHost()
    await this.server.close()
    await this.carrier.close()
    await this.models.close()
  }

  async #says(call: TwilioCall): Promise<void> {
    this.models.hear()
    await call.says(WORD)
  }

  #answer(line: TwilioLine, { id }: PhoneCallInfo): Promise<void> {
    const { goodbye = 'Thank you for calling. Goodbye!', onSession = noop } = this.#options
    const notify = (what: string): void => {
      onSession(what, this)
      this.#changes.notify()
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
      ...this.models.options,
      closeTimeout: CLOSE_TIMEOUT,
      lastWordsTimeout: 300,
    })
    this.sessions.push(session)
    session.on('closed', (report) => {
      this.reports.push(report)
      notify('reported')
    })
    for (const event of ['user', 'speaking', 'spoken', 'tool', 'tool-done'] as const)
      session.on(event, () => notify(event))
    session.on('state', ({ state }) => notify(state))
    notify('new')
    return session.start()
  }
}
