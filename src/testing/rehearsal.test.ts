import { describe, expect, it } from 'vitest'
import type { Llm } from '../parts/index.ts'
import {
  Agent,
  AgentTask,
  tool,
  type AgentOptions,
  type StandardSchema,
  type Toolset,
} from '../session/index.ts'
import {
  ScriptedLlm,
  StuckError,
  callTool,
  noLeaks,
  rehearse,
  type LlmAnswer,
  type Rehearsal,
  type RehearsalOptions,
} from './index.ts'

/** A schema by hand: what `read` throws is the issue. */
function schema<Output>(read: (value: Record<string, unknown>) => Output): StandardSchema<unknown, Output> {
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => {
        try {
          return { value: read(value as Record<string, unknown>) }
        } catch (error) {
          return { issues: [{ message: String(error) }] }
        }
      },
      jsonSchema: { input: () => ({ type: 'object' }) },
    },
  }
}

const findSlot = tool({
  description: 'Find a free slot',
  input: schema(({ day, people = 1 }) => {
    if (typeof day !== 'string') throw new TypeError('day is not a string')
    return { day, people: Number(people) }
  }),
  run: ({ day }) => {
    throw new Error(`the real calendar has no ${day}`)
  },
})

function desk(options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ name: 'desk', instructions: 'You answer the phone.', ...options })
}

const rehearseWith = (
  answers: readonly LlmAnswer[],
  agent: Partial<AgentOptions> = {},
  options: RehearsalOptions = {},
): Promise<Rehearsal> => rehearse(desk(agent), { answers, ...options })

