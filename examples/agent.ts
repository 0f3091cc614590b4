// A receptionist for a restaurant. docs/agents.md explains it part by part.
//
//   npx tsx examples/agent.ts              runs its rehearsals: no key, no sound, no waiting
//   npx endwell dev examples/agent.ts      runs them, then lets you talk to it; needs OPENAI_API_KEY
import assert from 'node:assert/strict'
import { Agent, AgentTask, tool, type Guardrails, type SessionHandle, type Stages } from 'endwell'
import { level } from 'endwell/audio'
import { fallbackLlm } from 'endwell/fallback'
import type { AgentFile } from 'endwell/host'
import { OpenAIRealtime } from 'endwell/providers/openai'
import { callTool, noLeaks, rehearse, ScriptedLlm } from 'endwell/testing'
import { z } from 'zod'

/** The state of one call. */
interface Call {
  greeted: boolean
  table?: number
}

/** Stands in for a database: everything that waits takes a signal, and may fail. */
const tables = {
  async find(people: number, { signal }: { signal: AbortSignal }): Promise<number> {
    signal.throwIfAborted()
    if (people > 8) throw new Error('there is no table for more than 8 people')
    return 4
  },
}

/** Shared by all calls. */
const notes: string[] = []
let loudest = -Infinity

// #region book
const book = (call: Call) =>
  tool({
    description: 'Book a table. Ask for the hour and the number of people first',
    input: z.object({ hour: z.number().int().min(17).max(22), people: z.number().int().positive() }),
    timeout: 8_000,
    finishWithin: 2_000,
    filler: { say: 'One moment, please.', after: 1_000 },
    run: async ({ hour, people }, { signal, progress }) => {
      progress(`a table for ${people} at ${hour}`)
      call.table = await tables.find(people, { signal })
      return { table: call.table, hour, people }
    },
  })
// #endregion

// #region deposit
const takeDeposit = tool({
  description: 'Take a deposit. Before you call this, say the amount, and that it is not refunded',
  input: z.object({ euros: z.number().positive() }),
  approval: ({ euros }) => euros > 100,
  run: async ({ euros }, { waitForPlayout }) => {
    const { how } = await waitForPlayout()
    if (how !== 'played') throw new Error('not taken: the caller has not heard everything. Say it again')
    return `${euros} euros taken`
  },
})
// #endregion

// #region goodbye
const goodbye = tool({
  description: 'Say goodbye and hang up, once the caller has no more questions',
  run: (_, { hangUp }) => hangUp({ say: 'Thank you for calling. Goodbye!' }),
})
// #endregion

// #region task
const askNumber = new AgentTask<string>({
  name: 'number',
  instructions:
    'Ask for a telephone number, and read it back. Save it when the caller says that it is right.',
  onEnter: ({ session }) => session.say('Which number can we call you back on?'),
  tools: (done) => ({
    save: tool({
      description: 'Save the number',
      input: z.object({ number: z.string() }),
      run: ({ number }) => {
        done(number)
        return `${number} is saved: we will call back`
      },
    }),
  }),
})

const callBack = tool({
  description: 'Arrange a callback',
  timeout: 120_000,
  run: async (_, { run }) => `we will call ${await run(askNumber)}`,
})
// #endregion

// #region guardrails
const guardrails: Guardrails = {
  input: { allergy: (text) => (/allerg/i.test(text) ? 'a question about allergies' : undefined) },
  output: { discount: (text) => (/discount|for free/i.test(text) ? 'promises a price' : undefined) },
  refusal: 'Our kitchen has to answer that. Shall I have someone call you back?',
}
// #endregion

