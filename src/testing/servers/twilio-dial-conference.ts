import type { ParticipantSettings } from './twilio-conference.ts'
import { statusCallback, wordsIn } from './twilio-status.ts'
import type { Twiml } from './twilio-twiml.ts'
import type { VerbRun } from './twilio-verb.ts'

/** Executes `<Dial><Conference>`: the call is in the conference until it leaves or is redirected, or the conference ends. */
export async function joinConference(run: VerbRun, noun: Twiml): Promise<void> {
  const { leg, exchange } = run
  const conference = exchange.conference(noun.text.trim(), leg.context)
  const participant = conference.join(leg, settingsOf(run, noun))
  await run.until(() => !conference.has(participant))
  conference.leave(participant, 'participant_hung_up')
}

function settingsOf(run: VerbRun, { attributes }: Twiml): ParticipantSettings {
  const { statusCallback: url, statusCallbackEvent, participantLabel, muted } = attributes
  const status = statusCallback(
    url === undefined ? undefined : run.resolve(url),
    wordsIn(statusCallbackEvent),
  )
  return {
    muted: muted === 'true',
    startConferenceOnEnter: attributes['startConferenceOnEnter'] !== 'false',
    endConferenceOnExit: attributes['endConferenceOnExit'] === 'true',
    ...(participantLabel === undefined ? {} : { label: participantLabel }),
    ...(status ? { status } : {}),
  }
}
