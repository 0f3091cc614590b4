import { describe, expect, it } from 'vitest'
import { ScriptedLlm, inVirtualTime, partContext, type World } from '../../testing/index.ts'
import { type Llm, type LlmChunk, type LlmClient, type LlmRequest, type PartContext } from '../index.ts'
import { fallbackLlm, type FallbackChange, type FallbackOptions } from './index.ts'

const request: LlmRequest = { instructions: '', messages: [], tools: [] }
const unaborted = (): AbortSignal => new AbortController().signal

interface Opened {
  readonly client: LlmClient
  readonly context: PartContext
  readonly changes: FallbackChange[]
  readonly ask: (signal?: AbortSignal) => Promise<string>
}

async function open(world: World, models: readonly Llm[], options: FallbackOptions = {}): Promise<Opened> {
  const changes: FallbackChange[] = []
  const context = partContext(world)
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
  it('[FB1] uses the first model, and opens the others only when needed', () =>
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
  ])('[FB1] uses the next model when one %s', (_, options, after) =>
    inVirtualTime(async (world) => {
      const one = new ScriptedLlm({ name: 'one', ...options })
      const two = new ScriptedLlm({ name: 'two', answers: ['Two.', 'Again.'] })
      const { context, changes, ask } = await open(world, [one, two])
      expect(await ask()).toBe('Two.')
      expect(world.clock.now()).toBe(after)
      expect(changes.map(({ type, model }) => `${model} ${type}`)).toEqual(['one failed'])
      // The failure is remembered: the next request goes straight to the second model.
      const asked = one.counts.asked + one.generations.length
      expect(await ask()).toBe('Again.')
      expect(one.counts.asked + one.generations.length).toBe(asked)
      await context.scope.close()
      expect(one.counts.live + two.counts.live).toBe(0)
    }),
  )

  it('[FB1] does not switch models in the middle of an answer', () =>
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

  it('[FB2] stops when it is cancelled, which does not count as a failure of the model', () =>
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

  it('[FB1] opens a model again if the request that opened it was cancelled meanwhile', () =>
    inVirtualTime(async (world) => {
      const manners = { name: 'one', answers: [[{ fail: new Error('busy') }], 'One.'], openHangs: false }
      const one = new ScriptedLlm(manners)
      const { context, ask } = await open(world, [one], { coolDown: 0 })
      await expect(ask()).rejects.toThrow('busy')
      manners.openHangs = true
      const stop = new AbortController()
      world.clock.happen(50, 'interrupts', () => stop.abort('interrupted'))
      await expect(ask(stop.signal)).rejects.toBe('interrupted')
      manners.openHangs = false
      expect(await ask()).toBe('One.')
      expect(world.clock.now()).toBe(50)
      await context.scope.close()
    }))

  it('[FB3] throws all errors when all models have failed, and tries all of them for the next request', () =>
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
      expect(await ask()).toBe('One again.')
      expect(changes.map(({ type, model, coolDown }) => [model, type, coolDown])).toEqual([
        ['one', 'failed', 30_000],
        ['two', 'failed', 30_000],
        ['one', 'failed', 60_000],
        ['two', 'failed', 60_000],
        ['one', 'recovered', undefined],
      ])
      expect(context.scope.inspect().tree.owned).toEqual([])
      await context.scope.close()
      const bad = new ScriptedLlm({ openFails: new Error('no key') })
      await expect(open(world, [bad, bad])).rejects.toMatchObject({ code: 'ALL_FAILED' })
    }))
})

