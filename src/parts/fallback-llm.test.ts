import { describe, expect, it } from 'vitest'
import { ScriptedLlm, inVirtualTime, partContext, type World } from '../testing/index.ts'
import {
  fallbackLlm,
  type FallbackChange,
  type FallbackOptions,
  type Llm,
  type LlmChunk,
  type LlmClient,
  type LlmRequest,
  type PartContext,
} from './index.ts'

const request: LlmRequest = { instructions: '', messages: [], tools: [] }
const unaborted = (): AbortSignal => new AbortController().signal
const steady = { next: () => 0 }

interface Opened {
  readonly client: LlmClient
  readonly context: PartContext
  readonly changes: FallbackChange[]
  readonly ask: (signal?: AbortSignal) => Promise<string>
}

async function open(world: World, models: readonly Llm[], options: FallbackOptions = {}): Promise<Opened> {
  const changes: FallbackChange[] = []
  const context = { ...partContext(world), random: steady }
  const llm = fallbackLlm(models, { onChange: (change) => changes.push(change), ...options })
  const client = await llm.open(context).catch(async (error: unknown) => {
    await context.scope.close()
    throw error
  })
  const ask = async (signal = unaborted()): Promise<string> => {
    let text = ''
    for await (const chunk of client.generate(request, signal)) text += textOf(chunk)
    return text
  }
  return { client, context, changes, ask }
}

const textOf = (chunk: LlmChunk): string => (chunk.type === 'text' ? chunk.text : '')

describe('a fallback of LLMs', () => {
  it('uses the first model, and opens the others only when needed', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedLlm({ name: 'one', answers: ['One.'] })
      const two = new ScriptedLlm({ name: 'two', answers: ['Two.'] })
      const { context, ask } = await open(world, [one, two])
      expect(one.counts.opened).toBe(1)
      expect(await ask()).toBe('One.')
      expect(two.counts.asked).toBe(0)
      await context.scope.close()
      expect(one.counts.live).toBe(0)
      expect(fallbackLlm([one, two]).name).toBe('one or two')
      expect(() => fallbackLlm([])).toThrow('at least one model')
    }))

  it.each<[string, ConstructorParameters<typeof ScriptedLlm>[0], number]>([
    ['cannot be opened', { openFails: new Error('no key') }, 0],
    ['hangs while opening', { openHangs: true }, 5_000],
    ['fails before its first chunk', { answers: [[{ wait: 10 }, { fail: new Error('overloaded') }]] }, 10],
    ['yields nothing in time', { answers: [[{ stall: true }]] }, 5_000],
    [
      'yields nothing in time and ignores its signal',
      { answers: [[{ stall: true }]], ignoresSignal: true },
      5_100,
    ],
  ])('uses the next model when one %s', (_, options, after) =>
    inVirtualTime(async (world) => {
      const one = new ScriptedLlm({ name: 'one', ...options })
      const two = new ScriptedLlm({ name: 'two', answers: ['Two.', 'Again.'] })
      const { context, changes, ask } = await open(world, [one, two], { probes: 0 })
      expect(await ask()).toBe('Two.')
      expect(world.clock.now()).toBe(after)
      expect(changes.map(({ type, model }) => `${model} ${type}`)).toEqual(['one failed', 'one given-up'])
      // The failure is remembered: the next request goes straight to the second model.
      const asked = one.counts.asked + one.generations.length
      expect(await ask()).toBe('Again.')
      expect(one.counts.asked + one.generations.length).toBe(asked)
      await context.scope.close()
      expect(one.counts.live + two.counts.live).toBe(0)
    }),
  )

  it('does not switch models in the middle of an answer', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedLlm({ name: 'one', answers: [['Well, ', { fail: new Error('broken') }]] })
      const two = new ScriptedLlm({ name: 'two', answers: ['Two.'] })
      const { context, changes, ask } = await open(world, [one, two])
      await expect(ask()).rejects.toThrow('broken')
      expect(changes).toMatchObject([{ type: 'failed', model: 'one', index: 0 }])
      expect(await ask()).toBe('Two.')
      await context.scope.close()
    }))

  it('has no timeout for an answer that has begun', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedLlm({ name: 'one', answers: [['Well, ', { wait: 60_000 }, 'yes.']] })
      const { context, ask } = await open(world, [one])
      expect(await ask()).toBe('Well, yes.')
      await context.scope.close()
    }))

  it('stops when it is cancelled, which does not count as a failure of the model', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedLlm({ name: 'one', answers: [[{ stall: true }]], ignoresSignal: true })
      const two = new ScriptedLlm({ name: 'two' })
      const { context, changes, ask } = await open(world, [one, two])
      const stop = new AbortController()
      world.clock.happen(50, 'interrupts', () => stop.abort('interrupted'))
      await expect(ask(stop.signal)).rejects.toBe('interrupted')
      expect(changes).toEqual([])
      await expect(ask(AbortSignal.abort('before'))).rejects.toBe('before')
      expect(two.counts.asked).toBe(0)
      await context.scope.close()
    }))

  it('throws all errors when all models have failed, and tries all of them for the next request', () =>
    inVirtualTime(async (world) => {
      const busy = [{ fail: new Error('busy') }]
      const one = new ScriptedLlm({ name: 'one', answers: [busy, busy, 'One again.'] })
      const two = new ScriptedLlm({ name: 'two', answers: [[{ fail: 'no money' }], busy] })
      const { context, changes, ask } = await open(world, [one, two], { name: 'both' })
      await expect(ask()).rejects.toMatchObject({
        code: 'ALL_FAILED',
        message: "every model of 'both' has failed: one: busy; two: no money",
        errors: [expect.any(Error), 'no money'],
      })
      await expect(ask()).rejects.toThrow('one: busy; two: busy')
      // A repeated failure is not a change.
      expect(changes.map(({ type, model }) => `${model} ${type}`)).toEqual(['one failed', 'two failed'])
      expect(context.scope.inspect().tree.owned).toHaveLength(2)
      expect(await ask()).toBe('One again.')
      // A model that works again is no longer probed.
      expect(context.scope.inspect().tree.owned.map(({ name }) => name)).toEqual(["probe of 'two'"])
      await context.scope.close()
      const bad = new ScriptedLlm({ openFails: new Error('no key') })
      await expect(open(world, [bad, bad])).rejects.toMatchObject({ code: 'ALL_FAILED' })
    }))
})

