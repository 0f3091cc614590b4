import { Agent, tool, type AgentOptions } from '../../../src/session/index.ts'
import { callTool, type LlmAnswer, type SimClock } from '../../../src/testing/index.ts'
import type { Call, CallOptions } from '../../session/fixture.ts'

/** One call of a morning at the clinic. */
export interface Scene {
  readonly name: string
  /** A phone number, or `browser` for a caller who types. */
  readonly from: string
  /** What the caller says, each with what the model answers, before and after tool calls. */
  readonly turns: readonly Turn[]
  /** How the call goes, if not as usual. */
  readonly options?: (clock: SimClock) => CallOptions
  /** How it ends, after the last turn. Default: the caller hangs up. */
  readonly ends?: (call: Call) => void | Promise<void>
  /** Milliseconds until the caller continues after each turn. Default: 8.5 s, longer than any answer. */
  readonly pause?: number
}

type Turn = readonly [says: string, ...answers: readonly LlmAnswer[]]

/** The greeting is not from the model. */
export const greeting = 'Bright Dental, good morning! How can I help you?'

/** Milliseconds until the first words of the model, in most calls. */
export const THINKS = 420

/** An agent whose tools do what a scene wants. */
export const desk = (tools: AgentOptions['tools'] = {}): Agent =>
  new Agent({
    name: 'reception',
    instructions: 'You answer the phone for Bright Dental.',
    onEnter: ({ session }) => session.say(greeting),
    tools,
  })

const hours: Turn = ['When are you open?', 'We are open from eight to six, Monday to Friday.']
const thanks: Turn = ['Great, thank you very much.', 'You are welcome. Have a nice day!']
const asksToBook = (day: string): Turn => [
  `I would like to book a checkup on ${day}.`,
  ['One moment, please. ', callTool('book', { day, time: '10:00', kind: 'checkup' })],
]
const booking = (day: string): Turn => [
  ...asksToBook(day),
  `You are booked for ${day} at ten. Please bring your insurance card.`,
]

/** A tool that takes a while, and stops when it is asked. */
const slowly = (clock: SimClock, ms: number, result: unknown, stops = true) =>
  tool({
    description: 'Does something at the clinic',
    timeout: 60_000,
    run: async (_, { signal, progress }) => {
      progress('asking the calendar')
      const cancelled = new Promise<void>((resolve) => {
        if (stops) signal.addEventListener('abort', () => resolve())
      })
      await Promise.any([clock.elapse(ms), cancelled])
      return result
    },
  })

const booked = (clock: SimClock): CallOptions => ({
  agent: desk({ book: slowly(clock, 700, { booked: true, day: 'Monday', time: '10:00', room: 2 }) }),
})