describe('a rehearsal', () => {
  it('is a conversation: what the caller types, and all that comes of it', async () => {
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
      'is put through',
      'Any time on Monday?',
      'Thank you',
    ])
  })

  it('takes no real time, and stands still between two turns', async () => {
    await using call = await rehearseWith(['word '.repeat(500), 'Yes.'])
    await call.run('Tell me everything')
    const now = call.clock.now()
    expect(now).toBeGreaterThan(100_000)
    await Promise.resolve()
    expect(call.clock.now()).toBe(now)
  })

  it('tells how long the caller waited for the answer', async () => {
    await using call = await rehearseWith([[{ wait: 700 }, 'Well.'], []])
    expect((await call.run('So?')).latency).toBe(700)
    expect((await call.run('And?')).latency).toBeUndefined()
  })

  it('waits for tools, for a handoff and for what the next agent says', async () => {
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

  it('waits for hooks and guardrails, and tells their verdicts and errors', async () => {
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

  it('waits for a hook that takes its time before it speaks', async () => {
    const call: Rehearsal = await rehearseWith(['Fine.'], {
      onTurn: async () => {
        await call.session.say('Hm.').waitForPlayout()
      },
    })
    ;(await call.run('Hello')).expect.message('Hm.').message('Fine.').nothingElse()
    await call.close()
  })

  it('waits no longer than the session does for a hook that hangs', async () => {
    await using call = await rehearseWith(['Fine.'], { onTurn: () => new Promise(() => {}) })
    const turn = await call.run('Hello')
    turn.expect
      .error(/turn hook of 'desk': took longer than 2000 ms/)
      .message('Fine.')
      .nothingElse()
  })

  it('waits for the caller, not for time, while a nested agent has a question', async () => {
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

  it('waits for a tool that goes on although its answer was interrupted', async () => {
    await using call = await rehearseWith(
      [['One moment, please. ', callTool('print')], 'As you like.'],
      { tools: { print: tool({ description: 'Prints', run: () => 'printed' }) } },
      { tools: { print: { returns: 'late', late: 9_000 } } },
    )
    const turn = await call.run('Print it', { until: 'One' })
    ;(await call.interrupts('No')).expect.message('As you like.').nothingElse()
    turn.expect.interruptedMessage('One').toolCall('print', {}, 'late').nothingElse()
  })

  it('waits for whoever approves', async () => {
    const tools = { book: tool({ description: 'Books', approval: true, run: () => 'booked' }) }
    await using call = await rehearseWith(
      [[callTool('book')], 'Done.', [callTool('book')], 'Well then.'],
      { tools },
      { tools: { book: { returns: 'booked', late: 500 } } },
    )
    await expect(call.approves()).rejects.toThrow('nothing waits for approval')
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

describe('mocks of tools', () => {
  it('get the input as the schema has read it, and leave the agent as it was', async () => {
    const tools = { findSlot }
    const agent = desk({ tools })
    const inputs: unknown[] = []
    await using call = await rehearse(agent, {
      answers: [[callTool('findSlot', { day: 'Monday' })], 'Ten.'],
      tools: {
        findSlot: ({ day, people }: { day: string; people: number }, { name }) => {
          inputs.push({ day, people, name })
          return `${day} at ten`
        },
      },
    })
    const turn = await call.run('Monday?')
    turn.expect.toolCall('findSlot', { day: 'Monday', people: 1 }, 'Monday at ten')
    expect(inputs).toEqual([{ day: 'Monday', people: 1, name: 'findSlot' }])
    expect(call.toolCalls).toMatchObject([{ name: 'findSlot', mocked: true }])
    expect(agent.tools).toBe(tools)
    expect(agent.tools['findSlot']).toBe(findSlot)
  })

  it('do not run for an input that the schema refuses', async () => {
    await using call = await rehearseWith(
      [[callTool('findSlot', { day: 5 })], 'Hm.'],
      { tools: { findSlot } },
      { tools: { findSlot: () => 'never' } },
    )
    const turn = await call.run('Five?')
    turn.expect.failedToolCall('findSlot', 'the input of')
    expect(turn.toolCalls).toMatchObject([{ input: { day: 5 }, mocked: false }])
  })

  it.each([
    ['throws', { throws: 'out of paper' }, 0, 'out of paper'],
    ['throws its own error', { throws: new Error('no ink') }, 0, 'no ink'],
    ['throws late', { throws: 'out of paper', late: 300 }, 300, 'out of paper'],
    ['hangs', 'hang', 15_000, 'took longer than 15000 ms'],
    ['is later than the tool may be', { returns: 1, late: 20_000 }, 15_000, 'took longer than 15000 ms'],
  ] as const)('fail as they are told: one that %s', async (_, mock, at, text) => {
    await using call = await rehearseWith(
      [[callTool('print')], 'Hm.'],
      { tools: { print: tool({ description: 'Prints', run: () => 'printed' }) } },
      { tools: { print: mock } },
    )
    const turn = await call.run('Print it')
    turn.expect.failedToolCall('print', text).message('Hm.')
    expect(turn.latency).toBe(at)
    await call.waits(10_000)
    expect(turn.toolCalls).toMatchObject([{ how: 'failed', output: expect.stringContaining(text) }])
  })

  it('return late, or nothing', async () => {
    const print = tool({ description: 'Prints', run: () => 'printed' })
    await using call = await rehearseWith(
      [[callTool('print')], 'Hm.', [callTool('copy')], 'Ah.'],
      { tools: { print, copy: print } },
      { tools: { print: { returns: 3, late: 500 }, copy: {} } },
    )
    const turn = await call.run('Print it')
    turn.expect.toolCall('print', {}, 3)
    expect(turn.latency).toBe(500)
    ;(await call.run('Copy it')).expect.toolCall('copy')
  })

  it('stand in for tools of every agent: after a handoff by a tool or a hook, in a nested one, in a toolset', async () => {
    const real = tool({ description: 'Real', run: () => 'real' })
    const set: Toolset = { name: 'set', open: async () => ({ ofSet: real }) }
    const third = desk({ name: 'third', tools: { ofThird: real } })
    const second = desk({
      name: 'second',
      tools: { ofSecond: real },
      onTurn: (text, { session }) => {
        if (text === 'on') session.handOff(third).catch(() => {})
      },
    })
    const nested = new AgentTask<string>({
      instructions: '',
      tools: (done) => ({
        ofNested: real,
        end: tool({ description: 'Ends', run: () => done('end') }),
      }),
    })
    const names = ['ofSet', 'ofNested', 'ofSecond', 'ofThird']
    const go = desk({
      toolsets: [set],
      tools: {
        nest: tool({ description: 'Nests', run: (_, { run }) => run(nested) }),
        go: tool({ description: 'Goes', run: () => second }),
      },
    })
    // The caller says which tool shall be called.
    await using call = await rehearse(go, {
      answers: ({ messages }) => {
        const last = messages.at(-1)
        return last?.role === 'user' && last.text !== 'on' ? [callTool(last.text)] : 'Fine.'
      },
      tools: Object.fromEntries(names.map((name) => [name, () => 'mock'])),
    })
    for (const text of ['ofSet', 'nest', 'ofNested', 'end', 'go', 'ofSecond', 'on', 'ofThird']) {
      await call.run(text)
    }
    const used = call.toolCalls.filter(({ name }) => names.includes(name))
    expect(used.map(({ name, output }) => `${name}: ${String(output)}`)).toEqual(
      names.map((name) => `${name}: mock`),
    )
  })
})

describe('the caller of a rehearsal', () => {
  const long = 'We are open from nine to five, and on Saturdays until noon.'

  it('interrupts where the test says: the first turn has what was heard of it', async () => {
    await using call = await rehearseWith([long, 'Sorry.'])
    const turn = await call.run('When are you open?', { until: 'nine to' })
    const next = await call.interrupts('Wait, no')
    turn.expect.interruptedMessage(/nine to$/).nothingElse()
    next.expect.message('Sorry.').nothingElse()
  })

  it('cannot interrupt a silent agent, nor wait for words that are never said', async () => {
    await using call = await rehearseWith([long])
    await expect(call.interrupts('Wait')).rejects.toThrow(/nobody speaks/)
    await expect(call.run('Hello?', { until: 'ten' })).rejects.toThrow(
      /^run\('Hello\?'\): the agent never said 'ten'\n\n[^]*desk +We are open/,
    )
  })

  it('lets the rest be said that was left in the middle', async () => {
    await using call = await rehearseWith([long])
    const turn = await call.run('When?', { until: 'nine' })
    ;(await call.waits(0)).expect.nothingElse()
    turn.expect.message(long).nothingElse()
  })

  it('is silent until the session has had enough', async () => {
    await using call = await rehearseWith([], {}, { idleTimeout: 20_000, goodbye: { idle: 'Goodbye.' } })
    ;(await call.waits(10_000)).expect.nothingElse()
    ;(await call.waits(60_000)).expect.message('Goodbye.').closed('idle').nothingElse()
    expect(call.clock.now()).toBeLessThan(30_000)
    expect(await call.close()).toMatchObject({ reason: 'idle', alsoAsked: [] })
    await expect(call.run('Still there?')).rejects.toThrow(/the session is closed\n\n[^]*Goodbye/)
  })

  it('presses keys, which are an event or words', async () => {
    await using keys = await rehearseWith([], {}, { turns: { dtmf: {} } })
    ;(await keys.presses('12')).expect.digits('12').nothingElse()
    expect(keys.clock.now()).toBe(3_000)
    await using words = await rehearseWith(['Twelve.'], {}, { turns: { dtmf: { as: 'text', count: 2 } } })
    ;(await words.presses('12')).expect.message('Twelve.').nothingElse()
    expect(words.clock.now()).toBeLessThan(1_000)
    await using deaf = await rehearseWith([])
    await expect(deaf.presses('1')).rejects.toThrow(/turns: \{ dtmf/)
  })

  it('hangs up, or is gone', async () => {
    const polite = await rehearseWith([long])
    const turn = await polite.run('When?', { until: 'nine' })
    expect(await polite.hangsUp()).toMatchObject({ reason: 'caller-hung-up', clean: true })
    turn.expect.interruptedMessage('nine').nothingElse()
    polite.turns.at(-1)!.expect.closed('caller-hung-up').nothingElse()
    const lost = await rehearseWith([])
    expect(await lost.vanishes()).toMatchObject({ reason: 'caller-lost' })
    await expect(lost.hangsUp()).rejects.toThrow('cannot hangsUp(): the session is closed')
  })

  it('says one thing after the other: an await that is missing is told', async () => {
    await using call = await rehearseWith(['Yes.', 'No.'])
    const first = call.run('One')
    await expect(call.run('Two')).rejects.toThrow("cannot run('Two'): run('One') is not over")
    ;(await first).expect.message('Yes.')
    await expect(call.run('  ')).rejects.toThrow('run() needs words')
  })
})

describe('the end of a rehearsal', () => {
  it('is checked: nothing is left, and the report is clean', async () => {
    const check = noLeaks()
    const done: string[] = []
    const call = await rehearseWith([], {}, { afterCall: async ({ id }) => void done.push(id) })
    expect(check).toThrow(/session rehearsal/)
    expect(await call.endsWell()).toMatchObject({ reason: 'requested', clean: true })
    expect(done).toEqual(['rehearsal'])
    check()
  })

  it('with a fault by name comes on time, and the report says what was forced', async () => {
    const call = await rehearseWith([], {}, { faults: { 'close:stt': 'hang' }, closeTimeout: 1_000 })
    await expect(call.endsWell()).rejects.toThrow(/did not end well:[^]*stt[^]*timed-out/)
    expect(call.faults.fired).toEqual(['close:stt'])
    const report = await call.close()
    expect(report).toMatchObject({ clean: false })
    expect(report.took).toBeLessThanOrEqual(1_000)
  })

  it('waits for none of the tasks that a toolset keeps running', async () => {
    const set: Toolset = {
      name: 'poller',
      open: async ({ scope }) => {
        scope.spawn('poll', async ({ sleep }) => {
          for (;;) await sleep(1_000)
        })
        return {}
      },
    }
    const call = await rehearseWith(['Yes.'], { toolsets: [set] })
    ;(await call.run('Hello')).expect.message('Yes.')
    await call.endsWell()
  })

  it('lives through what goes on after the report', async () => {
    const check = noLeaks()
    const call = await rehearseWith([], { tools: { stuck: tool({ description: '', run: () => 1 }) } })
    call.clock.after(30_000, 'forgotten', () => {})
    await call.close()
    expect(call.clock.now()).toBe(30_000)
    check()
  })

  it('comes also if the start fails or hangs: nothing is left', async () => {
    await expect(rehearse(desk(), { faults: { 'open:tts': 'reject' } })).rejects.toThrow('open:tts')
    await expect(rehearse(desk(), { faults: { 'open:tts': 'hang' } })).rejects.toThrow(
      /did not start within startTimeout = 30000 ms/,
    )
  })

  it('may be asked for by the agent: the turn ends with it', async () => {
    const bye = tool({ description: 'Ends', run: (_, { close }) => close().then(() => {}) })
    const call = await rehearseWith(
      [[callTool('bye')]],
      { tools: { bye } },
      { faults: { 'close:line': { late: 300 } } },
    )
    ;(await call.run('Bye')).expect.closed('requested')
    await call.close()
  })
})

describe('a rehearsal that is stuck', () => {
  it('fails at once, with what runs and the turn so far', async () => {
    await using call = await rehearseWith([['One moment. ', { stall: true }]])
    const stuck = call.run('Hello')
    await expect(stuck).rejects.toThrow(StuckError)
    await expect(stuck).rejects.toThrow(
      /^run\('Hello'\): nothing is left to happen[^]*still alive:\n {2}reply 1\n[^]*│ {3}caller {2}Hello\n/,
    )
  })

  it('tells an error of the script in the turn', async () => {
    await using call = await rehearseWith([])
    const turn = await call.run('Hello')
    turn.expect.error(/the script of 'llm' has no answer number 1/).nothingElse()
  })
})

describe('a model of your own', () => {
  const ticking: Llm = {
    name: 'ticking',
    open: async ({ scope }) => ({
      async *generate() {
        await new Promise<void>((resolve) => void scope.clock.after(5, 'network', resolve))
        yield { type: 'text', text: 'Tick.' }
      },
    }),
  }

  it('has to say which clock it needs', async () => {
    await expect(rehearse(desk(), { llm: ticking })).rejects.toThrow(/clock: 'real' if it waits/)
    await expect(rehearse(desk(), { llm: new ScriptedLlm(), answers: [] })).rejects.toThrow('not both')
    await using call = await rehearse(desk(), { llm: new ScriptedLlm({ answers: ['Yes.'] }) })
    ;(await call.run('Hello')).expect.message('Yes.')
  })

  it('is waited for in real time, with fast speech', async () => {
    let saved = false
    const call = await rehearse(desk(), {
      llm: ticking,
      clock: 'real',
      patience: 5_000,
      afterCall: () =>
        new Promise<void>((resolve) => {
          call.clock.after(5, 'save', resolve)
        }).then(() => (saved = true)),
    })
    const turn = await call.run('Hello')
    turn.expect.message('Tick.').nothingElse()
    expect(turn.latency).toBeGreaterThanOrEqual(4)
    expect(call.line.heard.reduce((sum, { heard }) => sum + heard, 0)).toBeLessThan(100)
    const again = await call.run('Again', { until: 'Ti' })
    await call.waits(0)
    again.expect.message('Tick.').nothingElse()
    await call.endsWell()
    expect(saved).toBe(true)
  })

  it('is given up in real time when patience is over', async () => {
    const deaf: Llm = {
      name: 'deaf',
      open: async () => ({
        async *generate() {
          await new Promise(() => {})
          yield { type: 'text', text: '' }
        },
      }),
    }
    await using call = await rehearse(desk(), { llm: deaf, clock: 'real', patience: 50, closeTimeout: 100 })
    await expect(call.run('Hello')).rejects.toThrow(
      /^run\('Hello'\): not after 50 ms of real time\nstill alive:\n {2}reply 1\n/,
    )
  })
})
