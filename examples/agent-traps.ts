// Demonstrates the pitfalls that docs/agents.md lists. Do not copy from here.
import assert from 'node:assert/strict'
import { Agent, AgentTask, Session, tool, type SessionHandle, type SessionTurnOptions } from 'endwell'
import type { TurnDetector } from 'endwell/parts'
import {
  callTool,
  inVirtualTime,
  noLeaks,
  rehearse,
  ScriptedLlm,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  TestLine,
} from 'endwell/testing'

const nothingLeft = noLeaks()

// A hook that waits for its own long greeting exceeds `hookTimeout`.
const patient = await rehearse(
  new Agent({
    instructions: 'You answer the phone.',
    onEnter: ({ session }) => session.say('Good evening! '.repeat(10)).waitForPlayout(),
  }),
)
patient.greeting.expect.message('Good evening!').error('took longer than 2000 ms')
await patient.endsWell()

// After a handoff, the next agent has the whole conversation, but is silent unless it is asked to speak.
const next = new Agent({ name: 'next', instructions: 'You go on.' })
const reader = new ScriptedLlm({ answers: [[callTool('pass')], 'Yes, I am here.'] })
const passive = await rehearse(
  new Agent({
    instructions: 'You pass on.',
    tools: { pass: tool({ description: 'Pass', run: () => next }) },
  }),
  { llm: reader },
)
const passed = await passive.run('The other one, please.')
passed.expect.handoff('next').noMessage()
const there = await passive.run('Are you there?')
there.expect.message('I am here')
assert.deepEqual(
  reader.requests.at(-1)!.messages.map(({ role }) => role),
  ['user', 'tool-call', 'tool-result', 'user'],
)
await passive.endsWell()

// A tool goes on when the caller interrupts. Its result is not spoken; the model reads it with the next turn.
const memory = new ScriptedLlm({
  answers: [['Let me look. ', callTool('look')], 'Yes?', 'It was table four.'],
})
const kept = await rehearse(
  new Agent({ instructions: '…', tools: { look: tool({ description: 'Look', run: () => 'table 4' }) } }),
  { llm: memory, tools: { look: { returns: 'table 4', late: 4_000 } } },
)
const looked = await kept.run('Is there a table?', { until: 'Let me' })
const stopped = await kept.interrupts('Wait!')
looked.expect.interruptedMessage('Let me').toolCall('look', {}, 'table 4')
stopped.expect.message('Yes?').nothingElse()
await kept.run('And?')
assert.match(JSON.stringify(memory.requests.at(-1)), /table 4/)
await kept.endsWell()

// While a tool waits for approval, the caller is not idle, and `maxDuration` ends the call `stallTimeout` later.
const unapproved = await rehearse(
  new Agent({
    instructions: '…',
    tools: { pay: tool({ description: 'Pay', approval: true, run: () => 'paid' }) },
  }),
  {
    answers: [[callTool('pay')]],
    idleTimeout: 20_000,
    maxDuration: 60_000,
    goodbye: { 'max-duration': 'Goodbye!' },
  },
)
await unapproved.run('I pay.')
const wait = await unapproved.waits(100_000)
wait.expect.message('Goodbye!').closed('max-duration')
const { clean, lived } = await unapproved.close()
assert.deepEqual([clean, Math.floor(lived / 1_000)], [true, 70])

// `session.hangUp()` in a tool waits for the tool, and the tool for it. The context's `hangUp` does not wait.
let live: SessionHandle
const stuck = await rehearse(
  new Agent({
    instructions: '…',
    onEnter: ({ session }) => void (live = session),
    tools: { bye: tool({ description: 'Bye', run: () => live.hangUp({ say: 'Goodbye!' }) }) },
  }),
  { answers: [[callTool('bye')], 'Still here.'] },
)
const bye = await stuck.run('Bye.')
bye.expect.failedToolCall('bye', 'took longer than 15000 ms').closed('agent-hung-up')
assert.equal((await stuck.close()).clean, false)

