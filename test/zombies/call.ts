import { noop } from '../../src/scope/index.ts'
import { Agent, Session } from '../../src/session/index.ts'
import { TestLine } from '../../src/testing/index.ts'
import type { Setup, Subject } from './subject.ts'
import { VendorSide } from './vendor-side.ts'

/** The `closeTimeout` of the sessions. */
export const CLOSE_TIMEOUT = 1_500

const WORDS = 'This goes on for a while, and then for a while more, and for another while, until it ends.'

/** A session in real time whose provider talks to a vendor's server over a real socket. */
export class Call {
  readonly subject: Subject
  readonly vendor: VendorSide
  readonly session: Session
  readonly #setup: Setup
  readonly #line = new TestLine()
  /** Whether the agent's exit hook never returns. */
  stuck = false

  private constructor(subject: Subject, setup: Setup, vendor: VendorSide) {
    this.subject = subject
    this.vendor = vendor
    this.#setup = setup
    this.session = new Session({
      agent: new Agent({
        name: 'desk',
        instructions: 'You answer the phone.',
        toolsets: setup.toolsets?.(vendor.url) ?? [],
        onExit: () => (this.stuck ? new Promise(() => {}) : undefined),
      }),
      models: setup.models(vendor.url),
      line: this.#line,
      closeTimeout: CLOSE_TIMEOUT,
      lastWordsTimeout: 300,
    })
  }

  static async prepare(subject: Subject): Promise<Call> {
    const setup = subject.setUp()
    return new Call(subject, setup, await VendorSide.listen(setup.vendor))
  }

  /** Gives the provider work, and waits until the vendor has received or the caller has heard some of it. */
  async keepBusy(): Promise<void> {
    const { vendor } = this
    const { messages, total } = vendor
    this.work()
    if (this.#setup.busy === 'the agent answers') return this.#line.caller.hears()
    await vendor.until(() => vendor.messages > messages + 1 || vendor.total > total)
  }

  /** Makes the vendor leave all further requests unanswered. */
  stopAnswering(): void {
    this.#setup.stopAnswering?.()
  }

  /** Makes the vendor announce the end of the connection. */
  announceEnd(): void {
    this.#setup.announceEnd?.()
  }

  /** Gives the provider work. */
  work(): void {
    const { busy } = this.#setup
    if (busy === 'the agent speaks') this.session.say(WORDS)
    else if (busy !== 'the caller speaks') this.session.reply()
    else this.#line.caller.says(WORDS).catch(noop)
  }
}
