import { describe, expect, it } from 'vitest'
import type { AudioFrame } from '../../../src/audio/index.ts'
import { type Usage } from '../../../src/parts/index.ts'
import { fallbackLlm, fallbackRealtime, fallbackStt, fallbackTts } from '../../../src/parts/fallback/index.ts'
import {
  Agent,
  Session,
  formatSession,
  type Prices,
  type SessionOptions,
} from '../../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedStt,
  ScriptedTts,
  TestLine,
  inVirtualTime,
  type World,
} from '../../../src/testing/index.ts'
import { aLiveCall, expectEnded } from '../fixture.ts'

const reports = (usage: Usage) => ({ type: 'usage', usage }) as const
const tokens = { inputTokens: 30, outputTokens: 10 }
const broken = new Error('out of order')

/** A session with other models than those of a usual call. */
function aSession({ clock, random }: World, options: Partial<SessionOptions>) {
  const line = new TestLine()
  const agent = new Agent({ instructions: '' })
  const models = { llm: new ScriptedLlm(), tts: new ScriptedTts() }
  return { line, session: new Session({ agent, models, line, clock, random, ...options }) }
}

describe('the usage in a report', () => {
  it('[PT10] is that of each model, by the name of its part, besides the sums', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, {
        answers: [
          ['Six.', reports(tokens)],
          ['Seven.', reports(tokens)],
        ],
        llm: { name: 'openai' },
      })
      for (const text of ['When?', 'Later?']) {
        call.caller.types(text)
        await world.clock.elapse(2_000)
      }
      call.stt.usage({ audioSeconds: 0.1 })
      call.stt.usage({ audioSeconds: 0.2 })
      await call.session.close()
      const { usage } = expectEnded(call)
      const spoken = { characters: 10, spokenSeconds: 0.5 }
      const sum = { inputTokens: 60, outputTokens: 20 }
      expect(usage).toEqual({
        ...sum,
        ...spoken,
        audioSeconds: 0.3,
        turns: 2,
        toolCalls: 0,
        models: { openai: sum, stt: { audioSeconds: 0.3 }, tts: spoken },
      })
      expect(Object.isFrozen(usage.models) && Object.isFrozen(usage.models['openai'])).toBe(true)
    }))

  it('[PT10] of a fallback is that of the member that did the work', () =>
    inVirtualTime(async (world) => {
      const answers = [['Six.', reports(tokens)]] as const
      const dead = new ScriptedLlm({ name: 'dead llm', openFails: broken })
      const llm = fallbackLlm([dead, new ScriptedLlm({ name: 'live llm', answers })])
      const one = new ScriptedStt({ name: 'first stt', finalOn: 'flush' })
      const two = new ScriptedStt({ name: 'second stt', finalOn: 'flush' })
      const tts = fallbackTts([
        new ScriptedTts({ name: 'dead voice', failAfter: 0 }),
        fallbackTts([new ScriptedTts({ name: 'live voice' })], { name: 'spare voices' }),
      ])
      const { session } = aSession(world, {
        models: { llm, stt: fallbackStt([one, two]), tts },
        turns: { mode: 'manual' },
      })
      await session.start()
      one.usage({ audioSeconds: 2 })
      one.fail()
      await world.clock.elapse(100)
      two.usage({ audioSeconds: 3 })
      await session.reply().waitForPlayout()
      const { usage } = await session.close()
      expect(usage).toMatchObject({ ...tokens, audioSeconds: 5, characters: 4 })
      expect(usage.models).toEqual({
        'first stt': { audioSeconds: 2 },
        'second stt': { audioSeconds: 3 },
        'live llm': tokens,
        'live voice': { characters: 4, spokenSeconds: 0.2 },
      })
    }))

  it('[PT10] of a fallback of realtime models is that of the model in use', () =>
    inVirtualTime(async (world) => {
      const live = new ScriptedRealtime({ name: 'live', answers: [['Six.', reports(tokens)]] })
      const realtime = fallbackRealtime([new ScriptedRealtime({ name: 'dead', openFails: broken }), live])
      const { session } = aSession(world, { models: { realtime } })
      await session.start()
      await session.reply().waitForPlayout()
      expect((await session.close()).usage.models).toEqual({ live: tokens })
    }))

  it('[PT10] is that of a part which reports it to its context, also in a fallback, and with a sound stage', () =>
    inVirtualTime(async (world) => {
      const inner = new ScriptedTts({ name: 'talker' })
      const charging = {
        name: 'talker',
        speaks: inner.speaks,
        open: (...[context, setup]: Parameters<ScriptedTts['open']>) => {
          context.used({ outputTokens: 7 })
          return inner.open(context, setup)
        },
      }
      const stages = { sound: (frames: AsyncIterable<AudioFrame>) => frames }
      const agent = new Agent({ instructions: '', stages })
      for (const tts of [charging, fallbackTts([charging], { name: 'voices' })]) {
        const { session } = aSession(world, { agent, models: { llm: new ScriptedLlm(), tts } })
        await session.start()
        await session.say('Hello.').waitForPlayout()
        expect((await session.close()).usage.models).toEqual({
          talker: { outputTokens: 7, characters: 6, spokenSeconds: 0.3 },
        })
      }
    }))

  it('[PT10] of an agent’s own models is theirs', () =>
    inVirtualTime(async (world) => {
      const desk = new Agent({
        name: 'billing',
        instructions: '',
        llm: new ScriptedLlm({ name: 'big', answers: [['Paid.', reports(tokens)]] }),
        tts: new ScriptedTts({ name: 'deep' }),
      })
      const { session } = aSession(world, {})
      await session.start()
      await session.say('One moment.').waitForPlayout()
      await session.handOff(desk)
      await session.reply().waitForPlayout()
      expect((await session.close()).usage.models).toEqual({
        tts: { characters: 11, spokenSeconds: 0.56 },
        big: tokens,
        deep: { characters: 5, spokenSeconds: 0.26 },
      })
    }))

  it('[PT10] [SC18] does not grow without end if a part invents names', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      for (let index = 0; index < 60; index++) call.stt.usage({ by: `stt ${index}`, audioSeconds: 1 })
      await call.session.close()
      const { models, audioSeconds } = expectEnded(call).usage
      expect(audioSeconds).toBe(60)
      expect(Object.keys(models)).toHaveLength(51)
      expect(models['other']).toEqual({ audioSeconds: 10 })
    }))
})

