import { describe, expect, it } from 'vitest'
import type { Llm } from '../../src/parts/index.ts'
import { tool } from '../../src/session/index.ts'
import {
  ScriptedLlm,
  callTool,
  type CallerOptions,
  type LlmAnswer,
  type LlmStep,
} from '../../src/testing/index.ts'
import { findSlot, rehearseWith } from './fixture.ts'

const model = (...answers: readonly LlmAnswer[]): ScriptedLlm => new ScriptedLlm({ answers })

const ada = (llm: Llm, options: Partial<CallerOptions> = {}): CallerOptions => ({
  llm,
  persona: 'Ada Lovelace, who is in a hurry.',
  goal: 'An appointment on Monday.',
  ...options,
})

const hangUp = (reachedGoal: boolean, reason = 'That is all.'): LlmStep =>
  callTool('hangUp', { reachedGoal, reason })

describe('a caller who is played by a model', () => {
  it.each([
    ['types', false],
    ['speaks', true],
  ])('[SI5] %s until the goal is reached, and hangs up', async (_, speaks) => {
    const llm = model('Monday, please.', ['Thank you!', hangUp(true, 'I have an appointment.')])
    const call = await rehearseWith(
      [['One moment. ', callTool('findSlot', { day: 'Monday' })], 'Monday at ten.', 'Goodbye!'],
      { tools: { findSlot }, onEnter: ({ session }) => session.say('Bright Dental!') },
      { tools: { findSlot: { returns: { hour: 10 } } } },
    )
    let transcribed = 0
    call.session.on('transcribed', () => void transcribed++)
    const played = await call.talksAs(ada(llm, { speaks }))
    expect(transcribed > 0).toBe(speaks)
    expect(played).toMatchObject({ how: 'reached-goal', reason: 'I have an appointment.' })
    played.turns[0]!.expect.message('One moment.').toolCall('findSlot').message('Monday at ten.')
    expect(played.turns.map(({ opening }) => opening)).toEqual(['Monday, please.', 'Thank you!'])
    expect(await call.endsWell()).toMatchObject({ reason: 'caller-hung-up' })
    const [first, second] = llm.requests
    expect(first!.instructions).toMatch(/Ada Lovelace, who is in a hurry\.\n.*An appointment on Monday\./)
    expect(second!.messages).toEqual([
      { role: 'user', text: 'Bright Dental!' },
      { role: 'agent', text: 'Monday, please.' },
      { role: 'user', text: 'One moment. Monday at ten.' },
    ])
    const spoken = call.session.history.items.filter(
      (item) => item.type === 'message' && item.role === 'user',
    )
    expect(spoken).toMatchObject([{ text: 'Monday, please.' }, { text: 'Thank you!' }])
  })

  it('[SI5] gives up, and may do so without a word', async () => {
    const call = await rehearseWith([])
    const played = await call.talksAs(ada(model([hangUp(false, 'Nobody answers.')])))
    expect(played).toEqual({ how: 'gave-up', reason: 'Nobody answers.', turns: [] })
    await call.endsWell()
  })

  it('[SI5] hangs up after maxTurns', async () => {
    const llm = new ScriptedLlm({ answers: () => 'And then?' })
    const call = await rehearseWith(['One.', 'Two.', 'Three.'])
    const played = await call.talksAs(ada(llm, { maxTurns: 2 }))
    expect(played).toMatchObject({ how: 'turn-limit', turns: { length: 2 } })
    expect(await call.endsWell()).toMatchObject({ reason: 'caller-hung-up' })
    await expect(call.talksAs(ada(llm, { maxTurns: 0 }))).rejects.toThrow('maxTurns must be at least 1')
  })

  it('[SI5] stops when the agent hangs up', async () => {
    const bye = tool({ description: 'Bye', run: (_, { hangUp: end }) => end({ say: 'Goodbye.' }) })
    const call = await rehearseWith([[callTool('bye')]], { tools: { bye } })
    const played = await call.talksAs(ada(model('That is all.')))
    expect(played).toMatchObject({ how: 'session-ended', reason: '', turns: { length: 1 } })
    expect(await call.endsWell()).toMatchObject({ reason: 'agent-hung-up' })
  })
})

