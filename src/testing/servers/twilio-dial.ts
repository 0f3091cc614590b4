import { noop } from '../../scope/index.ts'
import { SoundBridge } from './twilio-bridge.ts'
import { joinConference } from './twilio-dial-conference.ts'
import { sendKeys } from './twilio-keys.ts'
import type { CallLeg } from './twilio-leg.ts'
import { statusCallback, wordsIn } from './twilio-status.ts'
import type { Twiml } from './twilio-twiml.ts'
import type { AfterVerb, RingOptions, VerbRun } from './twilio-verb.ts'

const NOUNS = new Set(['Number', 'Sip', 'Client'])

interface DialResult {
  /** The leg that was connected, or the last one that was rung. */
  readonly leg: CallLeg | undefined
  readonly bridged: boolean
}

interface RungTarget {
  readonly leg: CallLeg
  readonly attributes: Twiml['attributes']
}

/** Executes `<Dial>`: rings all its numbers, and connects the call with the first one that answers. */
export async function dial(run: VerbRun, verb: Twiml): Promise<AfterVerb> {
  const { leg } = run
  const conference = verb.children.find(({ name }) => name === 'Conference')
  if (conference) await joinConference(run, conference)
  const result = conference ? { DialCallStatus: 'answered' } : resultFields(await ringAndConnect(run, verb))
  const { action } = verb.attributes
  if (action === undefined) return 'next'
  const url = run.resolve(action)
  const fields = { CallStatus: leg.state, ...result }
  if (!leg.over) return { url, fields }
  // The caller has left: the application is informed, and its document is not executed.
  leg.webhooks.notify(leg.context.toLocal(url), fields)
  return 'end'
}

async function ringAndConnect(run: VerbRun, verb: Twiml): Promise<DialResult> {
  const legs = targetsOf(verb).map((target) => ringTarget(run, verb, target))
  let ready: CallLeg | undefined
  for (const target of legs)
    prepare(run, target)
      .then((isReady) => {
        if (isReady && !ready) ready = target.leg
        run.leg.changed()
      })
      .catch(noop)
  await run.until(() => ready !== undefined || legs.every(({ leg }) => leg.over || leg.detached))
  for (const { leg } of legs) if (leg !== ready) hangUp(leg)
  if (!ready) return { leg: legs.at(-1)?.leg, bridged: false }
  const bridged = run.active && (await bridge(run, ready, verb))
  hangUp(ready)
  return { leg: ready, bridged }
}

function ringTarget(run: VerbRun, verb: Twiml, target: Twiml): RungTarget {
  const { timeout = '30', callerId = run.leg.ids.from } = verb.attributes
  const { statusCallback: url, statusCallbackEvent } = target.attributes
  const status = statusCallback(
    url === undefined ? undefined : run.resolve(url),
    wordsIn(statusCallbackEvent),
  )
  const to = addressOf(target)
  const leg = run.exchange.ring({
    to,
    from: callerId,
    timeout: Number(timeout) * 1_000,
    parent: run.leg,
    ...(status ? { status } : {}),
    ...detectionOf(run, target),
  })
  run.leg.emit({ type: 'dials', to, call: leg.sid })
  return { leg, attributes: target.attributes }
}

/** The machine detection of a noun, which is always asynchronous. */
function detectionOf(run: VerbRun, { attributes }: Twiml): Pick<RingOptions, 'detection'> {
  const { machineDetection: mode, amdStatusCallback: callback, machineDetectionTimeout = '30' } = attributes
  if ((mode !== 'Enable' && mode !== 'DetectMessageEnd') || callback === undefined) return {}
  const timeout = Number(machineDetectionTimeout) * 1_000
  return { detection: { mode, async: true, timeout, callback: run.resolve(callback) } }
}

/** Waits until a leg has answered and has executed the document for it alone. Resolves to whether it can be connected. */
async function prepare(run: VerbRun, { leg, attributes }: RungTarget): Promise<boolean> {
  const { url, sendDigits } = attributes
  await leg.until(() => leg.answered || leg.over)
  if (sendDigits !== undefined) await keysSent(leg, sendDigits)
  if (leg.over || leg.detached) return false
  return url === undefined || run.exchange.execute(leg, { url: run.resolve(url) })
}

async function keysSent(leg: CallLeg, digits: string): Promise<void> {
  let sent = false
  sendKeys(leg, digits, () => {
    sent = true
    leg.changed()
  })
  await leg.until(() => sent || leg.over)
}

/** Connects two legs until one of them ends or leaves. */
async function bridge(run: VerbRun, other: CallLeg, { attributes }: Twiml): Promise<boolean> {
  const { leg } = run
  const { clock, speed } = leg.context
  const sounds = new SoundBridge(clock, speed)
  const { timeLimit } = attributes
  const limit =
    timeLimit === undefined
      ? undefined
      : other.after(Number(timeLimit) * 1_000, 'the time limit of <Dial>', () => other.end({ by: 'carrier' }))
  leg.media.joinBridge(sounds)
  other.media.joinBridge(sounds)
  leg.emit({ type: 'bridged', call: other.sid })
  other.emit({ type: 'bridged', call: leg.sid })
  await run.until(() => !sounds.has(leg.media) || !sounds.has(other.media))
  limit?.clear()
  for (const [each, from] of [
    [leg, other],
    [other, leg],
  ] as const) {
    // A leg that was redirected may be in another bridge by now.
    if (sounds.has(each.media)) each.media.leaveBridge()
    if (!each.over) each.emit({ type: 'unbridged', call: from.sid })
  }
  return true
}

/** Ends a leg that the `<Dial>` no longer needs. A leg that was redirected lives on. */
function hangUp(leg: CallLeg): void {
  if (leg.detached) return
  leg.end({ by: 'other-leg', state: leg.answered ? 'completed' : 'canceled' })
}

function resultFields({ leg, bridged }: DialResult): Record<string, string> {
  if (!leg) return { DialCallStatus: 'failed', DialBridged: 'false' }
  return {
    DialCallStatus: bridged || leg.state === 'in-progress' ? 'completed' : leg.state,
    DialCallSid: leg.sid,
    DialBridged: String(bridged),
    ...(leg.answered ? { DialCallDuration: String(leg.duration) } : {}),
  }
}

/** Whom a noun rings. The query of a SIP address has headers. */
function addressOf({ name, text }: Twiml): string {
  if (name === 'Client') return `client:${text.trim()}`
  return name === 'Sip' ? text.trim().replace(/[?;].*/, '') : text.trim()
}

/** The nouns of a `<Dial>`. Plain text is a number. */
function targetsOf(verb: Twiml): readonly Twiml[] {
  const nouns = verb.children.filter(({ name }) => NOUNS.has(name))
  if (nouns.length > 0) return nouns
  return verb.text.trim() === '' ? [] : [{ name: 'Number', attributes: {}, children: [], text: verb.text }]
}
