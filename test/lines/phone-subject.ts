import { TwilioCalls, type TwilioCallsOptions, type TwilioLine } from '../../src/lines/twilio/index.ts'
import type { CarrierRequest } from '../../src/lines/twilio/calling.ts'
import type { Platform } from '../../src/lines/websocket/client/wire.ts'
import type { Line } from '../../src/parts/index.ts'
import type { LineSubject, Stage } from '../../src/testing/index.ts'
import { TestPhone, type Ask, type PhoneOptions } from './phone.ts'
import type { Knock } from './sim-wires.ts'
import { signatureOf } from './twilio-signature.ts'

/** Where the phones of a subject live. */
export interface Phones {
  readonly platform: Platform
  readonly ask: Ask
  /** How long a clear may be on its way, by the stage's clock: nothing unless set. */
  readonly way?: number
}

/** The name under which the carrier knows the server. */
const base = 'http://localhost:3000'

const from = (
  token: string | undefined,
  url: string,
  form = {},
): Pick<CarrierRequest, 'headers' | 'address'> => ({
  headers: {
    host: 'localhost:3000',
    ...(token === undefined ? {} : { 'x-twilio-signature': signatureOf(token, url, form) }),
  },
  address: '127.0.0.1',
})

/** A carrier of this machine at the door of the calls. It signs if it has a token. */
export const knockOnPhone =
  (calls: () => TwilioCalls, token?: string): Knock =>
  (address) => {
    const { pathname: url } = new URL(address)
    const request = { ...from(token, `${base.replace('http', 'ws')}${url}`), method: 'GET', url, body: '' }
    const { accept, refused } = calls().admit(request)
    return accept ? { accept } : { code: 1006, reason: refused }
  }

/** Its webhooks, without a network. */
export const askPhone =
  (calls: () => TwilioCalls, token?: string): Ask =>
  async (url, form) => {
    const body = new URLSearchParams(form).toString()
    return calls().webhook({ ...from(token, `${base}${url}`, form), method: 'POST', url, body })
  }

/** A line on which somebody rings whenever it is opened. */
export function phoneSubjectOf(
  stage: Stage,
  phonesOf: (calls: () => TwilioCalls) => Phones,
  options: Partial<TwilioCallsOptions> = {},
  phoneOptions: PhoneOptions = {},
): LineSubject {
  const waiting = new Set<(line: TwilioLine) => void>()
  const calls = new TwilioCalls({
    scope: stage.context().scope,
    maxRate: 1_000,
    onCall: (line) => {
      const [answer] = waiting
      if (answer) answer(line)
      else line.abort()
    },
    ...options,
  })
  const phones = phonesOf(() => calls)
  let phone: TestPhone | undefined
  let closingAt = Infinity
  let refuses = false

  const line: Line = {
    name: 'phone',
    sampleRate: 8_000,
    async open(context, events) {
      const { scope } = context
      scope.signal.throwIfAborted()
      const caller = new TestPhone(stage.clock, phones.platform, phones.ask, phoneOptions)
      phone = caller
      const taken = await scope.until(
        new Promise<TwilioLine>((resolve) => {
          let one: TwilioLine | undefined
          const answer = (called: TwilioLine): void => {
            waiting.delete(answer)
            resolve((one = called))
          }
          waiting.add(answer)
          scope.signal.addEventListener('abort', () => {
            closingAt = stage.clock.now()
            // Nobody answers any more.
            waiting.delete(answer)
            if (!one?.answered) one?.abort()
            // What the carrier has not connected yet is no matter of the line.
            if (!caller.started) caller.hangsUp()
          })
          caller.rings().catch(() => {})
        }),
      )
      if (refuses) taken.abort()
      return await taken.open(context, events)
    },
  }
  return {
    line,
    caller: {
      says: (ms) => phone!.says(ms),
      presses: (digits) => phone!.presses(digits),
      hangsUp: () => phone!.hangsUp(),
      vanishes: () => phone!.vanishes(),
    },
    // What the carrier does when we have left the stream takes it a moment.
    ended: () => phone!.over || !phone!.connected,
    audibleAfterClosing: () => phone!.audibleAfter(closingAt + (phones.way ?? 0)),
    lostAfter: 10_000,
    refuses: () => (refuses = true),
  }
}
