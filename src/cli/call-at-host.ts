import type { CallOut } from '../host/index.ts'
import { newKey } from '../lines/index.ts'
import type { DialOptions, DialReport } from '../lines/twilio/index.ts'
import { noop, systemClock } from '../scope/index.ts'
import type { SessionReport } from '../session/index.ts'
import { HostOperator } from './operator/host-operator.ts'

export interface CallAtHostOptions {
  readonly url: string
  readonly secret: string | undefined
  readonly dial: DialOptions
  /** Milliseconds for the session of an answered call to begin. */
  readonly patience: number
  /** Resolves when the user wants to end the call. */
  readonly interrupted: Promise<unknown>
  /** Called with the outcome of the attempt. */
  readonly dialled: (report: Omit<DialReport, 'took'>) => void
}

/** Milliseconds between two questions. */
const POLL = 500

/** Has a running host call somebody. Returns the report of the session, undefined if there is none. */
export async function callAtHost(options: CallAtHostOptions): Promise<SessionReport | undefined> {
  const { url, secret, interrupted, dialled } = options
  const operator = new HostOperator(url, secret)
  // Chosen here, so that the call can be found again if the answer is lost.
  const dial = { ...options.dial, key: options.dial.key ?? newKey() }
  let id: string | undefined
  let attempt: CallOut = await operator.call(dial)
  interrupted
    .then<unknown>(() => (id === undefined ? operator.cancelCall(dial.key) : operator.closeCall(id)))
    .catch(noop)
  while (attempt.outcome === undefined) {
    await pause()
    attempt = await operator.callOut(dial.key)
  }
  dialled({ ...attempt, outcome: attempt.outcome })
  if (attempt.outcome !== 'answered' || attempt.id === undefined) return undefined
  id = attempt.id
  return await reportAt(operator, id, options.patience)
}

/** Waits for the report of a call. Undefined if it has no session after a while. */
async function reportAt(
  operator: HostOperator,
  id: string,
  patience: number,
): Promise<SessionReport | undefined> {
  const until = systemClock.now() + patience
  for (;;) {
    const details = await operator.details(id)
    if (details?.report) return details.report
    if (!details && systemClock.now() > until) return undefined
    await pause()
  }
}

const pause = (): Promise<void> =>
  new Promise((resolve) => void systemClock.after(POLL, 'ask the host again', resolve))
