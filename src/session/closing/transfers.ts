import {
  isCallAddress,
  type LineConnection,
  type TransferOutcome,
  type TransferResult,
} from '../../parts/index.ts'
import { OptionError, clip, describeError, noop } from '../../scope/index.ts'
import type { Agent } from '../answering/agent.ts'
import type { SessionContext } from '../context.ts'
import { TransferError } from '../errors.ts'
import { limits } from '../limits.ts'
import { transferNames, type Transfer, type TransferOptions, type TransferringTool } from './asks.ts'
import type { Closing } from './closing.ts'
import { Consultation, checkConsultation, type NewSession } from './consultation.ts'
import type { Holds } from './holds.ts'

const outcomes: Readonly<Record<TransferOutcome, true>> = {
  answered: true,
  busy: true,
  'no-answer': true,
  rejected: true,
  declined: true,
  machine: true,
  failed: true,
  'caller-gone': true,
  unknown: true,
}

const SILENT_LINE = 'the line has not said how it ended'

type TransferLine = LineConnection & Required<Pick<LineConnection, 'transfer'>>

/**
 * Hands the caller over to a person (TR1–TR5).
 *
 *   say ─▶ heard ─▶ the line rings the person ──▶ answered ─▶ the session closes with `transferred`
 *                      │  warm: Consultation  └─▶ nobody   ─▶ the caller is back, and turns are taken again
 *
 * Meanwhile the caller is on hold: no turn begins. In a cold transfer, the caller is with the carrier and hears nothing of us; in
 * a warm one, the caller hears music while the agent talks to the person.
 */
export class Transfers implements Transfer {
  readonly #context: SessionContext
  readonly #closing: Closing
  readonly #holds: Holds
  readonly #newSession: NewSession
  #active = false

  constructor(context: SessionContext, closing: Closing, holds: Holds, newSession: NewSession) {
    this.#context = context
    this.#closing = closing
    this.#holds = holds
    this.#newSession = newSession
  }

  async transfer(options: TransferOptions, tool?: TransferringTool): Promise<TransferOutcome> {
    const { answering, speaking } = this.#closing.live('transfer the call')
    this.#closing.optionsOf('transfer', options, transferNames)
    const line = this.#check(options)
    const { to, say, sorry, by = tool?.task.name ?? to, how = 'cold' } = options
    this.#active = true
    speaking.waitForLine(true)
    const hold = this.#holds.begin()
    this.#holds.replace(hold)
    try {
      const { scope } = this.#context
      if (say === undefined) await scope.until(speaking.finished())
      else await scope.until(answering.say(say, { interruptible: false }).waitForPlayout())
      if (how === 'cold') {
        speaking.callerIsAway(true)
        // What was begun after the words is said to its end.
        await scope.until(speaking.finished())
      } else this.#holds.change(hold, this.#holds.soundOf(options.hold ?? {}))
      const { agent } = answering.agents.current
      const outcome = await scope.until(
        how === 'cold' ? this.#ring(line, options) : this.#consult(line, options, agent),
      )
      if (outcome !== 'answered' && outcome !== 'unknown') {
        if (sorry !== undefined && this.#context.isOpen) answering.say(sorry)
        return outcome
      }
      tool?.done()
      this.#context.ends.close({ reason: 'transferred', by, from: tool?.task }).catch(noop)
      return outcome
    } finally {
      this.#active = false
      if (this.#closing.state === 'live') {
        speaking.waitForLine(false)
        speaking.callerIsAway(false)
      }
      this.#holds.end(hold)
      this.#context.transfersUntil = 0
      this.#context.onFinished?.()
    }
  }

  /** Has the line ring the person, and talks to the person before the caller does. */
  async #consult(line: TransferLine, options: TransferOptions, agent: Agent): Promise<TransferOutcome> {
    const consultation = new Consultation(this.#context, this.#newSession, options, agent)
    const { ringTimeout = limits.ringTimeout } = options
    let outcome: TransferOutcome = 'failed'
    this.#context.transfersUntil = this.#context.now + ringTimeout + consultation.longest + limits.warmSlack
    try {
      outcome = await this.#ring(line, options, consultation)
      return outcome
    } finally {
      consultation.end(outcome === 'answered' || outcome === 'unknown')
    }
  }

  /** Has the line ring the person. Bounded, whatever the line does. */
  #ring(
    line: TransferLine,
    { to, from, ringTimeout = limits.ringTimeout, machines }: TransferOptions,
    consultation?: Consultation,
  ): Promise<TransferOutcome> {
    const { scope, events, book } = this.#context
    // In the report from the beginning: if the session closes meanwhile, the call goes on, and the outcome is not known.
    const transfer = book.transferring(to, this.#context.now)
    if (consultation) consultation.onReport = transfer.consulted
    events.emit('transfer', { to })
    return new Promise((resolve) => {
      const done = ({ outcome, why }: TransferResult): void => {
        timer.clear()
        const reason = typeof why === 'string' ? { why: clip(why, limits.why) } : {}
        if (!transfer.finish({ outcome, ...reason }, this.#context.now)) return
        if (this.#context.isOpen) events.emit('transfer', { to, outcome, ...reason })
        resolve(outcome)
      }
      const slack =
        ringTimeout + (consultation ? consultation.longest + limits.warmSlack : limits.transferSlack)
      // Without a word of the line, a caller on hold has not gone anywhere.
      const timer = scope.after(slack, 'outcome of the transfer', () =>
        done({ outcome: consultation ? 'failed' : 'unknown', why: SILENT_LINE }),
      )
      const transferring = new Promise<TransferResult>((settle) => {
        const consult = consultation && { consult: consultation.talk, machines }
        settle(line.transfer({ to, from, ringTimeout, ...consult }))
      })
      transferring.then(
        (result) => done(isResult(result) ? result : { outcome: 'unknown', why: SILENT_LINE }),
        (error: unknown) => {
          this.#context.failed('transfer', error)
          done({ outcome: 'failed', why: describeError(error).message })
        },
      )
    })
  }

  /** Throws if the call cannot be transferred now. */
  #check(options: TransferOptions): TransferLine {
    const { to, ringTimeout = limits.ringTimeout, how = 'cold' } = options
    if (!isCallAddress(to))
      throw new OptionError(
        `transfer: to must be like +4930123456 or sip:desk@example.com; it is '${clip(String(to), 40)}'`,
      )
    if (!(Number.isFinite(ringTimeout) && ringTimeout > 0 && ringTimeout <= limits.longestRing))
      throw new OptionError(
        `transfer: ringTimeout must be from 1 to ${limits.longestRing} ms; it is ${String(ringTimeout)}`,
      )
    checkConsultation(options)
    if (this.#active) throw new TransferError('TRANSFER_ACTIVE', 'the caller is being transferred already')
    const { line } = this.#context
    const isAble = typeof line?.transfer === 'function' && (how === 'cold' || line.consults === true)
    if (isAble) return line as TransferLine
    throw new TransferError(
      'TRANSFER_UNSUPPORTED',
      `the line '${this.#context.settings.line.name}' cannot transfer calls${how === 'warm' ? ' warm' : ''}`,
    )
  }
}

/** Whether a line has answered as it should. */
function isResult(result: unknown): result is TransferResult {
  const { outcome } = typeof result === 'object' && result !== null ? (result as Partial<TransferResult>) : {}
  return typeof outcome === 'string' && Object.hasOwn(outcomes, outcome)
}
