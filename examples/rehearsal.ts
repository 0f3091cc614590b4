import { Agent, tool } from 'endwell'
import { callTool, noLeaks, rehearse } from 'endwell/testing'
import { z } from 'zod'

// The agent, as it runs in production.
const billing = new Agent({
  name: 'billing',
  instructions: 'You answer questions about bills.',
  onEnter: ({ session }) => session.say('This is billing.'),
})

const desk = new Agent({
  name: 'desk',
  instructions: 'You answer the phone for Bright Dental.',
  onEnter: ({ session }) => session.say('Bright Dental, good morning!'),
  tools: {
    findSlot: tool({
      description: 'Find a free appointment',
      input: z.object({ day: z.string(), people: z.number().default(1) }),
      run: () => {
        throw new Error('the real calendar is not for tests')
      },
    }),
    transfer: tool({ description: 'Put the caller through to billing', run: () => billing }),
  },
})

// The rehearsal. The caller types, a script replaces the model, and a mock replaces the calendar.
const nothingLeft = noLeaks()
const call = await rehearse(desk, {
  answers: [
    ['Let me look. ', callTool('findSlot', { day: 'Monday' })],
    'Monday at ten is free. Shall I book it for you?',
    'As you like.',
    [callTool('transfer')],
  ],
  tools: { findSlot: ({ day }) => ({ day, hour: 10 }) },
})
call.greeting.expect.message('good morning').nothingElse()

const booking = await call.run('Do you have time on Monday?', { until: 'Shall I' })
const change = await call.interrupts('Wait, not on Monday.')
booking.expect
  .message('Let me look.')
  .toolCall('findSlot', { day: 'Monday', people: 1 }, { hour: 10 })
  .interruptedMessage(/ten is free/)
  .nothingElse()
change.expect.noToolCall().message('As you like.').nothingElse()

const bill = await call.run('And my bill?')
bill.expect.handoff('billing').message('This is billing.')

await call.endsWell()
nothingLeft()
console.log(call.turns.join('\n\n'))
