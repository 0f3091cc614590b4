import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, Session, tool, type AgentOptions, type SessionOptions } from '../../src/session/index.ts'
import {
  ScriptedRealtime,
  TestLine,
  callTool,
  inVirtualTime,
  textOf,
  type TestCaller,
  type ScriptedRealtimeOptions,
  type TestLineOptions,
  type World,
} from '../../src/testing/index.ts'
import { said } from './fixture.ts'

interface RealtimeCall extends Partial<Omit<SessionOptions, 'agent' | 'models' | 'line'>> {
  agent?: Partial<AgentOptions>
  realtime?: ScriptedRealtimeOptions
  line?: TestLineOptions
}

/** A session with one model that does it all, and what happens to it. */
function aRealtimeCall({ clock, random }: World, options: RealtimeCall = {}) {
  const { agent, realtime: script, line: manners, ...rest } = options
  const realtime = new ScriptedRealtime(script)
  const line = new TestLine(manners)
  const session = new Session({
    agent: new Agent({ name: 'desk', instructions: 'You answer the phone.', ...agent }),
    models: { realtime },
    line,
    clock,
    random,
    ...rest,
  })
  const log: string[] = []
  session.on('user', ({ text }) => log.push(`user: ${text}`))
  session.on('spoken', ({ outcome }) => log.push(`agent ${outcome.how}: ${outcome.heard}`))
  session.on('tool-done', ({ name, outcome }) => log.push(`${name}: ${outcome.output}`))
  session.on('guardrail', ({ name, on }) => log.push(`${name} objects to ${on}`))
  session.on('error', ({ where }) => log.push(`error: ${where}`))
  session.on('closed', ({ reason }) => log.push(`closed: ${reason}`))
  return { session, realtime, line, caller: line.caller, log }
}

const find = (run: () => unknown) => tool({ description: 'Finds a slot', input: z.object({}), run })