describe('a judge that is a model', () => {
  const criteria = ['The agent names an hour.', 'The agent is polite.']
  const verdicts = (...given: readonly unknown[]): LlmAnswer => [
    callTool('giveVerdicts', { verdicts: given }),
  ]
  const fine = { criterion: 1, passed: true, reason: 'It says ten.', lines: [4] }

  it('[SI6] gives a verdict about each criterion, with the reason and quotes from the transcript', async () => {
    const call = await rehearseWith(['At ten. Now go away.'], {
      onEnter: ({ session }) => session.say('Hello.'),
    })
    await call.run('When on Monday?')
    await call.hangsUp()
    const rude = { criterion: 2, passed: false, reason: 'It sends the caller away.', lines: [3, 4] }
    const llm = model(verdicts(rude, fine))
    const judgement = await call.judge({ llm, criteria })
    expect(llm.requests[0]!.messages[0]).toMatchObject({
      text: expect.stringContaining(
        '1. caller: is connected\n2. desk: Hello.\n3. caller: When on Monday?\n4. desk: At ten. Now go away.\n5. caller: hangs up',
      ),
    })
    expect(judgement.passed).toBe(false)
    expect(judgement.failed).toEqual([
      {
        criterion: 'The agent is polite.',
        passed: false,
        reason: 'It sends the caller away.',
        quotes: ['caller: When on Monday?', 'desk: At ten. Now go away.'],
      },
    ])
    expect(() => judgement.expectPassed()).toThrow(
      'the call does not meet 1 of 2 criteria\n\n' +
        '✓ The agent names an hour.\n  It says ten.\n  > desk: At ten. Now go away.\n' +
        '✗ The agent is polite.\n  It sends the caller away.\n  > caller: When on Monday?\n  > desk: At ten. Now go away.',
    )
  })

  it('[SI6] lets a call pass that meets every criterion', async () => {
    await using call = await rehearseWith(['At ten.'])
    await call.run('When?')
    const judgement = await call.judge({
      llm: model(verdicts({ ...fine, lines: [] })),
      criteria: ['An hour.'],
    })
    expect(judgement.expectPassed()).toMatchObject({ passed: true, failed: [] })
    await expect(call.judge({ llm: model(), criteria: [] })).rejects.toThrow('there are no criteria')
  })

  it.each<[string, LlmAnswer, RegExp]>([
    ['text instead of verdicts', 'It was fine.', /must call giveVerdicts .* It answered: 'It was fine\.'$/],
    ['nothing', '', /It answered: nothing$/],
    ['invalid JSON', [callTool('giveVerdicts', '{')], /It answered: giveVerdicts\(\{\)$/],
    [
      'no verdict about a criterion',
      verdicts({ ...fine, lines: [] }),
      /gave no verdicts about criterion 2, 'The agent is polite\.'$/,
    ],
    ['two verdicts about one', verdicts(fine, fine), /gave 2 verdicts about criterion 1/],
    [
      'a line that does not exist',
      verdicts({ ...fine, lines: [9] }),
      /lines that the transcript does not have/,
    ],
    ['no decision', verdicts({ ...fine, passed: 'yes' }), /without passed/],
  ])('[SI7] that answers %s is an error', async (_, answer, message) => {
    await using call = await rehearseWith([])
    const judged = call.judge({ llm: model(answer), criteria })
    await expect(judged).rejects.toMatchObject({
      code: 'TEST_MODEL',
      message: expect.stringMatching(message),
    })
  })
})

describe('the model of a played caller', () => {
  it.each<[string, LlmAnswer, RegExp]>([
    ['says nothing', '', /must say something, or call hangUp .* It answered: nothing$/],
    ['calls an unknown tool', [callTool('pay')], /It answered: pay\(\{\}\)$/],
    ['hangs up without a decision', ['Bye.', callTool('hangUp')], /It answered: 'Bye\.', hangUp\(\{\}\)$/],
    ['fails', [{ fail: new Error('overloaded') }], /'llm', which failed: overloaded$/],
    ['never answers', [{ stall: true }], /which did not answer within 30000 ms$/],
    ['never stops', ['word '.repeat(5_000)], /said more than 20000 characters$/],
  ])('[SI7] that %s is an error, and the call can still be closed', async (_, answer, message) => {
    await using call = await rehearseWith([])
    const played = call.talksAs(ada(model(answer)))
    await expect(played).rejects.toMatchObject({
      code: 'TEST_MODEL',
      message: expect.stringMatching(message),
    })
    expect(await call.hangsUp()).toMatchObject({ clean: true })
  })

  it('[SI7] that ignores its signal is not waited for', async () => {
    await using call = await rehearseWith([])
    const llm = new ScriptedLlm({ answers: [[{ stall: true }]], ignoresSignal: true })
    await expect(call.talksAs(ada(llm, { timeout: 5_000 }))).rejects.toThrow('did not answer within 5000 ms')
    expect(call.clock.now()).toBeGreaterThanOrEqual(5_000)
  })

  it('[SI7] that waits for something real in virtual time is an error that says what to do', async () => {
    await using call = await rehearseWith([])
    const own: Llm = { name: 'remote', open: () => new Promise(() => {}) }
    await expect(call.talksAs(ada(own))).rejects.toThrow(
      "'remote', which did not answer within 30000 ms of virtual time. If it waits for something real, such as a network, rehearse with clock: 'real'",
    )
  })

  it('[SI5] may use real time', async () => {
    await using call = await rehearseWith(['At ten.'], {}, { clock: 'real' })
    const { how } = await call.talksAs(ada(model('When?', [hangUp(true)])))
    expect(how).toBe('reached-goal')
  })
})

describe('says() of a rehearsal', () => {
  it('[SI5] speaks: the words are heard, understood and answered', async () => {
    await using call = await rehearseWith(['At ten.'])
    const turn = await call.says('When on Monday?')
    turn.expect.message('At ten.').nothingElse()
    expect(turn.latency).toBeGreaterThan(0)
    await expect(call.says(' ')).rejects.toThrow('says() needs a text')
  })

  it('[SI5] is a turn without an answer if the agent does not take its turn', async () => {
    await using call = await rehearseWith([], {}, { turns: { mode: 'manual' } })
    ;(await call.says('Hello?')).expect.nothingElse()
  })
})