/** Twenty calls, as different as those of a real morning. */
export const scenes: readonly Scene[] = [
  { name: 'hours', from: '+49 30 5550 117', turns: [hours, thanks] },
  {
    name: 'booking',
    from: '+49 30 5550 142',
    turns: [booking('Monday'), thanks],
    options: booked,
  },
  {
    name: 'slow-model',
    from: 'browser',
    turns: [['Do you also do braces?', 'Yes, we do. Shall I book a first visit for you?'], hours, thanks],
    options: () => ({ llm: { firstAfter: 2_900 } }),
  },
  {
    name: 'hung-up-in-tool',
    from: '+49 30 5550 198',
    turns: [hours, asksToBook('Friday')],
    options: (clock) => ({ agent: desk({ book: slowly(clock, 30_000, 'booked') }) }),
    pause: 3_000,
  },
  {
    name: 'stubborn-tool',
    from: '+49 171 5550 031',
    turns: [
      ['My tooth hurts, can I come today?', 'I am sorry to hear that. Let me see what is free.'],
      asksToBook('Tuesday'),
    ],
    options: (clock) => ({ agent: desk({ book: slowly(clock, 600_000, 'booked', false) }) }),
  },
  {
    name: 'prices',
    from: 'browser',
    turns: [
      ['What is a cleaning?', 'A cleaning is one hundred and twenty euros, and takes about forty minutes.'],
      thanks,
    ],
  },
  {
    name: 'faulty-model',
    from: '+49 30 5550 163',
    turns: [
      hours,
      [
        'And do you take children?',
        [{ fail: new Error('503 overloaded, try again later') }],
        [{ fail: new Error('503 overloaded, try again later') }],
      ],
    ],
  },
  {
    name: 'slow-stt',
    from: '+49 151 5550 820',
    turns: [['Is there any parking near you?', 'Yes, there is a garage right across the street.'], thanks],
    options: () => ({ stt: { finalOn: 'flush', finalAfter: 1_900 } }),
  },
  {
    name: 'broken-line',
    from: 'browser',
    turns: [
      [
        'What does a crown cost?',
        'That depends on the material. A ceramic crown starts at eight hundred euros, and we need two visits.',
      ],
    ],
    pause: 3_000,
    ends: ({ caller }) => caller.vanishes(),
  },
  {
    name: 'line-came-back',
    from: 'browser',
    turns: [hours, thanks],
    pause: 3_000,
    ends: async ({ caller, clock }) => {
      caller.goesAway()
      await clock.elapse(2_000)
      caller.comesBack()
      await clock.elapse(3_000)
      caller.hangsUp()
    },
  },
  {
    name: 'failed-tool',
    from: '+49 30 5550 177',
    turns: [
      [
        'Can you tell me when my next visit is?',
        ['Let me look. ', callTool('findPatient', { name: 'Ada Lange' })],
        'I am sorry, I cannot reach our files at the moment. May we call you back?',
      ],
      ['Yes, please do.', 'Thank you. We will call you today.'],
    ],
    options: () => ({
      agent: desk({
        findPatient: tool({
          description: 'Finds a patient',
          run: () => {
            throw new Error('CRM: connection refused')
          },
        }),
      }),
    }),
  },
  {
    name: 'handoff',
    from: '+49 30 5550 109',
    turns: [
      ['I have a question about my bill.', ['I will put you through. ', callTool('billing')]],
      ['How much do I owe you?', 'You owe us forty euros.'],
      thanks,
    ],
    options: () => {
      const billing = new Agent({
        name: 'billing',
        instructions: '',
        onEnter: ({ session }) => session.say('Billing, hello!'),
      })
      return { agent: desk({ billing: tool({ description: 'Billing', run: () => billing }) }) }
    },
  },
  {
    name: 'long',
    from: '+49 172 5550 555',
    turns: [
      ['Hello, I have never been to your clinic.', 'Welcome! How can I help you?'],
      hours,
      [
        'Where are you exactly?',
        'We are at Linden Street twelve, on the second floor. There is an elevator.',
      ],
      ['Do I need a referral?', 'No, you do not need one. Just bring your insurance card.'],
      ['Which insurances do you take?', 'We take all public insurances, and most private ones.'],
      booking('Thursday'),
      ['Can my daughter come as well?', 'Of course. How old is she?'],
      ['She is nine.', 'Then I will note a visit with our children’s dentist, right after yours.'],
      thanks,
    ],
    options: booked,
  },
  {
    name: 'cancel',
    from: '+49 30 5550 188',
    turns: [['Please cancel my appointment.', 'Your appointment on Wednesday is cancelled.'], thanks],
  },
  {
    name: 'slow-again',
    from: '+49 30 5550 120',
    turns: [
      ['Do you have anything free this week?', 'Yes, on Thursday at three or at half past four.'],
      thanks,
    ],
    options: () => ({ llm: { firstAfter: 2_300 } }),
  },
  { name: 'nobody', from: '+49 30 5550 101', turns: [] },
  {
    name: 'guardrail',
    from: 'browser',
    turns: [['What is wrong with my tooth?', 'That is most likely an inflammation of the root.'], thanks],
    options: () => ({
      agent: new Agent({
        name: 'reception',
        instructions: '',
        onEnter: ({ session }) => session.say(greeting),
        guardrails: {
          output: { 'no diagnoses': (text) => (text.includes('inflammation') ? 'a diagnosis' : undefined) },
        },
      }),
    }),
  },
  {
    name: 'refused',
    from: '+49 30 5550 134',
    turns: [
      [
        'Please send me the invoice again.',
        ['I will ask. ', callTool('sendInvoice', { number: 'R-2231' })],
        'I am sorry, I may not send it.',
      ],
      thanks,
    ],
    options: () => ({
      agent: desk({ sendInvoice: tool({ description: 'Sends', approval: true, run: () => 'sent' }) }),
    }),
  },
  {
    name: 'stt-hangs',
    from: '+49 160 5550 909',
    turns: [hours],
    options: () => ({ stt: { finalOn: 'flush', closeHangs: true } }),
  },
  {
    name: 'move',
    from: '+49 30 5550 155',
    turns: [['Can I come an hour later tomorrow?', 'Yes, eleven is free. I have changed it.'], thanks],
  },
]
