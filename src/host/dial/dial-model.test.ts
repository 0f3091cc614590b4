import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { fallbackLlm } from '../../parts/fallback/index.ts'
import { Agent } from '../../session/index.ts'
import {
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedStt,
  ScriptedTts,
  inVirtualTime,
} from '../../testing/index.ts'
import { describeDialFailure } from './dial-failure.ts'
import { dialModel, type DialTarget } from './dial-model.ts'
import { dialModels } from './dial-models.ts'

describe('dialling a model', () => {
  it.each<[string, () => DialTarget]>([
    [
      'an LLM that answers',
      () => ({ kind: 'llm', part: new ScriptedLlm({ answers: ['ok'], firstAfter: 100 }) }),
    ],
    ['an STT that opens', () => ({ kind: 'stt', part: new ScriptedStt({ openTakes: 100 }) })],
    ['a voice that speaks', () => ({ kind: 'tts', part: new ScriptedTts({ firstAfter: 100 }) })],
    [
      'a realtime model that opens',
      () => ({ kind: 'realtime', part: new ScriptedRealtime({ openTakes: 100 }) }),
    ],
  ])('[HO43] finds that %s works, and closes it', (_, make) =>
    inVirtualTime(async ({ clock }) => {
      const target = make()
      expect(await dialModel(target, clock)).toMatchObject({
        ok: true,
        took: 100,
        text: 'answered in 100 ms',
      })
      expect((target.part as ScriptedStt).counts).toMatchObject({ opened: 1, live: 0 })
      expect(clock.timers.list()).toEqual([])
    }),
  )

  it.each<[string, () => DialTarget, string, number]>([
    [
      'an LLM that hangs',
      () => ({ kind: 'llm', part: new ScriptedLlm({ answers: [[{ stall: true }]] }) }),
      'no answer within 5 s',
      5_000,
    ],
    [
      'a realtime model that hangs while opening',
      () => ({ kind: 'realtime', part: new ScriptedRealtime({ openHangs: true }) }),
      'no answer within 5 s',
      5_000,
    ],
    [
      'a voice that fails to speak',
      () => ({ kind: 'tts', part: new ScriptedTts({ failAfter: 0 }) }),
      'the voice broke',
      0,
    ],
  ])('[HO43] finds that %s does not work, and closes it', (_, make, text, took) =>
    inVirtualTime(async ({ clock }) => {
      const target = make()
      const dialled = await dialModel(target, clock)
      expect(dialled).toMatchObject({ ok: false, took, text: expect.stringContaining(text) as string })
      expect((target.part as ScriptedStt).counts.live).toBe(0)
      expect(clock.now()).toBeLessThanOrEqual(6_000)
      expect(clock.timers.list()).toEqual([])
    }),
  )

  it('[HO43] notices a vendor that accepts the connection and then ends it', () =>
    inVirtualTime(async ({ clock }) => {
      const part = new ScriptedRealtime()
      clock.happen(200, 'refuses', () => part.drop(new Error('no money')))
      expect(await dialModel({ kind: 'realtime', part }, clock)).toMatchObject({
        ok: false,
        text: 'no money',
      })
    }))

  it("[HO43] dials the members of fallbacks and the agent's own models", async () => {
    const llm = (name: string): ScriptedLlm => new ScriptedLlm({ name, answers: ['ok'] })
    const agent = new Agent({ name: 'desk', instructions: '', llm: llm('own') })
    const inner = fallbackLlm([llm('two'), llm('three')])
    const dialled = await dialModels(
      { llm: fallbackLlm([llm('one'), inner]), tts: new ScriptedTts({ name: 'voice' }) },
      agent,
    )
    expect(dialled.map(({ name, ok }) => `${name} ${ok}`)).toEqual([
      'one true',
      'two true',
      'three true',
      'voice true',
      "own of agent 'desk' true",
    ])
  })
})

describe('the failure of a dial', () => {
  it.each([
    [
      { how: 'refused', status: 404 },
      'knows no such model or address (HTTP 404): check the name of the model and the url',
    ],
    [
      { how: 'refused', status: 429 },
      'has no room (HTTP 429): check the limits and the balance of the account',
    ],
    [{ how: 'refused', status: 503 }, "is not available (HTTP 503): check the vendor's status page"],
    [
      { how: 'refused', reason: 'ENOTFOUND' },
      'its name cannot be resolved (ENOTFOUND): check the address and the DNS',
    ],
    [
      { how: 'refused', reason: 'CERT_HAS_EXPIRED' },
      'its certificate is not valid (CERT): check the address and the proxy',
    ],
  ] as const)('[HO43] %o is described as: %s', (end, text) => {
    expect(describeDialFailure({ error: end, end })).toBe(text)
  })

  it('[HO43] names the variable of a refused key, and contains no key', () => {
    const key = 'secret-0123456789'
    vi.stubEnv('MY_VENDOR_KEY', key)
    vi.stubEnv('ACME_API_KEY', 'another-0123456789')
    onTestFinished(() => void vi.unstubAllEnvs())
    const request = { name: 'x', url: 'wss://example.com', headers: { authorization: `Token ${key}` } }
    const end = { how: 'refused', status: 401 } as const
    const refused = 'refuses the key (HTTP 401): check'
    expect(describeDialFailure({ error: end, end, request })).toBe(`${refused} MY_VENDOR_KEY`)
    const error = Object.assign(new Error('no'), { status: 401 })
    expect(describeDialFailure({ error, vendor: 'acme' })).toBe(`${refused} ACME_API_KEY`)
    expect(describeDialFailure({ error })).toBe(`${refused} the key that the agent file passes`)
    const told = new Error('broken', { cause: new Error(`cannot use ${key}`) })
    expect(describeDialFailure({ error: told, request })).toMatch(/^broken: cannot use (?!secret)/)
    const dns = new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND x') })
    expect(describeDialFailure({ error: dns })).toMatch(/^its name cannot be resolved/)
  })
})