describe('the cost of a call', () => {
  const prices: Prices = {
    llm: { inputTokens: 0.01, outputTokens: 0.1 },
    tts: { characters: 0.5 },
    stt: { audioSeconds: 0.1 },
  }

  async function costOf(world: World, usage: Usage, options: { prices?: Prices; agent?: Agent } = {}) {
    const call = await aLiveCall(world, { answers: [['Six.', reports(usage)]], ...options })
    call.stt.usage({ audioSeconds: 3 })
    call.caller.types('When?')
    await world.clock.elapse(2_000)
    await call.session.close()
    return expectEnded(call)
  }

  it('[CL15] is in the report, in total and by model', () =>
    inVirtualTime(async (world) => {
      const report = await costOf(world, tokens, { prices })
      expect(report.cost).toEqual({ total: 3.6, models: { llm: 1.3, tts: 2, stt: 0.3 }, unpriced: [] })
      expect(Object.isFrozen(report.cost) && Object.isFrozen(report.cost?.models)).toBe(true)
      expect(formatSession(report)).toContain('10 tokens out · cost 3.6\n')
    }))

  it('[CL15] is absent without prices, and 0 if nothing was used', () =>
    inVirtualTime(async (world) => {
      const report = await costOf(world, tokens)
      expect(report).not.toHaveProperty('cost')
      expect(formatSession(report)).not.toContain('cost')
      const { session } = aSession(world, { prices: { llm: { inputTokens: 1 } } })
      expect((await session.close()).cost).toEqual({ total: 0, models: {}, unpriced: [] })
    }))

  it('[CL15] names models that used something without a price, and counts the rest', () =>
    inVirtualTime(async (world) => {
      const report = await costOf(world, tokens, { prices: { llm: { inputTokens: 0.01 } } })
      expect(report.cost).toEqual({ total: 0.3, models: { llm: 0.3 }, unpriced: ['stt', 'llm', 'tts'] })
      expect(formatSession(report)).toContain('cost 0.3 without stt, llm, tts\n')
    }))

  it('[CL15] is complete with a price of 0, and with one price for the characters or the seconds of a voice', () =>
    inVirtualTime(async (world) => {
      const free = { stt: { audioSeconds: 0 }, llm: { inputTokens: 0, outputTokens: 0 } }
      for (const tts of [{ spokenSeconds: 10 }, { characters: 0.5 }, { outputTokens: 0 }]) {
        const { cost } = await costOf(world, tokens, { prices: { ...free, tts } })
        expect(cost).toMatchObject({ total: tts.outputTokens ?? 2, unpriced: [] })
      }
    }))

  it('[CL15] counts cached tokens once: at their own price, or as input', () =>
    inVirtualTime(async (world) => {
      const used = { ...tokens, cachedTokens: 20 }
      const { cost } = await costOf(world, used, { prices })
      expect(cost?.models['llm']).toBe(1.3)
      const cached = { llm: { ...prices['llm'], cachedTokens: 0.001 } }
      const { cost: lower } = await costOf(world, used, { prices: { ...prices, ...cached } })
      expect(lower).toMatchObject({ models: { llm: 1.12 }, unpriced: [] })
    }))

  it('[CL15] includes the models of an agent that takes over, at the agent’s prices unless the session has others', () =>
    inVirtualTime(async (world) => {
      const billing = new Agent({
        instructions: '',
        llm: new ScriptedLlm({ name: 'llm', answers: [['Paid.', reports(tokens)]] }),
        tts: new ScriptedTts({ name: 'deep' }),
        prices: { llm: { inputTokens: 100, outputTokens: 100 }, deep: { characters: 1 } },
      })
      const { session } = aSession(world, { prices: { llm: prices['llm']! } })
      await session.start()
      await session.handOff(billing)
      await session.reply().waitForPlayout()
      const { cost } = await session.close()
      expect(cost).toEqual({ total: 6.3, models: { llm: 1.3, deep: 5 }, unpriced: [] })
    }))

  it('[CL14] warns at 80 % of its budget, which voices spend, too, and ends when the budget is spent', () =>
    inVirtualTime(async (world) => {
      const { session, line } = aSession(world, {
        prices: { tts: { characters: 0.1 } },
        budget: { cost: 1 },
        goodbye: { budget: 'Bye.' },
      })
      const warnings: string[] = []
      session.on('warning', ({ reason, left }) => warnings.push(`${reason} ${left.toFixed(2)}`))
      await session.start()
      await session.say('Eight!!!').waitForPlayout()
      expect(warnings).toEqual(['budget 0.20'])
      expect(session.state).toBe('live')
      session.say('Ten!')
      const report = await session.closed
      expect(report).toMatchObject({ reason: 'budget', ended: 'capped', cost: { total: 1.6 } })
      expect(line.heardText).toBe('Eight!!!Ten!Bye.')
    }))
})

