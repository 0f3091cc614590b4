import { Agent, askForKeys, menuTools, tool } from 'endwell'
import { callTool, noLeaks, rehearse } from 'endwell/testing'

// #region ask
const identify = tool({
  description: 'Find out who is calling',
  timeout: 120_000,
  run: async (_, { run }) => {
    const number = await run(
      askForKeys({ say: 'Please enter your customer number.', again: 'It has four digits.', digits: 4 }),
    )
    return number === undefined ? 'the caller has no number' : `the caller is customer ${number}`
  },
})
// #endregion

// #region menu
const messenger = new Agent({
  name: 'messenger',
  instructions:
    'You call Bright Dental to reach the sales department. A menu answers. Listen until it has named the right key, ' +
    'press it, and wait if you are put on hold. Once a person answers, say who you are.',
  toolsets: [menuTools()],
})
// #endregion

const nothingLeft = noLeaks()

const desk = new Agent({ name: 'desk', instructions: 'You answer the phone.', tools: { identify } })
const inbound = await rehearse(desk, { answers: [[callTool('identify')], 'Good morning, Ada!'] })
await inbound.run('Hello?', { until: 'customer number' })
const entry = await inbound.presses('4711')
entry.expect.message('Good morning, Ada!').noError()
await inbound.endsWell()

const outbound = await rehearse(messenger, {
  answers: [[callTool('press_keys', { keys: '1' })], 'Hello, this is Ada, an assistant of Grace Hopper.'],
})
const menu = await outbound.run('For sales, press one. For support, press two.')
menu.expect.toolCall('press_keys', { keys: '1' }).keys('1').message('this is Ada')
await outbound.endsWell()

nothingLeft()
console.log([...inbound.turns, ...outbound.turns].join('\n\n'))