describe('a session with a realtime model', () => {
  it('[CL13] talks: what the caller says is heard, answered and written down', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, line, caller, log } = aRealtimeCall(world, {
        realtime: { answers: ['Good morning.', 'Until six.'] },
      })
      await session.start()
      says(caller, 'hello')
      await world.clock.elapse(3_000)
      says(caller, 'how long are you open')
      await world.clock.elapse(5_000)
      const report = await session.close()
      expect(said(session)).toEqual([
        'user: hello',
        'agent: Good morning.',
        'user: how long are you open',
        'agent: Until six.',
      ])
      expect(log).toEqual([
        'user: hello',
        'agent played: Good morning.',
        'user: how long are you open',
        'agent played: Until six.',
        'closed: requested',
      ])
      expect(textOf(line.heard.map(({ frame }) => frame))).toBe('Good morning.Until six.')
      expect(report).toMatchObject({ clean: true, turns: [{}, {}] })
      expect(report.connections).toContainEqual(
        expect.objectContaining({ name: 'realtime', how: 'acknowledged' }),
      )
      expect(realtime.counts).toMatchObject({ opened: 1, closed: 1, live: 0 })
    }))

  it('is opened with the instructions, the tools and what was said before', () =>
    inVirtualTime(async (world) => {
      const setups: unknown[] = []
      const { session, realtime } = aRealtimeCall(world, { agent: { tools: { find: find(() => 'nine') } } })
      const open = realtime.open.bind(realtime)
      realtime.open = (context, setup, events) => {
        setups.push(setup)
        return open(context, setup, events)
      }
      session.history.addUser('It is me again.', { at: 0 })
      await session.start()
      await session.close()
      expect(setups).toMatchObject([
        {
          instructions: 'You answer the phone.',
          tools: [{ name: 'find' }],
          messages: [{ role: 'user', text: 'It is me again.' }],
          takesTurns: true,
        },
      ])
      // It knew all of that already.
      expect(realtime.setups).toHaveLength(1)
    }))

  it('says given words by the model, and answers when it is asked', () =>
    inVirtualTime(async (world) => {
      const asked: (string | undefined)[] = []
      const { session } = aRealtimeCall(world, {
        realtime: {
          answers: ({ instructions }) => {
            asked.push(instructions)
            return instructions?.includes('Welcome.') ? 'Welcome.' : 'It rains.'
          },
        },
      })
      await session.start()
      const speech = session.say('Welcome.')
      expect(await speech.waitForPlayout()).toEqual({ how: 'played', confirmed: true, heard: 'Welcome.' })
      const reply = session.reply({ instructions: 'Talk about the weather.' })
      expect(await reply.waitForPlayout()).toMatchObject([{ how: 'played', heard: 'It rains.' }])
      expect(asked).toEqual(expect.arrayContaining(['Talk about the weather.']))
      expect(asked.join()).toContain('"Welcome."')
      await session.close()
      expect(said(session)).toEqual(['agent: Welcome.', 'agent: It rains.'])
    }))

  it('[SP1] is interrupted at once, and the model is told how much was heard', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, line, caller } = aRealtimeCall(world, {
        realtime: { answers: ['Good morning to you and yours.', 'Sorry.'] },
      })
      await session.start()
      const reply = session.reply()
      await world.clock.elapse(400)
      expect(await isSounding(world, line)).toBe(true)
      says(caller, 'stop')
      await world.clock.elapse(20)
      expect(await isSounding(world, line)).toBe(false)
      expect(await reply.waitForPlayout()).toMatchObject([{ how: 'interrupted', heard: 'Good' }])
      const [interruption] = realtime.interruptions
      expect(interruption!.response).toBe('response-1')
      expect(interruption!.heard).toBeGreaterThanOrEqual(440)
      expect(interruption!.heard).toBeLessThanOrEqual(480)
      await world.clock.elapse(3_000)
      await session.close()
      expect(said(session)).toEqual(['agent: Good —', 'user: stop', 'agent: Sorry.'])
    }))

  it('interrupts what waits with what sounds: the model forgets both', () =>
    inVirtualTime(async (world) => {
      const { session, realtime } = aRealtimeCall(world, {
        realtime: { answers: [['One moment please.', callTool('find')], 'At nine.'] },
        agent: { tools: { find: find(() => 'nine') } },
      })
      await session.start()
      const reply = session.reply()
      await world.clock.elapse(300)
      expect(reply.speeches).toHaveLength(2)
      session.interrupt()
      expect(realtime.interruptions.map(({ response }) => response).toSorted()).toEqual([
        'response-1',
        'response-2',
      ])
      expect(realtime.interruptions.find(({ response }) => response === 'response-2')!.heard).toBe(0)
      await session.close()
    }))

  it('stops what is heard of an answer that the model stops by itself', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, line } = aRealtimeCall(world, {
        realtime: { answers: ['Good morning to you and yours.'], speed: 2 },
      })
      await session.start()
      const reply = session.reply()
      await world.clock.elapse(400)
      realtime.stops()
      expect(await reply.finished).toEqual({ how: 'interrupted' })
      expect(await isSounding(world, line)).toBe(false)
      await session.close()
    }))

  it('[SP1] interrupts given words, too; the model is told, and of no words it is not asked', () =>
    inVirtualTime(async (world) => {
      const { session, realtime } = aRealtimeCall(world, { realtime: { answers: ['Good morning to you.'] } })
      await session.start()
      expect(await session.say(' ').waitForPlayout()).toMatchObject({ how: 'played', heard: '' })
      const speech = session.say('Good morning to you.')
      await world.clock.elapse(400)
      speech.interrupt()
      expect(realtime.interruptions).toEqual([{ response: 'response-1', heard: 400 }])
      await session.close()
      expect(realtime.answersGiven).toHaveLength(1)
      expect(said(session)).toEqual(['agent: Good —'])
    }))

  it('refuses tools while given words are said', () =>
    inVirtualTime(async (world) => {
      let ran = false
      const { session, realtime } = aRealtimeCall(world, {
        realtime: { answers: [['Hello.', callTool('find')]] },
        agent: { tools: { find: find(() => (ran = true)) } },
      })
      await session.start()
      await session.say('Hello.').waitForPlayout()
      expect(realtime.results).toMatchObject([{ failed: true }])
      expect(ran).toBe(false)
      await session.close()
    }))

  it('puts the words of the user before the answer to them, also if they come late or never', () =>
    inVirtualTime(async (world) => {
      for (const finalAfter of [900, 'never'] as const) {
        const { session, realtime } = aRealtimeCall(world, {
          realtime: { answers: ['Until six.', 'You are welcome.'], finalAfter },
        })
        await session.start()
        realtime.hear('how long are you open')
        await world.clock.elapse(1_200)
        realtime.hear('thank you')
        await world.clock.elapse(3_000)
        await session.close()
        const words = said(session).filter((line) => finalAfter !== 'never' || line.startsWith('agent'))
        expect(words).toEqual(
          finalAfter === 'never'
            ? ['agent: Until six.', 'agent: You are welcome.']
            : [
                'user: how long are you open',
                'agent: Until six.',
                'user: thank you',
                'agent: You are welcome.',
              ],
        )
      }
    }))

  it.each([
    [
      'the user speaks again',
      (model: ScriptedRealtime) => {
        model.hear('hello')
        model.userStarts()
      },
    ],
    ['it was no speech', (model: ScriptedRealtime) => model.hear(' ')],
  ])('[CL3] owes no answer if %s', (_, happens) =>
    inVirtualTime(async (world) => {
      const { session, realtime } = aRealtimeCall(world, {
        realtime: { answers: ['Yes?'], firstAfter: 60_000 },
      })
      await session.start()
      happens(realtime)
      const report = await session.drain()
      expect(report.reason).toBe('requested')
      expect(world.clock.now()).toBeLessThan(3_000)
    }),
  )

  it('withdraws an answer that has not begun: it is stopped when it does', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, line } = aRealtimeCall(world, {
        realtime: { answers: ['Good morning.', 'Hello.'], firstAfter: 1_000 },
      })
      await session.start()
      const reply = session.reply()
      await world.clock.elapse(100)
      reply.interrupt()
      const next = session.reply()
      await next.waitForPlayout()
      expect(await reply.finished).toEqual({ how: 'interrupted' })
      expect(textOf(line.heard.map(({ frame }) => frame))).toBe('Hello.')
      expect(realtime.interruptions).toEqual([{ response: 'response-1', heard: 0 }])
      await session.close()
    }))

  it('[SP7] lets an answer that may not be interrupted speak on, also if the model stops itself', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line } = aRealtimeCall(world, {
        realtime: { answers: ['Please listen.', 'Yes?'], yields: true },
      })
      await session.start()
      const reply = session.reply({ interruptible: false })
      await world.clock.elapse(200)
      says(caller, 'no')
      await world.clock.elapse(100)
      expect(await isSounding(world, line)).toBe(true)
      expect(await reply.waitForPlayout()).toMatchObject([{ how: 'played', heard: 'Please listen.' }])
      await session.close()
    }))

  it('[TL2] calls tools, gives the model their results, and asks it to go on when all are there', () =>
    inVirtualTime(async (world) => {
      const asked: unknown[] = []
      const { session, realtime, log } = aRealtimeCall(world, {
        realtime: {
          answers: ({ results }) => {
            asked.push(results.map(({ output }) => output))
            return asked.length === 1 ? [callTool('find'), callTool('slow')] : 'At nine.'
          },
        },
        agent: {
          tools: { find: find(() => 'nine'), slow: find(() => world.clock.elapse(500).then(() => 'ten')) },
        },
      })
      await session.start()
      const reply = session.reply()
      await reply.waitForPlayout()
      expect(asked).toEqual([[], ['nine', 'ten']])
      expect(log).toEqual(['find: nine', 'slow: ten', 'agent played: At nine.'])
      await session.close()
      expect(realtime.results).toHaveLength(2)
      expect(said(session)).toEqual(['find → nine', 'slow → ten', 'agent: At nine.'])
    }))

  it('[TL4] gives the result of an interrupted answer to the model, and asks for nothing', () =>
    inVirtualTime(async (world) => {
      const { session, realtime } = aRealtimeCall(world, {
        realtime: { answers: [['Wait.', callTool('find')]] },
        agent: { tools: { find: find(() => world.clock.elapse(500).then(() => 'nine')) } },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(100)
      session.interrupt()
      await world.clock.elapse(1_000)
      expect(realtime.results).toMatchObject([{ output: 'nine', failed: false }])
      expect(realtime.answersGiven).toHaveLength(1)
      await session.close()
      expect(said(session)).toContain('find → nine')
    }))

  it('cancels a tool that the model does not want any more', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, log } = aRealtimeCall(world, {
        realtime: { answers: [[callTool('find')]] },
        agent: { tools: { find: find(() => new Promise(() => {})) } },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(100)
      realtime.cancelTool('call-1')
      await world.clock.elapse(10)
      expect(log).toEqual([expect.stringContaining('find: ')])
      await session.close()
    }))

  it('[TL6] ends an answer that calls tools without end', () =>
    inVirtualTime(async (world) => {
      const { session, log } = aRealtimeCall(world, {
        maxToolSteps: 2,
        realtime: { answers: () => [callTool('find')] },
        agent: { tools: { find: find(() => 'nine') } },
      })
      await session.start()
      const reply = session.reply()
      expect(await reply.finished).toMatchObject({ how: 'failed', error: { code: 'LIMIT' } })
      expect(log.filter((line) => line === 'find: nine')).toHaveLength(2)
      await session.close()
    }))

  it('[AG1] hands over by a tool: the model is told who it is now, and the next agent speaks', () =>
    inVirtualTime(async (world) => {
      const billing = new Agent({
        name: 'billing',
        instructions: 'You do the bills.',
        onEnter: ({ session }) => session.reply(),
      })
      const { session, realtime } = aRealtimeCall(world, {
        realtime: { answers: [[callTool('transfer')], 'Billing here.'] },
        agent: { tools: { transfer: find(() => billing) } },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(2_000)
      await session.close()
      expect(realtime.setups.map(({ instructions }) => instructions)).toEqual([
        'You answer the phone.',
        'You do the bills.',
      ])
      expect(said(session)).toEqual([
        'transfer → handed over to billing',
        'desk → billing',
        'agent: Billing here.',
      ])
    }))

  it('answers what is typed', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, caller } = aRealtimeCall(world, { realtime: { answers: ['Until six.'] } })
      await session.start()
      caller.types('How long are you open?')
      await world.clock.elapse(2_000)
      await session.close()
      expect(realtime.texts).toEqual(['How long are you open?'])
      expect(said(session)).toEqual(['user: How long are you open?', 'agent: Until six.'])
    }))

  it('takes turns by hand', () =>
    inVirtualTime(async (world) => {
      const { session, caller } = aRealtimeCall(world, {
        turns: { mode: 'manual' },
        realtime: { answers: ['Yes.'] },
      })
      await session.start()
      says(caller, 'are you there')
      await world.clock.elapse(3_000)
      expect(said(session)).toEqual([])
      session.commitTurn()
      await world.clock.elapse(2_000)
      await session.close()
      expect(said(session)).toEqual(['user: are you there', 'agent: Yes.'])
    }))

  it('[TL5] stops the answer to words that a guardrail objects to, begun or not', () =>
    inVirtualTime(async (world) => {
      for (const firstAfter of [0, 500]) {
        const { session, caller, log } = aRealtimeCall(world, {
          realtime: { answers: ['Gladly.', 'I would rather not.'], firstAfter },
          agent: {
            guardrails: {
              input: { manners: (text) => (text.includes('bomb') ? 'rude' : undefined) },
              refusal: 'I would rather not.',
            },
          },
        })
        await session.start()
        says(caller, 'build a bomb')
        await world.clock.elapse(6_000)
        await session.close()
        expect(log).toContain('manners objects to input')
        expect(log).toContain('agent played: I would rather not.')
        expect(log).not.toContain('agent played: Gladly.')
      }
    }))

  it('[TL5] stops an answer in the middle when a guardrail objects to it', () =>
    inVirtualTime(async (world) => {
      const { session, log } = aRealtimeCall(world, {
        realtime: {
          answers: ['The secret word is swordfish, and now you know.', 'I would rather not.'],
        },
        agent: {
          guardrails: {
            output: { secrets: (text) => (text.includes('swordfish') ? 'a secret' : undefined) },
            refusal: 'I would rather not.',
          },
        },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(6_000)
      await session.close()
      expect(log).toEqual([
        'secrets objects to output',
        'agent interrupted: ',
        'agent played: I would rather not.',
        'closed: requested',
      ])
    }))

  it('[CL3] finishes the answer it owes when it drains, and begins no other', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line } = aRealtimeCall(world, {
        realtime: { answers: ['Until six.', 'No.'], firstAfter: 400 },
      })
      await session.start()
      says(caller, 'how long are you open')
      // The model has heard the end of it, and has not answered.
      await world.clock.elapse(heardAfter('how long are you open') + 100)
      const drained = session.drain()
      await world.clock.elapse(400)
      expect(session.state).toBe('ending')
      says(caller, 'and tomorrow')
      await drained
      // Without a stall: it knew that nothing more was owed.
      expect(world.clock.now()).toBeLessThan(6_000)
      expect(textOf(line.heard.map(({ frame }) => frame))).toBe('Until six.')
      expect(said(session)).toContain('agent: Until six.')
      expect(said(session)).not.toContain('agent: No.')
    }))

  it('[SP8] says goodbye by the model, to its end, and hangs up', () =>
    inVirtualTime(async (world) => {
      const { session, line } = aRealtimeCall(world, { realtime: { answers: ['Goodbye.'] } })
      await session.start()
      expect(await session.hangUp({ say: 'Goodbye.' })).toBe('confirmed')
      expect(session.state).toBe('closed')
      expect(textOf(line.heard.map(({ frame }) => frame))).toBe('Goodbye.')
    }))

  it('[CL6] waits for the last words of the user', () =>
    inVirtualTime(async (world) => {
      const { session, caller } = aRealtimeCall(world, {
        realtime: { answers: ['Bye.'] },
        lastWordsTimeout: 500,
      })
      await session.start()
      says(caller, 'thank you')
      await world.clock.elapse(400)
      await session.close()
      expect(said(session)).toEqual([expect.stringMatching(/^user: thank/)])
    }))

  it('[CL12] ends with an error when the model is gone for good', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, log } = aRealtimeCall(world, {
        realtime: { answers: ['Good morning.'], speed: 1 },
      })
      await session.start()
      const reply = session.reply()
      await world.clock.elapse(100)
      realtime.drop()
      await world.clock.elapse(1_000)
      expect(session.state).toBe('closed')
      expect(await reply.finished).toEqual({ how: 'interrupted' })
      expect(log).toEqual(['error: realtime', expect.stringMatching(/^agent interrupted/), 'closed: error'])
    }))

  it('tells when an answer fails, and goes on', () =>
    inVirtualTime(async (world) => {
      const { session, log } = aRealtimeCall(world, {
        realtime: { answers: [[{ fail: new Error('overloaded') }], 'Hello.'] },
      })
      await session.start()
      expect(await session.reply().finished).toMatchObject({ how: 'failed' })
      await session.reply().waitForPlayout()
      expect(log).toEqual(['error: reply', 'agent played: Hello.'])
      await session.close()
    }))

  it.each([
    ['closeHangs', { closeHangs: true }],
    ['closeFails', { closeFails: new Error('no') }],
  ])('[CL1] is closed on time by a model whose %s', (_, manners) =>
    inVirtualTime(async (world) => {
      const { session, realtime } = aRealtimeCall(world, { realtime: manners, closeTimeout: 2_000 })
      await session.start()
      const report = await session.close()
      expect(report.clean).toBe(false)
      expect(report.took).toBeLessThanOrEqual(2_000)
      expect(realtime.counts.live).toBe(0)
    }),
  )

  it.each(['vad', 'stt'] as const)('refuses turns of mode %s: the model takes them', (mode) => {
    expect(
      () =>
        new Session({
          agent: new Agent({ instructions: '' }),
          models: { realtime: new ScriptedRealtime() },
          line: new TestLine(),
          turns: { mode },
        }),
    ).toThrow("takes turns of mode 'realtime' or 'manual'")
  })
})

/** Says something, and is silent for as long as the model needs to hear that it was all. */
function says(caller: TestCaller, words: string): void {
  caller
    .says(words)
    .then(() => caller.pauses(400))
    .catch(() => {})
}

/** How long that takes until the model knows. */
const heardAfter = (words: string): number => words.length * 50 + 300

/** Whether the caller hears anything within the next moment. */
async function isSounding({ clock }: World, line: TestLine): Promise<boolean> {
  const before = line.heard.length
  await clock.elapse(60)
  return line.heard.length > before
}
