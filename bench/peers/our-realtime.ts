import { noop } from '../../src/scope/index.ts'
import {
  Agent,
  Session,
  tool,
  type AgentOptions,
  type Models,
  type SessionOptions,
  type ToolContext,
} from '../../src/session/index.ts'
import { TestLine } from '../../src/testing/index.ts'
import type { Call, CaseContext } from './case.ts'
import { ClosedEvents } from './closed-events.ts'
import { CLOSE_TIMEOUT, withSocket } from './ours.ts'

/** A session of endwell with a vendor's realtime model, for the third column. */
export interface OurRealtimeOptions {
  readonly models: (context: CaseContext) => Models
  /** What the tool `lookup` does. */
  readonly lookup?: (signal: AbortSignal) => Promise<string>
  readonly agent?: Partial<AgentOptions>
  readonly session?: Partial<SessionOptions>
  /** Whether the line has its own connection to the far side. */
  readonly phone?: boolean
}

export class OurRealtime {
  readonly context: CaseContext
  readonly session: Session
  readonly #line = new TestLine()
  readonly #closed: Promise<void>
  readonly #closedEvents = new ClosedEvents()

  constructor(context: CaseContext, { models, lookup, agent, session, phone = false }: OurRealtimeOptions) {
    this.context = context
    const run = lookup && ((_: unknown, { signal }: ToolContext) => lookup(signal))
    this.session = new Session({
      agent: new Agent({
        name: 'desk',
        instructions: 'You answer the phone.',
        tools: run ? { lookup: tool({ description: 'Looks something up', run }) } : {},
        ...agent,
      }),
      models: models(context),
      line: phone ? withSocket(this.#line, `${context.ws}/phone`) : this.#line,
      closeTimeout: CLOSE_TIMEOUT,
      onLate: noop,
      ...session,
    })
    this.#closed = new Promise((resolve) => {
      this.session.on('closed', () => {
        this.#closedEvents.emit()
        resolve()
      })
    })
  }

  static async started(context: CaseContext, options: OurRealtimeOptions): Promise<OurRealtime> {
    const subject = new OurRealtime(context, options)
    await subject.session.start()
    return subject
  }

  /** Asks the model to reply. */
  ask(): void {
    this.session.reply()
  }

  /** Makes the model speak, and waits until the caller hears it. */
  async speaks(): Promise<void> {
    this.ask()
    await this.#line.caller.hears()
  }

  hangUp(): void {
    this.#line.caller.hangsUp()
  }

  /** A call that is closed while it starts. */
  starting(): Call {
    const starting = this.session.start().catch(noop)
    return this.call({ close: () => Promise.all([this.session.close(), starting]).then(noop) })
  }

  call(more: Partial<Call> = {}): Call {
    return { close: () => this.session.close(), onClosed: this.#closedEvents.on, ...more }
  }

  /** A call that the case does not close: the session ends on its own. */
  endsByItself(): Call {
    return this.call({ close: () => this.#closed })
  }
}
