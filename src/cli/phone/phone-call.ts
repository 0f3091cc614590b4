import { durationOf, type AudioFrame } from '../../audio/index.ts'
import { systemClock } from '../../scope/index.ts'
import { TwilioCarrier, type TwilioCall, type TwilioCallEvent } from '../../testing/servers/index.ts'

export interface PhoneCallOptions {
  /** The URL that answers the call. */
  readonly webhook: string
  /** The utterances of the caller, in order. */
  readonly voice: readonly AudioFrame[]
  /** Signs the requests, for a server that requires it. */
  readonly authToken?: string
  /** The account of the call, for a server that accepts only one. */
  readonly accountSid?: string
  /** The public address of the server, which is signed. */
  readonly publicUrl?: string
  /** Milliseconds of silence after which the agent counts as finished. */
  readonly quiet: number
  /** Called with the id of the call when it begins. */
  readonly began?: (call: string) => void
  /** Called with every event, and with a description of the important ones. */
  readonly onEvent: (event: TwilioCallEvent | PhoneEvent, description?: string) => void
}

/** An action of the caller. */
export type PhoneEvent = { readonly at: number } & (
  | { readonly type: 'utterance'; readonly number: number; readonly of: number; readonly duration: number }
  | { readonly type: 'gives-up' }
)

/** The result of a call. */
export interface PhoneOutcome {
  readonly call: string
  readonly state: TwilioCall['state']
  readonly endedBy: TwilioCall['endedBy']
  /** Milliseconds of audio from the agent. */
  readonly heard: number
  readonly wav: Uint8Array
}

/** How long the caller waits for an agent that says nothing. */
const PATIENCE = 20_000

/** Calls a server as a carrier does. Plays each utterance when the agent has finished speaking, and records the agent. */
export async function phoneCall(options: PhoneCallOptions): Promise<PhoneOutcome> {
  const { webhook, voice, authToken, accountSid, publicUrl, quiet, began: onBegin, onEvent } = options
  await using carrier = new TwilioCarrier({
    ...(authToken === undefined ? {} : { authToken }),
    ...(accountSid === undefined ? {} : { accountSid }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
  })
  const call = carrier.call(webhook, {
    // Without a token there is nothing to sign with.
    ...(authToken === undefined ? { signs: 'never', signsStream: 'never' } : {}),
    onEvent: (event) => onEvent(event, describe(event)),
  })
  onBegin?.(call.sid)
  const began = systemClock.now()
  const now = (): number => systemClock.now() - began
  const givesUp = (): void => onEvent({ at: now(), type: 'gives-up' }, 'the caller gives up')
  for (const [index, utterance] of voice.entries()) {
    await listen(call, quiet, givesUp)
    if (call.over) break
    const [number, of, duration] = [index + 1, voice.length, durationOf(utterance)]
    onEvent({ at: now(), type: 'utterance', number, of, duration }, `the caller speaks (${number} of ${of})`)
    await call.says(utterance)
  }
  await listen(call, quiet, givesUp)
  call.hangUp()
  await call.gone()
  const { sid, state, endedBy, heardBytes, heardWav } = call
  return { call: sid, state, endedBy, heard: heardBytes / 8, wav: heardWav }
}

/** Waits until the agent has finished. Hangs up on an agent that says nothing. */
async function listen(call: TwilioCall, quiet: number, givesUp: () => void): Promise<void> {
  const timer = systemClock.after(PATIENCE, 'the patience of a caller', () => {
    // The agent may have been speaking all the time.
    if (call.events.findLast(({ type }) => type === 'speaks' || type === 'said')?.type === 'speaks') return
    givesUp()
    call.hangUp()
  })
  await call.listens(quiet)
  timer.clear()
}

function describe(event: TwilioCallEvent): string | undefined {
  switch (event.type) {
    case 'ringing':
      return 'ringing'
    case 'answered':
      return 'answered'
    case 'refused':
      return `not answered: ${event.status === 0 ? event.why : `the webhook responded with ${event.status}`}`
    case 'started':
      return 'connected to the agent'
    case 'speaks':
      return 'the agent speaks'
    case 'quiet':
      return 'the agent is silent'
    case 'cleared':
      return event.unheard > 0
        ? `the agent stops: ${Math.round(event.unheard)} ms of its audio were not heard`
        : undefined
    case 'stream-ended':
      return event.how === 'refused' ? `the stream was refused: ${event.status ?? 'no response'}` : undefined
    case 'ended':
      return event.by === 'caller' ? 'the caller hung up' : 'the agent hung up'
    case 'redirected':
      return 'the agent hands the caller over'
    case 'dials':
      return `${event.to} is called`
    case 'bridged':
      return 'connected to another phone'
    case 'joins-conference':
      return `in the conference ${event.conference}`
    case 'misunderstood':
      return `the server sent ${event.why}`
    case 'verb':
      return `the server responded with <${event.name}>`
    case 'mark':
    case 'told-more':
    case 'connected':
    case 'said':
    case 'says':
    case 'pressed':
    case 'queued':
    case 'initiated':
    case 'unbridged':
    case 'leaves-conference':
    case 'hears-keys':
      return undefined
  }
  return undefined
}