describe('prices', () => {
  const make = (options: object): Session =>
    new Session({
      agent: new Agent({ instructions: '', tts: new ScriptedTts({ name: 'deep' }) }),
      models: {
        llm: fallbackLlm([new ScriptedLlm({ name: 'openai' })], { name: 'llms' }),
        tts: new ScriptedTts(),
      },
      line: new TestLine(),
      ...options,
    })

  it.each<[what: string, options: object, message: string]>([
    [
      'for a part that is not in the session',
      { prices: { opanai: {} } },
      "Session: prices: there is no part with the name 'opanai'. Did you mean 'openai'?",
    ],
    [
      'for an unknown name',
      { prices: { elevenlabs: {} } },
      "Session: prices: there is no part with the name 'elevenlabs'. There are: line, openai, tts, deep",
    ],
    [
      'for a unit that does not exist',
      { prices: { deep: { character: 1 } } },
      "Session: prices of 'deep': unknown option 'character'. Did you mean 'characters'?",
    ],
    [
      'that are negative',
      { prices: { deep: { characters: -1 } } },
      "Session: prices of 'deep': characters must be a finite number, 0 or more; it is -1",
    ],
    [
      'that are no numbers',
      { prices: { deep: { characters: '1' } } },
      'Session: prices of \'deep\': characters must be a finite number, 0 or more; it is "1"',
    ],
    ['that are no object', { prices: null }, 'Session: prices: the options must be an object; this is null'],
    [
      'that are missing for a budget',
      { budget: { cost: 1 } },
      'budget.cost needs prices: add prices for the models of the session',
    ],
    [
      'with a budget of nothing',
      { prices: {}, budget: { cost: 0 } },
      'budget.cost must be a finite number, more than 0; it is 0',
    ],
  ])('[CL15] [FA7] %s are refused', (_, options, message) => {
    expect(() => make(options)).toThrow(message)
  })

  it('[CL15] [FA7] of an agent are for its own models', () => {
    const tts = new ScriptedTts({ name: 'deep' })
    expect(() => new Agent({ instructions: '', tts, prices: { openai: {} } })).toThrow(
      "Agent: prices: there is no part with the name 'openai'. There are: deep",
    )
    const agent = new Agent({ instructions: '', tts, prices: { deep: { characters: 1 } } })
    expect(() => make({ agent, budget: { cost: 1 } })).not.toThrow()
  })
})
