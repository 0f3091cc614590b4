import { Agent, Session } from 'endwell'
import { silence, sine } from 'endwell/audio'
import {
  ScriptedLlm,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  TestLine,
  inVirtualTime,
  noLeaks,
} from 'endwell/testing'

// #region agent
const reminder = new Agent({
  name: 'reminder',
  instructions:
    'You call for Bright Dental, to confirm an appointment on Tuesday at nine. First say who you are.',
  onEnter: async ({ session, close }) => {
    const { by, how, kind } = await session.answeredBy()
    if (by === 'fax' || kind === 'full') await close({ reason: 'agent-hung-up' })
    else if (by === 'machine')
      await session.leaveMessage('This is Bright Dental. Please call us back about your appointment.')
    else if (how === 'silence') session.say('Hello? This is Bright Dental.')
    // Otherwise somebody has spoken. That is the first turn, and the model answers it.
  },
})
// #endregion

const nothingLeft = noLeaks()

await inVirtualTime(async ({ clock }) => {
  /** Calls somebody. */
  const call = async (answers: readonly string[]) => {
    const line = new TestLine({ streams: true })
    const models = {
      llm: new ScriptedLlm({ answers }),
      stt: new ScriptedStt(),
      vad: new ScriptedVad(),
      tts: new ScriptedTts(),
    }
    const session = new Session({ agent: reminder, models, line, clock })
    session.on('answered', ({ by, how }) => console.log(`answered by a ${by}, by its ${how}`))
    await session.start()
    return { session, line, callee: line.caller }
  }

  const person = await call(['Hello, this is Bright Dental. Does Tuesday at nine suit you?'])
  await person.callee.says('Hello?')
  await person.callee.hears('suit you?')
  await person.session.close()

  const machine = await call([])
  await machine.callee.says('You have reached Ada. Please leave a message after the tone.')
  await machine.callee.says([sine(1_000, { sampleRate: 16_000, duration: 400 }), silence(200, 16_000)])
  const { answered, messages, reason } = await machine.session.closed
  console.log(machine.line.heardText)
  console.log(
    reason,
    answered?.by,
    messages?.map(({ after, heard }) => ({ after, heard })),
  )
})

nothingLeft()
