import { Agent, tool } from 'endwell'
import { ScriptedLlm, callTool, rehearse } from 'endwell/testing'
import { z } from 'zod'

const desk = new Agent({
  name: 'desk',
  instructions: 'You answer the phone for Bright Dental. Repeat the day and the hour before you book.',
  onEnter: ({ session }) => session.say('Bright Dental, good morning!'),
  tools: {
    book: tool({
      description: 'Book an appointment',
      input: z.object({ day: z.string(), hour: z.number() }),
      run: ({ day, hour }) => `booked: ${day} at ${hour}`,
    }),
  },
})

// Scripts stand in for three models, so that this program runs without a key.
const caller = new ScriptedLlm({
  answers: [
    'I need an appointment on Tuesday at nine.',
    ['Great, bye!', callTool('hangUp', { reachedGoal: true, reason: 'The appointment is booked.' })],
  ],
})
const judge = new ScriptedLlm({
  answers: [
    [
      callTool('giveVerdicts', {
        verdicts: [
          { criterion: 1, passed: true, reason: 'The tool was called with both.', lines: [4] },
          { criterion: 2, passed: false, reason: 'It booked without a question.', lines: [3, 4] },
        ],
      }),
    ],
  ],
})

const call = await rehearse(desk, {
  answers: [[callTool('book', { day: 'Tuesday', hour: 9 })], 'Done, see you on Tuesday!', 'Goodbye!'],
})
const { how, reason } = await call.talksAs({
  llm: caller,
  persona: 'Ada, a busy engineer. She talks fast, and never says please.',
  goal: 'An appointment on Tuesday at nine.',
  speaks: true,
})
const judgement = await call.judge({
  llm: judge,
  criteria: [
    'The appointment is booked on Tuesday at nine.',
    'The agent repeats the day and the hour before it books.',
  ],
})
await call.endsWell()

console.log(call.turns.join('\n\n'))
console.log(`\n${how}: ${reason}\n`)
console.log(judgement.toString())