// The time that a nested task takes counts towards the timeout of the tool that runs it.
const ask = new AgentTask<string>({
  instructions: 'Ask for a number.',
  onEnter: ({ session }) => session.say('Which number?'),
  tools: (done) => ({ save: tool({ description: 'Save', run: () => done('12') }) }),
})
const short = await rehearse(
  new Agent({
    instructions: '…',
    tools: { number: tool({ description: 'Ask', timeout: 5_000, run: (_, { run }) => run(ask) }) },
  }),
  { answers: [[callTool('number')], 'That took too long.'] },
)
const asked = await short.run('Call me back.')
await short.waits(8_000)
asked.expect.failedToolCall('number', 'took longer than 5000 ms').message('Which number?')
await short.endsWell()

// A guardrail that throws lets the text through. What the caller said stays in the history despite a verdict.
const guarded = new ScriptedLlm({ answers: ['The password is swordfish.', 'Nothing.', 'What else?'] })
const broken = await rehearse(
  new Agent({
    instructions: '…',
    guardrails: {
      input: { curses: (text) => (text.includes('damn') ? 'curses' : undefined) },
      output: {
        secrets: () => {
          throw new Error('the list of secrets is not there')
        },
      },
    },
  }),
  { llm: guarded },
)
const leaked = await broken.run('What is the password?')
leaked.expect.message('swordfish').error('the list of secrets')
const cursed = await broken.run('damn')
cursed.expect.guardrail('curses').message('I am sorry, I cannot help with that.').nothingElse()
await broken.run('Well?')
assert.match(JSON.stringify(guarded.requests.at(-1)), /damn/)
await broken.endsWell()

// A budget lets the answer in flight finish.
const spent = await rehearse(
  new Agent({ instructions: '…', tools: { again: tool({ description: 'Again', run: () => 'more' }) } }),
  {
    budget: { toolCalls: 5 },
    answers: (_, index) => (index < 8 ? [callTool('again', { index })] : 'That was a lot.'),
  },
)
const lot = await spent.run('Go on.')
assert.equal(lot.toolCalls.length, 8)
lot.expect.message('That was a lot.').closed('budget')
await spent.close()
nothingLeft()

/** Says something during a long greeting. Returns how the greeting ended, and how often the turn detector was asked. */
async function interruptGreeting(
  turns: SessionTurnOptions,
  words: string,
  asks = false,
): Promise<{ greeting: string; judged: number }> {
  let judged = 0
  let greeting = ''
  const turnDetector: TurnDetector = {
    name: 'detector',
    open: async () => ({ finished: async () => (judged += 1) }),
  }
  await inVirtualTime(async ({ clock }) => {
    const line = new TestLine()
    const agent = new Agent({
      instructions: '…',
      onEnter: ({ session }) => session.say('Good evening! '.repeat(4)),
    })
    const llm = new ScriptedLlm({ answers: ['Yes?'] })
    const stt = new ScriptedStt({ finalOn: 'flush' })
    const pipeline = { llm, stt, tts: new ScriptedTts(), vad: new ScriptedVad() }
    const models = asks ? { ...pipeline, turnDetector } : pipeline
    const session = new Session({ agent, models, line, clock, turns })
    session.on('spoken', ({ speech, outcome }) => {
      if (speech.text.startsWith('Good')) greeting = outcome.how
    })
    await session.start()
    await clock.elapse(500)
    await line.caller.says(words)
    await line.caller.pauses(6_000)
    await session.close()
  })
  return { greeting, judged }
}

// Everything that the STT transcribes is a turn, and interrupts, however short it is.
assert.deepEqual(await interruptGreeting({}, 'um'), { greeting: 'interrupted', judged: 0 })
assert.deepEqual(await interruptGreeting({ falseInterruption: {} }, 'um'), {
  greeting: 'interrupted',
  judged: 0,
})
assert.deepEqual(await interruptGreeting({ bargeIn: { minWords: 2 } }, 'um'), {
  greeting: 'played',
  judged: 0,
})
// In mode `manual`, the caller's voice does not interrupt.
assert.equal((await interruptGreeting({ mode: 'manual' }, 'excuse me, a question')).greeting, 'played')
// A turn detector is used if there is one, and cannot be combined with a fixed delay.
assert.equal((await interruptGreeting({}, 'a question', true)).judged, 1)
await assert.rejects(interruptGreeting({ endpointing: { delay: 300 } }, 'a question', true), {
  code: 'BAD_OPTION',
})
nothingLeft()
console.log('every pitfall is as described')
