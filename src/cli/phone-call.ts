import { asSampleRate, decodeWav, durationOf, type AudioFrame } from '../audio/index.ts'
import { systemClock } from '../scope/index.ts'
import { TwilioCarrier, type TwilioCall, type TwilioCallEvent } from '../testing/servers/index.ts'
import { utterancesOf } from './utterances.ts'

export interface PhoneCallOptions {
  /** Where it rings. */
  readonly webhook: string
  /** The caller's voice: what is said, one thing after the other. */
  readonly voice: readonly AudioFrame[]
  /** Signs the call, if the server wants that. */
  readonly authToken?: string
  /** Whose call it is, if the server takes only those of one account. */
  readonly accountSid?: string
  /** The address that the server believes to have. */
  readonly publicUrl?: string
  /** Milliseconds of silence after which the agent is taken to have finished. */
  readonly quiet: number
  /** Told what happens as it is and, if it is worth it, in words. */
  readonly tell: (event: TwilioCallEvent | PhoneEvent, words?: string) => void
}

/** What the caller does by its own will. */
export type PhoneEvent = { readonly at: number } & (
  | { readonly type: 'utterance'; readonly number: number; readonly of: number; readonly duration: number }
  | { readonly type: 'gives-up' }
)

/** How a call went. */
export interface PhoneOutcome {
  readonly call: string
  readonly state: TwilioCall['state']
  readonly endedBy: TwilioCall['endedBy']
  /** Milliseconds of the agent's sound. */
  readonly heard: number
  readonly wav: Uint8Array
}

/** How long an agent may say nothing at all before the caller gives up. */
const PATIENCE = 20_000

/** The recording of a caller, in the pieces that are said. */
export function readVoice(file: Uint8Array): AudioFrame[] {
  const { channels, sampleRate } = decodeWav(file)
  return utterancesOf({ samples: channels[0]!, sampleRate: asSampleRate(sampleRate) })
}

/** Rings a server as a carrier does, says each thing when the agent has finished speaking, and hears it to the end. */
export async function phoneCall(options: PhoneCallOptions): Promise<PhoneOutcome> {
  const { webhook, voice, authToken, accountSid, publicUrl, quiet, tell } = options
  await using carrier = new TwilioCarrier({
    ...(authToken === undefined ? {} : { authToken }),
    ...(accountSid === undefined ? {} : { accountSid }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
  })
  const call = carrier.call(webhook, {
    // Without a token there is nothing to sign with, and nobody who could check.
    ...(authToken === undefined ? { signs: 'never', signsStream: 'never' } : {}),
    onEvent: (event) => tell(event, inWords(event)),
  })
  const began = systemClock.now()
  const now = (): number => systemClock.now() - began
  const givesUp = (): void => tell({ at: now(), type: 'gives-up' }, 'the caller gives up')
  for (const [index, utterance] of voice.entries()) {
    await hears(call, quiet, givesUp)
    if (call.over) break
    const [number, of, duration] = [index + 1, voice.length, durationOf(utterance)]
    tell({ at: now(), type: 'utterance', number, of, duration }, `the caller speaks (${number} of ${of})`)
    await call.says(utterance)
  }
  await hears(call, quiet, givesUp)
  call.hangUp()
  await call.gone()
  const { sid, state, endedBy, heardBytes, heardWav } = call
  return { call: sid, state, endedBy, heard: heardBytes / 8, wav: heardWav }
}

/** Waits until the agent has finished. One that says nothing is not waited for without end. */
async function hears(call: TwilioCall, quiet: number, givesUp: () => void): Promise<void> {
  const timer = systemClock.after(PATIENCE, 'the patience of a caller', () => {
    // It may be speaking for so long.
    if (call.events.findLast(({ type }) => type === 'speaks' || type === 'said')?.type === 'speaks') return
    givesUp()
    call.hangUp()
  })
  await call.listens(quiet)
  timer.clear()
}

function inWords(event: TwilioCallEvent): string | undefined {
  switch (event.type) {
    case 'ringing':
      return 'it rings'
    case 'answered':
      return 'answered'
    case 'refused':
      return `not answered: ${event.status === 0 ? event.why : `the webhook said ${event.status}`}`
    case 'started':
      return 'the agent has the line'
    case 'speaks':
      return 'the agent speaks'
    case 'quiet':
      return 'the agent is silent'
    case 'cleared':
      return event.unheard > 0
        ? `the agent breaks off: ${Math.round(event.unheard)} ms are not heard`
        : undefined
    case 'stream-ended':
      return event.how === 'refused'
        ? `the stream was refused with ${event.status ?? 'no answer'}`
        : undefined
    case 'ended':
      return event.by === 'caller' ? 'the caller hangs up' : 'the agent has hung up'
    case 'misunderstood':
      return `the server sent ${event.why}`
    case 'verb':
      return `the server wants <${event.name}>`
    case 'mark':
    case 'told-more':
    case 'connected':
    case 'said':
    case 'says':
    case 'pressed':
      return undefined
  }
  return undefined
}