// #region stages
const stages: Stages = {
  // Removes Markdown, which a voice cannot say.
  async *text(text) {
    for await (const piece of text) yield piece.replaceAll(/[*_#]/g, '')
  },
  // Must not change the duration of the sound.
  async *sound(frames) {
    for await (const frame of frames) {
      loudest = Math.max(loudest, level(frame.samples))
      yield frame
    }
  },
}
// #endregion

// #region agent
/** Creates the agents of one call, so that each call has its own state. */
function receptionist(): Agent {
  const call: Call = { greeted: false }

  const desk: Agent = new Agent({
    name: 'desk',
    instructions:
      'You answer the phone for the Harbour Table, a restaurant. Be warm and brief: one or two sentences. ' +
      'Open from five to eleven in the evening. Parties of more than eight go to the events office.',
    tools: {
      book: book(call),
      takeDeposit,
      callBack,
      toEvents: putThrough('the events office', () => events),
      goodbye,
    },
    guardrails,
    stages,
    onEnter: ({ session }) => {
      if (call.greeted) return session.reply()
      call.greeted = true
      listen(session)
      return session.say('The Harbour Table, good evening!')
    },
    onTurn: (text) => text.replaceAll(/(?:\d[ -]?){13,19}/g, '[a card number]'),
    onExit: () => notes.push(call.table === undefined ? 'no table' : `table ${call.table}`),
  })
  const events = eventsOffice(() => desk)
  return desk
}
// #endregion

// #region handoff
const putThrough = (where: string, to: () => Agent) =>
  tool({ description: `Put the caller through to ${where}`, run: () => to() })

const eventsOffice = (desk: () => Agent): Agent =>
  new Agent({
    name: 'events',
    instructions: 'You are the events office of the Harbour Table. The caller was put through to you.',
    // The model has the conversation so far, and speaks first: the caller need not repeat anything.
    onEnter: ({ session }) => session.reply({ instructions: 'Say who you are, and what you know already.' }),
    tools: { toDesk: putThrough('the desk', desk), goodbye },
  })
// #endregion

// #region listen
function listen(session: SessionHandle): void {
  session.on('warning', ({ reason }) => {
    if (reason === 'idle') session.say('Are you still there?')
  })
  session.on('error', ({ where, error }) => console.error(`${session.id}: ${where}:`, error))
}
// #endregion

// #region session
const session = {
  turns: {
    endpointing: { delay: 400 },
    bargeIn: { minDuration: 300 },
    falseInterruption: { timeout: 1_500 },
    dtmf: { as: 'text', count: 1 },
  },
  idleTimeout: 60_000,
  maxDuration: 15 * 60_000,
  budget: { toolCalls: 50 },
  goodbye: {
    idle: 'I cannot hear you any more. Goodbye!',
    'max-duration': 'I have to end the call here. Please call again!',
  },
  afterCall: ({ reason, usage }) => notes.push(`${reason} after ${usage.turns} turns`),
} satisfies AgentFile['session']
// #endregion

// #region recording
/** Creates a sink for one call. A real one writes to a file or a bucket. */
function recorder() {
  let length = 0
  return {
    write: (bytes: Uint8Array) => void (length += bytes.length),
    close: () => void notes.push(`${length} bytes of sound`),
    abort() {},
  }
}
// #endregion

// #region file
export default {
  name: 'The Harbour Table',
  agent: receptionist,
  models: () => ({ realtime: new OpenAIRealtime() }),
  session,
} satisfies AgentFile
// #endregion

const nothingLeft = noLeaks()

// #region rehearsal
const call = await rehearse(receptionist(), {
  ...session,
  answers: [
    ['Let me look. ', callTool('book', { hour: 19, people: 3 })],
    'Table **four** is yours, at seven.',
    [callTool('goodbye')],
  ],
})
call.greeting.expect.message('good evening').nothingElse()
const booking = await call.run('A table for three at seven. My card is 4242 4242 4242 4242.')
booking.expect.message('Let me look.').toolCall('book', { people: 3 }, { table: 4 }).message('Table four is')
const end = await call.run('That is all.')
end.expect.message('Goodbye!').closed('agent-hung-up')
await call.endsWell()
// #endregion
assert.ok(!JSON.stringify(call.session.history).includes('4242'))
assert.deepEqual(notes.splice(0), ['table 4', 'agent-hung-up after 2 turns'])
console.log(call.turns.join('\n\n'))

// A slow tool, an interruption, and an approval.
const slow = await rehearse(receptionist(), {
  ...session,
  answers: [
    ['Let me look. ', callTool('book', { hour: 19, people: 3 })],
    'Table four is yours.',
    ['That is 200 euros now, not refunded. ', callTool('takeDeposit', { euros: 200 })],
    'As you like.',
    ['That is 200 euros now, not refunded. ', callTool('takeDeposit', { euros: 200 })],
    'Thank you.',
  ],
  tools: { book: { returns: 'booked', late: 3_000 } },
})
const waiting = await slow.run('A table for three at seven, please.')
waiting.expect.message('Let me look.').message('One moment, please.').message('Table four is yours.')

const cut = await slow.run('It is for a birthday.', { until: '200 euros' })
await slow.interrupts('Wait.')
await slow.approves()
cut.expect.interruptedMessage('200 euros').failedToolCall('takeDeposit', 'not heard everything')

const taken = await slow.run('All right.')
const agreed = await slow.approves()
taken.expect.toolCall('takeDeposit', { euros: 200 }, '200 euros taken').approval('takeDeposit')
agreed.expect.message('Thank you.')
await slow.hangsUp()

// Guardrails, handoffs, and a nested task.
const office = new ScriptedLlm({
  answers: [
    'Nuts are no problem.',
    'For you it is for free.',
    [callTool('toEvents')],
    'Events, good evening. You are twelve.',
    [callTool('toDesk')],
    'Here I am again.',
    ['Sure. ', callTool('callBack')],
    [callTool('save', { number: '030 1234' })],
    'We will call you.',
  ],
})
const long = await rehearse(receptionist(), { ...session, llm: office, recording: recorder() })
const nuts = await long.run('Is it safe with an allergy?')
nuts.expect.guardrail('allergy').message('Our kitchen has to answer that').nothingElse()
const price = await long.run('And what does it cost?')
price.expect.guardrail('discount').message('Our kitchen has to answer that').nothingElse()
const party = await long.run('We are twelve.')
party.expect.toolCall('toEvents').handoff('events').message('You are twelve').nothingElse()
assert.match(office.requests.at(-1)!.instructions, /^You are the events office.*what you know already\.$/s)
assert.ok(office.requests.at(-1)!.messages.some(({ role }) => role === 'tool-result'))
const back = await long.run('Back to the desk, please.')
back.expect.handoff('desk').message('Here I am again.')
const asked = await long.run('Call me back.')
const saved = await long.run('030 1234.')
saved.expect.toolCall('save').message('We will call you.')
asked.expect.message('Sure.').toolCall('callBack', {}, 'we will call 030 1234').message('Which number')

// The caller goes silent.
const silence = await long.waits(70_000)
silence.expect.message('Are you still there?').message('I cannot hear you').closed('idle')
assert.equal((await long.close()).clean, true)
assert.match(notes.join(), /\d bytes of sound/)
assert.ok(loudest > -Infinity)

// The first model is down, and the second one answers.
// #region fallback
const llm = fallbackLlm([
  new ScriptedLlm({ answers: [[{ fail: new Error('503') }]] }),
  new ScriptedLlm({ answers: ['We are open until eleven.'] }),
])
// #endregion
const spare = await rehearse(receptionist(), { ...session, llm, clock: 'virtual' })
const hours = await spare.presses('1')
hours.expect.message('until eleven').noError()
await spare.endsWell()

// What a call costs.
// #region cost
const prices = {
  llm: { inputTokens: 0.000_002_5, outputTokens: 0.000_01 },
  tts: { characters: 0.000_03 },
}
const priced = { ...session, prices, budget: { toolCalls: 50, cost: 0.5 } } satisfies AgentFile['session']
// #endregion
const usage = { inputTokens: 1_200, outputTokens: 40 }
const paid = await rehearse(receptionist(), {
  ...priced,
  answers: [['We open at nine.', { type: 'usage', usage }]],
})
await paid.run('When do you open?')
const { cost } = await paid.close()
assert.deepEqual(Object.keys(cost!.models).toSorted(), ['llm', 'tts'])
assert.equal(cost!.models['llm'], 0.0034)
assert.deepEqual(cost!.unpriced, [])
nothingLeft()
