import { muLaw } from '../../src/audio/index.ts'
import { TwilioCalls, type TwilioCallsOptions, type TwilioLine } from '../../src/lines/twilio/index.ts'
import type { CarrierRequest } from '../../src/lines/twilio/calling.ts'
import type { Platform } from '../../src/lines/websocket/client/wire.ts'
import type { Line } from '../../src/parts/index.ts'
import type { LineSubject, Stage } from '../../src/testing/index.ts'
import { AwaitedLines } from './awaited-lines.ts'
import { TestPhone, type PhoneOptions, type Post } from './phone.ts'
import type { Dial } from './sim-wires.ts'
import { signatureOf } from './twilio-signature.ts'

/** The network of a subject's phones. */
export interface Phones {
  readonly platform: Platform
  readonly post: Post
  /** How long a clear may take to arrive, by the stage's clock. Default: 0. */
  readonly delay?: number
}

/** The public address of the server. */
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

/** Dials as a carrier on this machine. Signs if there is a token. */
export const dialPhone =
  (calls: () => TwilioCalls, token?: string): Dial =>
  (address) => {
    const { pathname: url } = new URL(address)
    const request = { ...from(token, `${base.replace('http', 'ws')}${url}`), method: 'GET', url, body: '' }
    const { accept, refused } = calls().admit(request)
    return accept ? { accept } : { code: 1006, reason: refused }
  }

/** Posts webhooks without a network. */
export const postToPhone =
  (calls: () => TwilioCalls, token?: string): Post =>
  async (url, form) => {
    const body = new URLSearchParams(form).toString()
    return calls().webhook({ ...from(token, `${base}${url}`, form), method: 'POST', url, body })
  }

/** A line that gets a call whenever it is opened. */
export function phoneSubjectOf(
  stage: Stage,
  phonesOf: (calls: () => TwilioCalls) => Phones,
  options: Partial<TwilioCallsOptions> = {},
  phoneOptions: PhoneOptions = {},
): LineSubject {
  const lines = new AwaitedLines<TwilioLine>()
  const calls = new TwilioCalls({
    scope: stage.context().scope,
    maxRate: 1_000,
    onCall: lines.take,
    ...options,
  })
  const phones = phonesOf(() => calls)
  let phone: TestPhone | undefined
  let closingAt = Infinity
  let refuses = false

  const line: Line = {
    name: 'phone',
    hears: muLaw,
    speaks: muLaw,
    async open(context, events) {
      const { scope } = context
      scope.signal.throwIfAborted()
      const caller = new TestPhone(stage.clock, phones.platform, phones.post, phoneOptions)
      phone = caller
      const taken = await lines.next(
        scope,
        () => void caller.rings().catch(() => {}),
        () => {
          closingAt = stage.clock.now()
          // The line does not know about a stream that is not connected yet.
          if (!caller.started) caller.hangsUp()
        },
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
    // The carrier takes a moment to end the call after its stream was closed.
    ended: () => phone!.over || !phone!.connected,
    audibleAfterClosing: () => phone!.audibleAfter(closingAt + (phones.delay ?? 0)),
    lostAfter: 10_000,
    refuses: () => (refuses = true),
  }
}
