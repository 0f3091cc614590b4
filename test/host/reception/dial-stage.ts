import type { PhoneAccount } from '../../../src/host/reception/entrance-options.ts'
import type { CallOut } from '../../../src/host/wire/index.ts'
import { systemClock } from '../../../src/scope/index.ts'
import { TwilioCarrier } from '../../../src/testing/servers/index.ts'
import { TcpProxy } from '../../lines/tcp-proxy.ts'
import { TestHost, type ProcessOptions, type TestProcess } from './process.ts'

export const PERSON = '+4930123456'
export const OURS = '+15550100'

/** Before something is looked at again. */
export const pause = (): Promise<void> =>
  new Promise((resolve) => void systemClock.after(20, 'look again', resolve))

/** Processes that share a journal and a carrier, behind one public address that leads to one of them. */
export class DialStage {
  readonly host: TestHost
  readonly carrier: TwilioCarrier
  readonly #front: TcpProxy

  private constructor(host: TestHost, carrier: TwilioCarrier, front: TcpProxy) {
    this.host = host
    this.carrier = carrier
    this.#front = front
  }

  static async open(): Promise<DialStage> {
    return new DialStage(await TestHost.open(), await TwilioCarrier.listen(), await TcpProxy.listen(1))
  }

  get phone(): PhoneAccount {
    const { authToken, accountSid, url: api } = this.carrier
    return { authToken, accountSid, api, publicUrl: `http://127.0.0.1:${this.#front.port}` }
  }

  start(options: ProcessOptions = {}): Promise<TestProcess> {
    return this.host.start({ phone: { ...this.phone, dialRate: 100 }, ...options })
  }

  /** The carrier's requests go to this process from now on. */
  lead({ reception }: TestProcess): void {
    this.#front.lead(reception.port)
  }

  /** Has a process call somebody. */
  async call({ reception }: TestProcess, key: string, to = PERSON): Promise<CallOut> {
    return (await reception.entrance.callsOut.call({ to, from: OURS, key })).attempt
  }

  /** The outcome of an attempt, as the journal has it. Waits for it. */
  async outcome(key: string): Promise<CallOut> {
    for (;;) {
      const { outcome, call, why } = (await this.host.journal.findDial({ key })) ?? {}
      const found = { key, outcome, ...(call ? { id: call } : {}), ...(why ? { why } : {}) }
      if (outcome !== undefined) return found as CallOut
      await pause()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const call of this.carrier.live) call.hangUp()
    await this.host[Symbol.asyncDispose]()
    await this.carrier.close()
    await this.#front.close()
  }
}
