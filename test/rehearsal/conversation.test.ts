import { describe, expect, it } from 'vitest'
import { AgentTask, tool } from '../../src/session/index.ts'
import { callTool, type Rehearsal } from '../../src/testing/index.ts'
import { desk, findSlot, rehearseWith, schema } from './fixture.ts'

describe('a rehearsal', () => {
  it('records what the caller types and everything that follows', async () => {
    await using call = await rehearseWith(
      [['Let me look. ', callTool('findSlot', { day: 'Monday' })], 'Monday at ten is free.', 'Bye!'],
      { tools: { findSlot }, onEnter: ({ session }) => session.say('Good morning!') },
      { tools: { findSlot: () => ({ hour: 10 }) } },
    )
    call.greeting.expect.message('Good morning!').nothingElse()
    const turn = await call.run('Any time on Monday?')
    turn.expect
      .message('Let me look.')
      .toolCall('findSlot', { day: 'Monday' }, { hour: 10 })
      .message('Monday at ten is free.')
      .nothingElse()
    expect(turn.messages).toEqual(['Let me look.', 'Monday at ten is free.'])
    expect(turn.events[2]).toMatchObject({ agent: 'desk', interrupted: false })
    ;(await call.run('Thank you')).expect.noToolCall().message('Bye!').nothingElse()
    expect(turn.messages).toHaveLength(2)
    expect(call.turns.map(({ opening }) => opening)).toEqual([
      'is connected',
      'Any time on Monday?',
      'Thank you',
    ])
  })

  it('takes no real time, and its clock stands still between two turns', async () => {
    await using call = await rehearseWith(['word '.repeat(500), 'Yes.'])
    await call.run('Tell me everything')
    const now = call.clock.now()
    expect(now).toBeGreaterThan(100_000)
    await Promise.resolve()
    expect(call.clock.now()).toBe(now)
  })

  it('measures how long the caller waited for the answer', async () => {
    await using call = await rehearseWith([[{ wait: 700 }, 'Well.'], []])
    expect((await call.run('So?')).latency).toBe(700)
    expect((await call.run('And?')).latency).toBeUndefined()
  })

  it('waits for tools, for a handoff, and for the greeting of the next agent', async () => {
    const billing = desk({ name: 'billing', onEnter: ({ session }) => session.say('Billing here.') })
    await using call = await rehearseWith(
      ['Moment. ', 'x'].map((text) => [text, callTool('transfer')]),
      {
        tools: { transfer: tool({ description: 'To billing', run: () => billing }) },
      },
    )
    const turn = await call.run('My bill?')
    turn.expect
      .message('Moment.')
      .toolCall('transfer')
      .handoff('billing')
      .message('Billing here.')
      .nothingElse()
    expect(turn.handoffs).toEqual([{ type: 'handoff', from: 'desk', to: 'billing' }])
    expect(turn.events.at(-1)).toMatchObject({ agent: 'billing' })
  })

  it('waits for hooks and guardrails, and records their verdicts and errors', async () => {
    const call = await rehearseWith(['This is a rude answer, and it is quite long as well.'], {
      onTurn: () => Promise.reject(new Error('no such turn')),
      guardrails: {
        input: {
          slow: () =>
            call.session
              .say('Wait.')
              .waitForPlayout()
              .then(() => undefined),
        },
        output: { polite: (text) => (text.includes('rude') ? 'rude' : undefined) },
        refusal: 'Sorry.',
      },
    })
    const turn = await call.run('Hello')
    turn.expect.error("turn hook of 'desk': no such turn").guardrail('polite', 'rude').message('Sorry.')
    expect(turn.verdicts).toEqual([{ type: 'guardrail', name: 'polite', on: 'output', verdict: 'rude' }])
    expect(turn.errors).toHaveLength(1)
    await call.close()
  })

  it('waits for a hook that speaks before the answer', async () => {
    const call: Rehearsal = await rehearseWith(['Fine.'], {
      onTurn: async () => {
        await call.session.say('Hm.').waitForPlayout()
      },
    })
    ;(await call.run('Hello')).expect.message('Hm.').message('Fine.').nothingElse()
    await call.close()
  })

  it('waits for a hook that hangs no longer than the session does', async () => {
    await using call = await rehearseWith(['Fine.'], { onTurn: () => new Promise(() => {}) })
    const turn = await call.run('Hello')
    turn.expect
      .error(/turn hook of 'desk': took longer than 2000 ms/)
      .message('Fine.')
      .nothingElse()
  })

  it('is idle while a nested agent waits for the caller', async () => {
    const question = new AgentTask<string>({
      name: 'question',
      instructions: 'Ask for the name.',
      onEnter: ({ session }) => session.say('Your name?'),
      tools: (done) => ({
        answer: tool({
          description: 'The answer',
          input: schema(({ name }) => ({ name: String(name) })),
          run: ({ name }) => done(name),
        }),
      }),
    })
    await using call = await rehearseWith(
      [[callTool('ask')], [callTool('answer', { name: 'Ada' })], 'Hello Ada.'],
      { tools: { ask: tool({ description: 'Asks', run: (_, { run }) => run(question) }) } },
    )
    const asked = await call.run('I am new')
    expect(call.clock.now()).toBeLessThan(1_000)
    expect(asked.toolCalls).toMatchObject([{ name: 'ask', how: 'running' }])
    const answered = await call.run('Ada')
    answered.expect.toolCall('answer', { name: 'Ada' }).message('Hello Ada.').nothingElse()
    asked.expect.toolCall('ask', {}, 'Ada').message('Your name?').nothingElse()
  })

  it('waits for a tool that continues after its answer was interrupted', async () => {
    await using call = await rehearseWith(
      [['One moment, please. ', callTool('print')], 'As you like.'],
      { tools: { print: tool({ description: 'Prints', run: () => 'printed' }) } },
      { tools: { print: { returns: 'late', late: 9_000 } } },
    )
    const turn = await call.run('Print it', { until: 'One' })
    ;(await call.interrupts('No')).expect.message('As you like.').nothingElse()
    turn.expect.interruptedMessage('One').toolCall('print', {}, 'late').nothingElse()
  })

  it('is idle while a tool call waits for approval', async () => {
    const tools = { book: tool({ description: 'Books', approval: true, run: () => 'booked' }) }
    await using call = await rehearseWith(
      [[callTool('book')], 'Done.', [callTool('book')], 'Well then.'],
      { tools },
      { tools: { book: { returns: 'booked', late: 500 } } },
    )
    await expect(call.approves()).rejects.toThrow('no tool call waits for approval')
    const turn = await call.run('Book it')
    turn.expect.approval('book')
    expect(turn.toolCalls).toMatchObject([{ how: 'running' }])
    ;(await call.approves()).expect.message('Done.').nothingElse()
    expect(turn.toolCalls).toMatchObject([{ how: 'done', output: 'booked' }])
    const again = await call.run('Book another')
    ;(await call.refuses()).expect.message('Well then.')
    again.expect.failedToolCall('book', 'not approved')
  })
})
