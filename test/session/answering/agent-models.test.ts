import { pcm } from '../../../src/audio/index.ts'
import type { Llm, Realtime, Tts } from '../../../src/parts/index.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, AgentTask, Session, tool } from '../../../src/index.ts'
import { OptionError, type Scope } from '../../../src/scope/index.ts'
import {
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedTts,
  TestLine,
  inVirtualTime,
} from '../../../src/testing/index.ts'
import { aLiveCall, expectEnded, said } from '../fixture.ts'

const input = z.object({})

describe('an agent with a model and a voice of its own', () => {
  it('[AG7] answers and speaks with them while it is in charge, and the next agent with its own or the session’s', () =>
    inVirtualTime(async (world) => {
      const llm = new ScriptedLlm({ answers: ['Billing here.'] })
      const tts = new ScriptedTts({ name: 'deep voice' })
      const billing = new Agent({ name: 'billing', instructions: '', llm, tts })
      const call = await aLiveCall(world, { answers: ['Hello.', 'Back again.'] })
      const { session, caller } = call
      await session.reply().waitForPlayout()
      expect([llm.counts.asked, tts.counts.asked]).toEqual([0, 0])
      await session.handOff(billing)
      await session.reply().waitForPlayout()
      await session.say('One moment.').waitForPlayout()
      expect(tts.speeches.map(({ text }) => text)).toEqual(['Billing here.', 'One moment.'])
      expect(llm.requests).toHaveLength(1)
      await session.handOff(new Agent({ name: 'desk', instructions: '' }))
      await session.reply().waitForPlayout()
      expect(call.tts.speeches.map(({ text }) => text)).toEqual(['Hello.', 'Back again.'])
      expect([llm.counts.live, tts.counts.live]).toEqual([0, 0])
      await caller.hears('Back again.')
      await session.close()
      expect(expectEnded(call)).toMatchObject({ clean: true })
    }))

  it('[AG7] that is the first one speaks with them from the start, and a close closes them', () =>
    inVirtualTime(async (world) => {
      const llm = new ScriptedLlm({ answers: ['Hello.'] })
      const tts = new ScriptedTts({ name: 'deep voice' })
      const call = await aLiveCall(world, { agent: { llm, tts } })
      await call.session.reply().waitForPlayout()
      expect(tts.speeches).toHaveLength(1)
      await call.session.close()
      expect([llm.counts, tts.counts]).toMatchObject([
        { live: 0, closed: 1 },
        { live: 0, closed: 1 },
      ])
      expectEnded(call)
    }))

  it('[AG1] [AG7] that cannot open them does not take over, and leaves nothing open', () =>
    inVirtualTime(async (world) => {
      const llm = new ScriptedLlm()
      const tts = new ScriptedTts({ openFails: new Error('no key') })
      const call = await aLiveCall(world, { answers: ['Still me.'] })
      const { session } = call
      const billing = new Agent({ name: 'billing', instructions: '', llm, tts })
      await expect(session.handOff(billing)).rejects.toMatchObject({ code: 'HANDOFF_FAILED' })
      await session.reply().waitForPlayout()
      expect(said(session)).toEqual(['agent: Still me.'])
      expect(llm.counts.live).toBe(0)
      await session.close()
      expectEnded(call)
    }))

  it.each([
    [{ llm: 'gpt-5' }, 'Agent: llm is not a part: it has no open()'],
    [{ llm: null }, 'Agent: llm is not a part: it has no open()'],
    [{ tts: { open() {} } }, 'Agent: tts does not declare its formats: set speaks'],
  ])('[AG7] is refused where it is made if they are not parts: %o', (own, message) => {
    expect(() => new Agent({ instructions: '', ...(own as object) })).toThrow(message)
    const options = { instructions: '', tools: () => ({}), ...(own as object) }
    expect(() => new AgentTask(options)).toThrow(message.replace('Agent', 'AgentTask'))
  })

  it('[AG7] whose voice never opens does not take over, and what was begun is closed at once', () =>
    inVirtualTime(async (world) => {
      const scopes: Scope<string>[] = []
      const tts: Tts = {
        name: 'stuck voice',
        speaks: [pcm(16_000)],
        open: ({ scope }) => {
          scopes.push(scope)
          return new Promise(() => {})
        },
      }
      const call = await aLiveCall(world)
      const billing = new Agent({ name: 'billing', instructions: '', tts })
      await expect(call.session.handOff(billing)).rejects.toMatchObject({ code: 'HANDOFF_FAILED' })
      await world.clock.elapse(10)
      expect(scopes.map(({ state }) => state)).toEqual(['closed'])
      await call.session.close()
    }))

  it('[AG7] keeps its voice when it cannot take over from itself', () =>
    inVirtualTime(async (world) => {
      let opens = 0
      const voice = new ScriptedTts({ name: 'deep voice' })
      const llm: Llm = {
        name: 'once',
        open: (context) =>
          ++opens > 1 ? Promise.reject(new Error('no key')) : new ScriptedLlm().open(context),
      }
      const billing = new Agent({ name: 'billing', instructions: '', llm, tts: voice })
      const call = await aLiveCall(world)
      await call.session.handOff(billing)
      await expect(call.session.handOff(billing)).rejects.toMatchObject({ code: 'HANDOFF_FAILED' })
      await call.session.say('Still the same voice.').waitForPlayout()
      expect(voice.speeches.map(({ text }) => text)).toEqual(['Still the same voice.'])
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG7] is heard to the end when its task already has a result', () =>
    inVirtualTime(async (world) => {
      // Makes its sound in real time, so that it still speaks when the task has its result.
      const tts = new ScriptedTts({ name: 'deep voice', speed: 1 })
      const task = new AgentTask<string>({
        name: 'ask',
        instructions: '',
        tts,
        onEnter: ({ session }) => {
          session.say('Thank you, that is all I need.')
        },
        tools: (done) => ({ save: tool({ description: 'Saves', input, run: () => done('saved') }) }),
      })
      const ask = tool({ description: 'Asks', input, run: async (_, { run }) => run(task) })
      const call = await aLiveCall(world, {
        agent: { tools: { ask } },
        answers: [[{ call: 'ask', input: {} }], [{ call: 'save', input: {} }], 'Done.'],
      })
      const { session, line } = call
      session.reply()
      await world.clock.elapse(100)
      session.reply()
      await line.caller.hears('that is all I need.')
      await world.clock.elapse(5_000)
      expect(tts.speeches).toMatchObject([{ text: 'Thank you, that is all I need.', how: 'completed' }])
      expect(tts.counts.live).toBe(0)
      await session.close()
      expectEnded(call)
    }))

  it('[AG7] takes over again with a new voice', () =>
    inVirtualTime(async (world) => {
      const tts = new ScriptedTts({ name: 'deep voice' })
      const billing = new Agent({ name: 'billing', instructions: '', tts })
      const call = await aLiveCall(world)
      for (const agent of [billing, billing, new Agent({ instructions: '' }), billing]) {
        await call.session.handOff(agent)
        await call.session.say('Hello.').waitForPlayout()
      }
      expect(tts.speeches).toMatchObject(Array.from({ length: 3 }, () => ({ how: 'completed' })))
      expect(tts.counts).toMatchObject({ opened: 3, live: 1 })
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG7] cannot take over where a realtime model answers and speaks', () =>
    inVirtualTime(async ({ clock, random }) => {
      const session = new Session({
        agent: new Agent({ instructions: '' }),
        models: { realtime: new ScriptedRealtime() },
        line: new TestLine(),
        clock,
        random,
      })
      await session.start()
      const parts = [{ llm: new ScriptedLlm() }, { tts: new ScriptedTts() }]
      for (const part of parts)
        await expect(session.handOff(new Agent({ instructions: '', ...part }))).rejects.toMatchObject({
          code: 'HANDOFF_FAILED',
        })
      await session.close()
    }))
})

describe('a realtime model with a voice of one’s own', () => {
  it('[PT8] writes its answers, and the TTS speaks them', () =>
    inVirtualTime(async ({ clock, random }) => {
      const realtime = new ScriptedRealtime({ answers: [['Good ', 'morning.'], 'Goodbye.'] })
      const tts = new ScriptedTts()
      const line = new TestLine()
      const agent = new Agent({ instructions: '' })
      const session = new Session({ agent, models: { realtime, tts }, line, clock, random })
      await session.start()
      expect(realtime.setups[0]).toMatchObject({ speaks: undefined })
      await session.reply().waitForPlayout()
      await session.say('One moment.').waitForPlayout()
      expect(line.heardText).toBe('Good morning.One moment.')
      const reply = session.reply()
      await line.caller.hears('Goodb')
      reply.interrupt()
      await reply.waitForPlayout()
      expect(said(session)).toEqual(['agent: Good morning.', 'agent: One moment.', 'agent: Goodb —'])
      expect(realtime.interruptions).toHaveLength(1)
      expect((await session.close()).usage).toMatchObject({ characters: 32 })
    }))

  it('[PT8] [FA7] must be able to write', () => {
    const { hears, speaks } = new ScriptedRealtime()
    const open = (): Promise<never> => Promise.reject(new Error('not opened'))
    const realtime: Realtime = { name: 'speaker', hears, speaks, open }
    const models = { realtime, tts: new ScriptedTts() }
    const agent = new Agent({ instructions: '' })
    expect(() => new Session({ agent, models, line: new TestLine() })).toThrow(OptionError)
  })
})
