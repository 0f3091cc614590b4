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
import type { Call, Stage } from './case.ts'
import { Ends } from './ends.ts'
import { CLOSE_TIMEOUT, held } from './ours.ts'

/** A session of ours on a vendor's realtime model, in the third column. */
export interface OurRealtimeOptions {
  readonly models: (stage: Stage) => Models
  /** What the tool `lookup` does. */
  readonly lookup?: (signal: AbortSignal) => Promise<string>
  readonly agent?: Partial<AgentOptions>
  readonly session?: Partial<SessionOptions>
  /** The caller holds a connection of his own to the far side. */
  readonly phone?: boolean
}

export class OurRealtime {
  readonly stage: Stage
  readonly session: Session
  readonly #line = new TestLine()
  readonly #closed: Promise<void>
  readonly #ends = new Ends()

  constructor(stage: Stage, { models, lookup, agent, session, phone = false }: OurRealtimeOptions) {
    this.stage = stage
    const run = lookup && ((_: unknown, { signal }: ToolContext) => lookup(signal))
    this.session = new Session({
      agent: new Agent({
        name: 'desk',
        instructions: 'You answer the phone.',
        tools: run ? { lookup: tool({ description: 'Looks something up', run }) } : {},
        ...agent,
      }),
      models: models(stage),
      line: phone ? held(this.#line, `${stage.ws}/phone`) : this.#line,
      closeTimeout: CLOSE_TIMEOUT,
      onLate: noop,
      ...session,
    })
    this.#closed = new Promise((resolve) => {
      this.session.on('closed', () => {
        this.#ends.tell()
        resolve()
      })
    })
  }

  static async started(stage: Stage, options: OurRealtimeOptions): Promise<OurRealtime> {
    const desk = new OurRealtime(stage, options)
    await desk.session.start()
    return desk
  }

  /** The model is asked, and answers. */
  ask(): void {
    this.session.reply()
  }

  /** The model speaks, and the caller hears it. */
  async speaks(): Promise<void> {
    this.ask()
    await this.#line.caller.hears()
  }

  hangUp(): void {
    this.#line.caller.hangsUp()
  }

  /** The close, and the start that it comes into. */
  starting(): Call {
    const starting = this.session.start().catch(noop)
    return this.call({ close: () => Promise.all([this.session.close(), starting]).then(noop) })
  }

  call(more: Partial<Call> = {}): Call {
    return { close: () => this.session.close(), onClosed: this.#ends.listen, ...more }
  }

  /** Nobody asks: it ends by itself. */
  unasked(): Call {
    return this.call({ close: () => this.#closed })
  }
}
