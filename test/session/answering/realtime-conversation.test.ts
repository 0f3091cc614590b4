import { describe, expect, it } from 'vitest'
import { Agent, Session } from '../../../src/session/index.ts'
import { ScriptedRealtime, TestLine, inVirtualTime, textOf } from '../../../src/testing/index.ts'
import { said } from '../fixture.ts'
import { aRealtimeCall, find, says } from './realtime-fixture.ts'

describe('a session with a realtime model', () => {
  it('[CL13] hears, answers and records what the caller says', () =>
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

  it('opens the model with the instructions, the tools and the earlier conversation', () =>
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
      // The model is not updated with what it already knows.
      expect(realtime.setups).toHaveLength(1)
    }))

  it('lets the model speak given words, and replies on request', () =>
    inVirtualTime(async (world) => {
      const requests: (string | undefined)[] = []
      const { session } = aRealtimeCall(world, {
        realtime: {
          answers: ({ instructions }) => {
            requests.push(instructions)
            return instructions?.includes('Welcome.') ? 'Welcome.' : 'It rains.'
          },
        },
      })
      await session.start()
      const speech = session.say('Welcome.')
      expect(await speech.waitForPlayout()).toEqual({ how: 'played', confirmed: true, heard: 'Welcome.' })
      const reply = session.reply({ instructions: 'Talk about the weather.' })
      expect(await reply.waitForPlayout()).toMatchObject([{ how: 'played', heard: 'It rains.' }])
      expect(requests).toEqual(expect.arrayContaining(['Talk about the weather.']))
      expect(requests.join()).toContain('"Welcome."')
      await session.close()
      expect(said(session)).toEqual(['agent: Welcome.', 'agent: It rains.'])
    }))

  it('places the words of the user before the answer, even if they arrive late or never', () =>
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

  it('answers typed text', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, caller } = aRealtimeCall(world, { realtime: { answers: ['Until six.'] } })
      await session.start()
      caller.types('How long are you open?')
      await world.clock.elapse(2_000)
      await session.close()
      expect(realtime.texts).toEqual(['How long are you open?'])
      expect(said(session)).toEqual(['user: How long are you open?', 'agent: Until six.'])
    }))

  it('lets the application end turns in mode manual', () =>
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

  it('reports an answer that fails, and goes on', () =>
    inVirtualTime(async (world) => {
      const { session, log } = aRealtimeCall(world, {
        realtime: { answers: [[{ fail: new Error('overloaded') }], 'Hello.'] },
        apology: { again: '' },
      })
      await session.start()
      expect(await session.reply().finished).toMatchObject({ how: 'failed' })
      await session.reply().waitForPlayout()
      expect(log).toEqual(['error: realtime', 'agent played: Hello.'])
      await session.close()
    }))

  it.each(['vad', 'stt'] as const)('rejects turns of mode %s', (mode) => {
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
