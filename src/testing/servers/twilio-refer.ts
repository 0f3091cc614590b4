import type { Twiml } from './twilio-twiml.ts'
import type { AfterVerb, VerbRun } from './twilio-verb.ts'

/** Executes `<Refer>`: asks the phone of a SIP call to call somebody else itself. Then the call has left the carrier. */
export async function refer(run: VerbRun, { attributes, children }: Twiml): Promise<AfterVerb> {
  const { leg, exchange } = run
  const target = children.find(({ name }) => name === 'Sip')?.text.trim() ?? ''
  const outcome = /^sips?:/.test(leg.ids.from) ? exchange.referOutcome(target) : undefined
  let known = false
  leg.after(outcome?.after ?? 0, 'the outcome of a REFER', () => {
    known = true
    leg.changed()
  })
  await run.until(() => known)
  if (!run.active) return 'end'
  const moved = outcome?.sip === 200
  const fields = {
    ReferCallStatus: moved ? 'completed' : 'failed',
    ...(outcome
      ? { ReferSipResponseCode: '202', NotifySipResponseCode: String(outcome.sip) }
      : { ReferSipResponseCode: '405' }),
  }
  const { action } = attributes
  const url = action === undefined ? undefined : run.resolve(action)
  if (!moved) return url === undefined ? 'next' : { url, fields }
  leg.end({ by: 'caller' })
  if (url !== undefined) leg.webhooks.notify(leg.context.toLocal(url), { CallStatus: leg.state, ...fields })
  return 'end'
}
