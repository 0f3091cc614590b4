// Short examples of docs/phone.md. They are compiled, and not run.
import { askForKeys, tool, type Agent, type Models, type SessionHandle } from 'endwell'
import type { AudioFrame } from 'endwell/audio'
import type { AgentFile } from 'endwell/host'
import { TwilioCarrier } from 'endwell/testing/servers'

declare const session: SessionHandle
declare const models: () => Models
declare const question: AudioFrame
declare const hello: AudioFrame
declare function remind(appointment: string | undefined): Agent
declare function bookings(): Agent
declare function frontDesk(): Agent

// #region record
const takeCard = tool({
  description: 'Takes a card number',
  run: async (_input, { recordCall, run }) => {
    if (!(await recordCall('pause'))) return 'The recording could not be paused. Do not ask for the number.'
    try {
      return await run(askForKeys({ say: 'Please enter your card number.', digits: 16 }))
    } finally {
      await recordCall('resume')
    }
  },
})
// #endregion

// #region numbers
export default {
  name: 'Bright Dental',
  agent: ({ to, direction, parameters }) =>
    direction === 'outbound'
      ? remind(parameters['appointment'])
      : to === '+15550101'
        ? bookings()
        : frontDesk(),
  models,
} satisfies AgentFile
// #endregion

// #region transfer
const connect = tool({
  description: 'Connects the caller to a person at the front desk',
  run: (_, { transfer }) => transfer({ to: '+4930123456', say: 'I will connect you. One moment, please.' }),
})
// #endregion

// #region press
const { how, keys } = await session.press('1w2#') // { how: 'played', confirmed: true, keys: '1w2#' }
// #endregion

// #region carrier
await using carrier = await TwilioCarrier.listen({ authToken: 'token' })
const call = carrier.call('http://127.0.0.1:3000/phone/answer', { returnsMarks: false })
await call.listens(1_000) // the greeting, and a second of silence
await call.says(question) // an AudioFrame
call.drop() // the stream breaks
await call.gone()
// #endregion

// #region person
const person = carrier.person('+493012345', { answersAfter: 2_000 })
await carrier.until(() => person.calls[0]?.state === 'in-progress')
await person.calls[0]!.says(hello) // an AudioFrame
person.calls[0]!.hangUp()
await carrier.until(() => carrier.live.length === 0) // nothing rings on
// #endregion

console.log(takeCard, connect, how, keys)
