import { noop } from '../../src/scope/index.ts'
import { Agent, Session } from '../../src/session/index.ts'
import { TestLine } from '../../src/testing/index.ts'
import { FarSide } from './far-side.ts'
import type { Stage, Subject } from './subjects.ts'

/** How long a session may take to close here. */
export const CLOSE_WITHIN = 1_500

const WORDS = 'This goes on for a while, and then for a while more, and for another while, until it ends.'

/** A real session in real time, whose provider talks to a vendor's server over a real socket. */
export class Call {
  readonly subject: Subject
  readonly far: FarSide
  readonly session: Session
  readonly #stage: Stage
  readonly #line = new TestLine()
  /** The exit hook of the agent never returns. */
  stuck = false

  private constructor(subject: Subject, stage: Stage, far: FarSide) {
    this.subject = subject
    this.far = far
    this.#stage = stage
    this.session = new Session({
      agent: new Agent({
        name: 'desk',
        instructions: 'You answer the phone.',
        toolsets: stage.toolsets?.(far.url) ?? [],
        onExit: () => (this.stuck ? new Promise(() => {}) : undefined),
      }),
      models: stage.models(far.url),
      line: this.#line,
      closeTimeout: CLOSE_WITHIN,
      lastWordsTimeout: 300,
    })
  }

  static async prepare(subject: Subject): Promise<Call> {
    const stage = subject.stage()
    return new Call(subject, stage, await FarSide.listen(stage.vendor))
  }

  /** Gives the provider work, and waits until the other side has seen, or the caller has heard, some of it. */
  async keepBusy(): Promise<void> {
    const { far } = this
    const { messages, total } = far
    this.work()
    if (this.#stage.busy === 'the agent answers') return this.#line.caller.hears()
    await far.until(() => far.messages > messages + 1 || far.total > total)
  }

  /** From here on the vendor answers no request. */
  goUnanswered(): void {
    this.#stage.unanswered?.()
  }

  /** The vendor ends the connection in its own words. */
  saysEnd(): void {
    this.#stage.saysEnd?.()
  }

  /** Whatever the provider is there for. */
  work(): void {
    const { busy } = this.#stage
    if (busy === 'the agent speaks') this.session.say(WORDS)
    else if (busy !== 'the caller speaks') this.session.reply()
    else this.#line.caller.says(WORDS).catch(noop)
  }
}
