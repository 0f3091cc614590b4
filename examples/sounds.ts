import { Agent, tool } from 'endwell'
import { concat, silence, sine } from 'endwell/audio'
import { callTool, noLeaks, rehearse } from 'endwell/testing'

// Real sounds come from files: `sound: readFileSync('office.wav')`.
const hum = sine(120, { sampleRate: 16_000, duration: 1_000 })
const tick = concat([sine(900, { sampleRate: 16_000, duration: 30 }), silence(470, 16_000)], 16_000)

// #region sounds
const session = {
  sounds: {
    background: { sound: hum, volume: 0.05 },
    thinking: { sound: tick, volume: 0.2, after: 800 },
  },
}
// #endregion

const nothingLeft = noLeaks()
const desk = new Agent({
  name: 'desk',
  instructions: 'You answer the phone.',
  tools: { look: tool({ description: 'Look it up', run: () => 'at ten' }) },
})
const call = await rehearse(desk, {
  ...session,
  answers: [['One moment. ', callTool('look')], 'Monday at ten is free.'],
})
const turn = await call.run('Do you have time on Monday?')
turn.expect.message('One moment.').toolCall('look').message('Monday at ten is free.').noError()
await call.endsWell()
nothingLeft()
console.log(call.turns.join('\n\n'))
