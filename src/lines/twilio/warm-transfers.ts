import type { Line, TransferResult } from '../../parts/index.ts'
import type { Resource, Scope } from '../../scope/index.ts'
import type { Dials } from './dials.ts'
import { DialError } from './errors.ts'
import { WarmTransfer, type Leg, type WarmCaller, type WarmRequest } from './warm-transfer.ts'

export interface WarmTransfersOptions {
  readonly scope: Scope<string>
  readonly dials: Dials
}

/** All warm transfers: finds them again when the carrier reports. */
export class WarmTransfers implements Resource {
  readonly #options: WarmTransfersOptions
  /** By the names of their conferences. */
  readonly #transfers = new Map<string, WarmTransfer>()

  constructor(options: WarmTransfersOptions) {
    this.#options = options
    options.scope.own('warm transfers', this)
  }

  get isBusy(): boolean {
    return this.#transfers.size > 0
  }

  /** Rejects if the person cannot be called. */
  async start(caller: WarmCaller, request: WarmRequest): Promise<TransferResult> {
    const { scope, dials } = this.#options
    const { from = caller.number } = request
    if (from === undefined)
      throw new DialError('DIAL_IMPOSSIBLE', 'the number to show to the person is not known: set from')
    const forget = ({ name }: WarmTransfer): void => void this.#transfers.delete(name)
    const { clock } = scope
    const transfer = new WarmTransfer({ clock, dials, caller, request, from, forget })
    transfer.start()
    this.#transfers.set(transfer.name, transfer)
    return transfer.result
  }

  /** Somebody has answered a call out with this key. */
  answered(key: string | undefined, call: string): void {
    const transfer = this.#transfers.get(key ?? '')
    if (transfer) transfer.personId = call
  }

  /** The transfer for which this call was made. */
  expects(call: string): WarmTransfer | undefined {
    for (const transfer of this.#transfers.values()) if (transfer.personId === call) return transfer
    return undefined
  }

  /**
   * A call has begun. Returns the conversation if it is that of a person, which rejects if nobody wants it; undefined for another
   * call.
   */
  begun(line: Line, call: Leg): Promise<unknown> | undefined {
    for (const each of this.#transfers.values()) if (each.callerId === call.id) each.callerIsBack()
    const transfer = this.expects(call.id)
    if (!transfer) return undefined
    return transfer.talk(line, call) ?? Promise.reject(new Error('the caller no longer waits'))
  }

  /** The carrier reports that a call has joined a conference. */
  joined(call: string, fields: URLSearchParams): void {
    if (fields.get('StatusCallbackEvent') !== 'participant-join') return
    this.#transfers.get(fields.get('FriendlyName') ?? '')?.joined(call, fields.get('ConferenceSid') ?? '')
  }

  /** A call has ended. */
  ended(call: string): void {
    for (const transfer of this.#transfers.values()) transfer.ended(call)
  }

  /** The session of a caller closes. */
  callerLeaves(call: string): void {
    for (const transfer of this.#transfers.values()) if (transfer.callerId === call) transfer.ended(call)
  }

  closing(): void {
    for (const transfer of this.#transfers.values()) transfer.cancel()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#transfers.values()].map((transfer) => transfer.released()))
  }

  abort(): void {
    for (const transfer of this.#transfers.values()) transfer.abort()
  }

  inspect(): object {
    return { transfers: this.#transfers.size }
  }
}