describe('a failed model of a fallback', () => {
  it('[FB2] is asked last in other calls, too, and first again once its cool-down has passed', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedLlm({ name: 'one', answers: [[{ fail: new Error('busy') }], 'One.', 'One.'] })
      const two = new ScriptedLlm({ name: 'two', answers: () => 'Two.' })
      const changes: string[] = []
      const llm = fallbackLlm([one, two], {
        coolDown: 1_000,
        onChange: ({ type, model, coolDown }) => changes.push(`${model} ${type} ${coolDown}`),
      })
      const ask = async (): Promise<string> => {
        const context = partContext(world)
        let text = ''
        const client = await llm.open(context)
        for await (const chunk of client.generate(request, unaborted())) text += textOf(chunk)
        await context.scope.close()
        return text
      }
      expect(await ask()).toBe('Two.')
      await world.clock.elapse(400)
      expect(await ask()).toBe('Two.')
      expect(one.generations).toHaveLength(1)
      await world.clock.elapse(600)
      expect(await ask()).toBe('One.')
      expect(await ask()).toBe('One.')
      expect(changes).toEqual(['one failed 1000', 'one passed-over 600', 'one recovered undefined'])
      expect(world.clock.timers.list()).toEqual([])
    }))

  it('[FB3] is tried by one call when its cool-down has passed, while the others use the next', () =>
    inVirtualTime(async (world) => {
      const slow = [{ wait: 2_000 }, 'One.']
      const one = new ScriptedLlm({ name: 'one', answers: [[{ fail: new Error('busy') }], slow, 'One.'] })
      const two = new ScriptedLlm({ name: 'two', answers: () => 'Two.' })
      const { context, ask } = await open(world, [one, two], { coolDown: 1_000 })
      expect(await ask()).toBe('Two.')
      await world.clock.elapse(1_000)
      const first = ask()
      await world.clock.elapse(100)
      expect(await ask()).toBe('Two.')
      expect(await first).toBe('One.')
      expect(await ask()).toBe('One.')
      await context.scope.close()
    }))

  it('[FB2] is not blamed for a request that it refused as wrong', () =>
    inVirtualTime(async (world) => {
      const refuse = (status: number) => [{ fail: Object.assign(new Error('refused'), { status }) }]
      const one = new ScriptedLlm({ name: 'one', answers: [refuse(400), refuse(422), 'One.', refuse(401)] })
      const two = new ScriptedLlm({ name: 'two', answers: () => 'Two.' })
      const { context, changes, ask } = await open(world, [one, two])
      expect([await ask(), await ask(), await ask()]).toEqual(['Two.', 'Two.', 'One.'])
      expect(changes).toEqual([])
      expect(await ask()).toBe('Two.')
      expect(changes).toMatchObject([{ type: 'failed', model: 'one' }])
      await context.scope.close()
    }))

  it('still completes the answer to an earlier request', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedLlm({
        name: 'one',
        answers: [['Slow ', { wait: 500 }, 'answer.'], [{ fail: new Error('busy') }]],
      })
      const two = new ScriptedLlm({ name: 'two', answers: ['Two.'] })
      const { context, ask } = await open(world, [one, two])
      const slow = ask()
      await world.clock.elapse(10)
      expect(await ask()).toBe('Two.')
      expect(await slow).toBe('Slow answer.')
      await world.clock.elapse(0)
      expect(one.counts).toMatchObject({ closed: 1, live: 0 })
      await context.scope.close()
    }))

  it('[FB4] is logged in each call that fails with it or passes it over, whatever `onChange` throws', () =>
    inVirtualTime(async (world) => {
      const lines: string[] = []
      const log =
        (level: string) =>
        ({ model, coolDown }: { model?: string; coolDown?: number }, message: string) =>
          void lines.push(`${level} ${model} ${message} ${coolDown}`)
      const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
      const one = new ScriptedLlm({ name: 'one', answers: [[{ fail: new Error('busy') }], 'One.'] })
      const llm = fallbackLlm([one, new ScriptedLlm({ answers: () => 'Two.' })], {
        onChange: () => {
          throw new Error('broken listener')
        },
      })
      const { scope, ...context } = partContext(world)
      const ask = async (client: LlmClient): Promise<void> => {
        for await (const chunk of client.generate(request, unaborted())) expect(textOf(chunk)).toBeTruthy()
      }
      const client = await llm.open({ ...context, scope, logger })
      await ask(client)
      await ask(client)
      // Another call, which notices it once.
      const other = await llm.open({ ...context, scope, logger })
      await ask(other)
      await ask(other)
      await world.clock.elapse(30_000)
      await ask(other)
      const threw = 'error undefined onChange threw undefined'
      expect(lines).toEqual([
        'warn one model failed, using the next 30000',
        threw,
        'info one model passed over, because it failed lately 30000',
        threw,
        'info one model works again undefined',
        threw,
      ])
      await scope.close()
    }))
})
