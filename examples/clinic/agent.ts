// A receptionist for a small clinic. `npm start` lets you talk to it in the browser.
import { Agent, tool } from 'endwell'
import type { AgentFile } from 'endwell/host'
import { LocalStt, LocalTts, LocalVad } from 'endwell/providers/local'
import { z } from 'zod'
import { Calendar } from './calendar.ts'
import { dialogue } from './dialogue.ts'

const calendar = new Calendar()
let callers = 0

/** The phone of the person at the front desk. */
const colleague = process.env['CLINIC_DESK'] ?? '+15550123'

/** Creates the agents of one call. */
function desk(): Agent {
  const caller = `caller ${++callers}`

  const goodbye = tool({
    description: 'Say goodbye and hang up, once the caller has no more questions',
    run: (_, { hangUp }) => hangUp({ say: 'Thank you for calling Bright Dental. Goodbye!' }),
  })

  const reception: Agent = new Agent({
    name: 'reception',
    instructions:
      'You answer the phone for Bright Dental, a small clinic. Be warm and brief: one or two sentences. ' +
      'Opening hours: eight to six, Monday to Friday. Book, move and cancel appointments with your tools; ' +
      'ask for the day and the time if you do not know them. Questions about bills go to billing.',
    onEnter: ({ session }) => session.say('Bright Dental, good morning! How can I help you?'),
    onExit: () => calendar.save(),
    tools: {
      book: tool({
        description: 'Book an appointment, or move the one that the caller has',
        input: z.object({ day: z.string(), time: z.string() }),
        timeout: 8_000,
        filler: { say: 'The calendar takes a moment.', after: 1_000 },
        run: async ({ day, time }, { signal, progress }) => {
          progress(`looking for ${day} at ${time}`)
          await calendar.book(caller, day, time, signal)
          return `booked for ${day} at ${time}`
        },
      }),
      cancel: tool({
        description: 'Cancel the appointment that the caller has',
        run: () => {
          const when = calendar.cancel(caller)
          return when ? `Your appointment on ${when} is cancelled.` : 'You have no appointment with us.'
        },
      }),
      transfer: tool({ description: 'Put the caller through to billing', run: () => billing }),
      person: tool({
        description: 'Connect a caller on the phone to a person',
        // The caller hears music while the agent tells the colleague who is calling.
        run: (_, { transfer }) =>
          transfer({
            to: colleague,
            how: 'warm',
            say: 'I will see who is there. One moment, please.',
            summary: `A caller would like to speak to somebody. ${calendar.summaryOf(caller)} Shall I put them through?`,
          }),
      }),
      goodbye,
    },
  })

  const billing: Agent = new Agent({
    name: 'billing',
    instructions: 'You answer questions about the bills of Bright Dental. Be brief.',
    onEnter: ({ session }) => session.say('Billing, hello! What can I do for you?'),
    tools: {
      lookUpBill: tool({ description: 'What the caller owes', run: () => 'You owe us forty euros.' }),
      backToDesk: tool({ description: 'Put the caller back to the reception', run: () => reception }),
      goodbye,
    },
  })

  return reception
}

/** The agent of a call that the clinic makes: `endwell call NUMBER --parameter day=Friday`. */
function reminder({ day = 'Friday', time = 'three' }: Readonly<Record<string, string>>): Agent {
  const appointment = `your appointment on ${day} at ${time}`
  return new Agent({
    name: 'reminder',
    instructions:
      `You call for Bright Dental, to remind somebody of ${appointment}. Introduce yourself first. ` +
      'Confirm once they have said that they will come.',
    onEnter: async ({ session }) => {
      const { by, how } = await session.answeredBy()
      if (by === 'machine')
        await session.leaveMessage(`This is Bright Dental. Please remember ${appointment}. Goodbye!`)
      else if (how === 'silence') session.say('Hello? This is Bright Dental.')
      // Otherwise somebody has spoken. That is the first turn, and the model answers it.
    },
    tools: {
      introduce: tool({
        description: 'What to say first',
        run: () => `This is Bright Dental. I am calling about ${appointment}. Will you be there?`,
      }),
      confirm: tool({
        description: 'Say goodbye and hang up, once they have said that they will come',
        run: (_, { hangUp }) => hangUp({ say: 'Thank you. See you then. Goodbye!' }),
      }),
    },
  })
}

export default {
  name: 'Bright Dental',
  agent: ({ direction, parameters }) => (direction === 'outbound' ? reminder(parameters) : desk()),
  // Everything runs on this machine, without a key. Set OPENAI_API_KEY or GEMINI_API_KEY to use a vendor's model instead.
  models: () => ({
    stt: new LocalStt({ phrases: dialogue.phrases }),
    vad: new LocalVad(),
    llm: dialogue,
    tts: new LocalTts(),
  }),
  phrases: [
    'When are you open?',
    'I would like to book an appointment on Monday at ten.',
    'Move my appointment to Friday at three.',
    'Cancel my appointment.',
    'A question about my bill.',
    'Goodbye.',
  ],
} satisfies AgentFile
