import { describe, expect, it } from 'vitest'
import type { Usage } from '../../../src/parts/index.ts'
import {
  Agent,
  Session,
  checkPriceList,
  defaultPriceList,
  formatSession,
  type PriceList,
  type Prices,
} from '../../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  TestLine,
  inVirtualTime,
  type World,
} from '../../../src/testing/index.ts'

const reports = (usage: Usage) => ({ type: 'usage', usage }) as const
const tokens = { inputTokens: 30, outputTokens: 10 }

describe('a price list', () => {
  const list: PriceList = {
    currency: 'EUR',
    products: {
      'acme/big': {
        inputTokens: 0.01,
        outputTokens: 0.1,
        source: 'https://acme.example/prices',
        basis: 'memory',
      },
      'acme/voice-*': { characters: 0.5 },
      'acme/voice-gold-*': { characters: 2 },
    },
  }

  /** A call with models of a vendor, and how much it cost. */
  async function costBy(
    world: World,
    { voice = 'acme/voice-1', ...options }: { voice?: string; prices?: Prices; priceList?: PriceList } = {},
  ) {
    const llm = new ScriptedLlm({ answers: [['Six.', reports(tokens)]] })
    const line = new TestLine()
    const session = new Session({
      agent: new Agent({ instructions: '' }),
      models: {
        llm: Object.assign(llm, { provider: 'acme', model: 'big' }),
        tts: Object.assign(new ScriptedTts(), { product: voice }),
        stt: new ScriptedStt({ finalOn: 'flush' }),
        vad: new ScriptedVad(),
      },
      line,
      clock: world.clock,
      random: world.random,
      priceList: list,
      ...options,
    })
    await session.start()
    line.caller.types('When?')
    await world.clock.elapse(2_000)
    const live = { usage: session.usage, cost: session.cost }
    const report = await session.close()
    expect(live).toEqual({ usage: report.usage, cost: report.cost })
    return report
  }

  it('[CL16] prices models by their product, in its currency', () =>
    inVirtualTime(async (world) => {
      const report = await costBy(world)
      expect(report.cost).toEqual({
        total: 3.3,
        models: { llm: 1.3, tts: 2 },
        unpriced: [],
        currency: 'EUR',
      })
      expect(formatSession(report)).toContain(' · cost 3.3 EUR\n')
    }))

  it('[CL16] prices a family of products by the longest beginning, and no product that only looks like one', () =>
    inVirtualTime(async (world) => {
      expect((await costBy(world, { voice: 'acme/voice-gold-2' })).cost?.models).toEqual({ llm: 1.3, tts: 8 })
      const other = await costBy(world, { voice: 'acme/voices' })
      expect(other.cost).toMatchObject({ models: { llm: 1.3 }, unpriced: ['tts'] })
      expect(formatSession(other)).toContain('cost 1.3 EUR without tts\n')
    }))

  it('[CL16] comes after the prices of the session', () =>
    inVirtualTime(async (world) => {
      const { cost } = await costBy(world, { prices: { tts: { characters: 1 } } })
      expect(cost).toMatchObject({ models: { llm: 1.3, tts: 4 }, currency: 'EUR' })
    }))

  it('[CL16] that has nothing of the session leaves its cost unknown, which is not 0', () =>
    inVirtualTime(async (world) => {
      const report = await costBy(world, { priceList: { currency: 'EUR', products: {} } })
      expect(report.cost).toMatchObject({ models: {}, unpriced: ['llm', 'tts'] })
      expect(formatSession(report)).toContain('cost unknown: no price for llm, tts\n')
    }))

  it.each<[string, object, string]>([
    ['without a currency', { products: {} }, 'currency must be a code of three letters'],
    ['without products', { currency: 'USD' }, 'products must be an object'],
    [
      'with a unit that does not exist',
      { currency: 'USD', products: { 'a/b': { token: 1 } } },
      "'a/b': unknown option 'token'",
    ],
    [
      'with a price that is not a number',
      { currency: 'USD', products: { 'a/b': { characters: 'free' } } },
      "'a/b': characters must be a finite number",
    ],
  ])('[CL16] [FA7] %s is refused', (_, priceList, message) => {
    expect(() => checkPriceList('priceList', priceList as PriceList)).toThrow(message)
  })

  it('[CL16] that endwell ships is valid, and says of each price where it is from, and whether it was looked up', () => {
    checkPriceList('defaultPriceList', defaultPriceList)
    for (const [product, price] of Object.entries(defaultPriceList.products)) {
      if (product === 'local/*') continue
      expect(price, product).toMatchObject({
        source: expect.stringMatching(/^https:/),
        asOf: expect.stringMatching(/^20\d\d/),
        basis: expect.stringMatching(/^(reported|memory)$/),
      })
    }
  })
})