describe('a failed model of a fallback', () => {
  it('is probed at growing intervals and used again once it works', () =>
    inVirtualTime(async (world) => {
      const busy = [{ fail: new Error('busy') }]
      const one = new ScriptedLlm({ name: 'one', answers: [busy, busy, busy, 'ok', 'One.'] })
      const two = new ScriptedLlm({ name: 'two', answers: ['Two.'] })
      const { context, changes, ask } = await open(world, [one, two], { probeAfter: 1_000 })
      const times: number[] = []
      expect(await ask()).toBe('Two.')
      while (changes.length < 2) {
        const before = one.generations.length
        await world.clock.elapse(100)
        if (one.generations.length > before) times.push(world.clock.now())
      }
      expect(times).toEqual([1_000, 3_000, 7_000])
      expect(changes.map(({ type }) => type)).toEqual(['failed', 'recovered'])
      expect(one.generations.at(-1)?.how).toBe('left')
      expect(await ask()).toBe('One.')
      expect(one.counts).toMatchObject({ opened: 5, live: 1 })
      await context.scope.close()
      expect(one.counts.live).toBe(0)
    }))

  it('is given up after `probes` probes', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedLlm({ name: 'one', openFails: new Error('no key') })
      const two = new ScriptedLlm({ name: 'two' })
      const { context, changes } = await open(world, [one, two], { probes: 3 })
      await world.clock.elapse(1_000_000)
      expect(one.counts.asked).toBe(4)
      expect(changes.map(({ type }) => type)).toEqual(['failed', 'given-up'])
      expect(context.scope.inspect().tree.owned).toEqual([])
      await context.scope.close()
    }))

  it('is no longer probed when the scope closes, even in the middle of a probe that hangs', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedLlm({ name: 'one', openFails: new Error('no key') })
      const waiting = await open(world, [one, new ScriptedLlm()])
      await waiting.context.scope.close()
      expect(world.clock.timers.list()).toEqual([])
      const two = new ScriptedLlm({
        name: 'two',
        answers: [[{ fail: new Error('busy') }], [{ stall: true }]],
        ignoresSignal: true,
      })
      const probing = await open(world, [two, new ScriptedLlm({ answers: ['Ok.'] })], { probeAfter: 100 })
      await probing.ask()
      await world.clock.elapse(150)
      const report = await probing.context.scope.close()
      expect(report.took).toBeLessThanOrEqual(200)
      expect(two.counts.live).toBe(0)
      expect(world.clock.timers.list()).toEqual([])
    }))

  it('still completes the answer to an earlier request', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedLlm({
        name: 'one',
        answers: [['Slow ', { wait: 500 }, 'answer.'], [{ fail: new Error('busy') }]],
      })
      const two = new ScriptedLlm({ name: 'two', answers: ['Two.'] })
      const { context, ask } = await open(world, [one, two], { probes: 0 })
      const slow = ask()
      await world.clock.elapse(10)
      expect(await ask()).toBe('Two.')
      expect(await slow).toBe('Slow answer.')
      await world.clock.elapse(0)
      expect(one.counts).toMatchObject({ closed: 1, live: 0 })
      await context.scope.close()
    }))

  it('is logged, and an `onChange` that throws has no effect', () =>
    inVirtualTime(async (world) => {
      const lines: string[] = []
      const log = (level: string) => (_: object, message: string) => void lines.push(`${level} ${message}`)
      const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
      const one = new ScriptedLlm({ answers: [[{ fail: new Error('busy') }], 'ok'] })
      const llm = fallbackLlm([one, new ScriptedLlm({ answers: ['Two.'] })], {
        onChange: () => {
          throw new Error('broken listener')
        },
      })
      const { scope, ...context } = partContext(world)
      const client = await llm.open({ ...context, scope, logger })
      for await (const chunk of client.generate(request, unaborted())) expect(textOf(chunk)).toBe('Two.')
      await world.clock.elapse(10_000)
      expect(lines).toEqual([
        'warn model failed, using the next',
        'error onChange threw',
        'info model works again',
        'error onChange threw',
      ])
      await scope.close()
    }))
})
