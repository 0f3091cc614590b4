import { isCallAddress, type LineConnection, type TransferOutcome } from '../../parts/index.ts'
import { OptionError, clip, noop } from '../../scope/index.ts'
import type { SessionContext } from '../context.ts'
import { TransferError } from '../errors.ts'
import { limits } from '../limits.ts'
import { transferNames, type Transfer, type TransferOptions, type TransferringTool } from './asks.ts'
import type { Closing } from './closing.ts'

const outcomes: Readonly<Record<TransferOutcome, true>> = {
  answered: true,
  busy: true,
  'no-answer': true,
  rejected: true,
  failed: true,
  'caller-gone': true,
  unknown: true,
}

type TransferLine = LineConnection & Required<Pick<LineConnection, 'transfer'>>

/**
 * Hands the caller over to a person (TR1–TR3).
 *
 *   say ─▶ heard ─▶ the line rings the person ──▶ answered ─▶ the session closes with `transferred`
 *                                             └─▶ nobody   ─▶ the caller is back, and turns are taken again
 *
 * Meanwhile the caller is with the carrier: no turn begins, and nothing is said.
 */
export class Transfers implements Transfer {
  readonly #context: SessionContext
  readonly #closing: Closing
  #active = false

  constructor(context: SessionContext, closing: Closing) {
    this.#context = context
    this.#closing = closing
  }

  async transfer(options: TransferOptions, tool?: TransferringTool): Promise<TransferOutcome> {
    const { answering, speaking, hearing } = this.#closing.live('transfer the call')
    this.#closing.optionsOf('transfer', options, transferNames)
    const line = this.#check(options)
    const { to, say, sorry, by = tool?.task.name ?? to } = options
    this.#active = true
    speaking.waitForLine(true)
    hearing.stopTurns(false)
    try {
      const { scope } = this.#context
      if (say === undefined) await scope.until(speaking.finished())
      else await scope.until(answering.say(say, { interruptible: false }).waitForPlayout())
      speaking.callerIsAway(true)
      const outcome = await scope.until(this.#ring(line, options))
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
        hearing.takeTurns()
      }
    }
  }

  /** Has the line ring the person. Bounded, whatever the line does. */
  #ring(
    line: TransferLine,
    { to, from, ringTimeout = limits.ringTimeout }: TransferOptions,
  ): Promise<TransferOutcome> {
    const { scope, events, book } = this.#context
    // In the report from the beginning: if the session closes meanwhile, the call goes on, and the outcome is not known.
    const finish = book.transferring(to, this.#context.now)
    events.emit('transfer', { to })
    return new Promise((resolve) => {
      const done = (outcome: TransferOutcome): void => {
        timer.clear()
        if (!finish(outcome, this.#context.now)) return
        if (this.#context.isOpen) events.emit('transfer', { to, outcome })
        resolve(outcome)
      }
      const slack = ringTimeout + limits.transferSlack
      const timer = scope.after(slack, 'outcome of the transfer', () => done('unknown'))
      const transferring = new Promise<TransferOutcome>((settle) => {
        settle(line.transfer({ to, from, ringTimeout }))
      })
      transferring.then(
        (outcome) => done(Object.hasOwn(outcomes, outcome) ? outcome : 'unknown'),
        (error: unknown) => {
          this.#context.failed('transfer', error)
          done('failed')
        },
      )
    })
  }

  /** Throws if the call cannot be transferred now. */
  #check({ to, ringTimeout = limits.ringTimeout }: TransferOptions): TransferLine {
    if (!isCallAddress(to))
      throw new OptionError(
        `transfer: to must be like +4930123456 or sip:desk@example.com; it is '${clip(String(to), 40)}'`,
      )
    if (!(Number.isFinite(ringTimeout) && ringTimeout > 0 && ringTimeout <= limits.longestRing))
      throw new OptionError(
        `transfer: ringTimeout must be from 1 to ${limits.longestRing} ms; it is ${String(ringTimeout)}`,
      )
    if (this.#active) throw new TransferError('TRANSFER_ACTIVE', 'the caller is being transferred already')
    const { line } = this.#context
    if (typeof line?.transfer === 'function') return line as TransferLine
    throw new TransferError(
      'TRANSFER_UNSUPPORTED',
      `the line '${this.#context.settings.line.name}' cannot transfer calls`,
    )
  }
}
