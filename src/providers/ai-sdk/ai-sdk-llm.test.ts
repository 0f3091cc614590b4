import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { LlmChunk, LlmRequest } from '../../parts/index.ts'
import { inVirtualTime, partContext, type World } from '../../testing/index.ts'
import {
  AiSdkLlm,
  type AiSdkLlmOptions,
  type CallOptions,
  type LanguageModel,
  type PartStream,
} from './index.ts'

type Part = { readonly type: string; readonly [field: string]: unknown }
type Step = Part | Error | 'hang'

const request: LlmRequest = {
  instructions: 'You answer the phone.',
  messages: [{ role: 'user', text: 'Good morning.' }],
  tools: [],
}
const unaborted = (): AbortSignal => new AbortController().signal
const text = (delta: string): Part => ({ type: 'text-delta', id: '0', delta })
const finish = (finishReason: unknown = 'stop', usage: unknown = {}): Part => ({
  type: 'finish',
  finishReason,
  usage,
})

/** A model that answers so, and heeds no signal. */
class StubModel implements LanguageModel {
  readonly specificationVersion = 'v3'
  readonly provider = 'stub'
  readonly modelId = 'one'
  readonly calls: CallOptions[] = []
  cancelled = 0
  readonly #steps: readonly Step[]
  #begin: (() => void) | undefined

  constructor(...steps: readonly Step[]) {
    this.#steps = steps
  }

  /** From here on a request is answered when it is told to. */
  late(): () => void {
    this.#begin = () => {}
    return () => this.#begin?.()
  }

  async doStream(options: CallOptions): Promise<{ stream: PartStream }> {
    this.calls.push(options)
    if (this.#begin) await new Promise<void>((resolve) => (this.#begin = resolve))
    const steps = [...this.#steps]
    const read = async (): Promise<{ done: boolean; value?: Part }> => {
      const step = steps.shift()
      if (step === 'hang') await new Promise(() => {})
      if (step instanceof Error) throw step
      return step === undefined ? { done: true } : { done: false, value: step as Part }
    }
    const cancel = async (): Promise<void> => {
      this.cancelled++
      throw new Error('it cannot be cancelled')
    }
    return { stream: { getReader: () => ({ read, cancel }) } }
  }
}

interface Asked {
  readonly chunks: LlmChunk[]
  readonly error?: unknown
  readonly warnings: string[]
}

async function ask(world: World, model: LanguageModel, options?: AiSdkLlmOptions): Promise<Asked> {
  const warnings: string[] = []
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (_: object, words: string) => warnings.push(words),
  }
  const context = partContext(world, { logger })
  const client = await new AiSdkLlm(model, options).open(context)
  const chunks: LlmChunk[] = []
  try {
    for await (const chunk of client.generate(request, unaborted())) chunks.push(chunk)
    return { chunks, warnings }
  } catch (error) {
    return { chunks, error, warnings }
  } finally {
    expect(context.scope.inspect().tree.owned).toEqual([])
    await context.scope.close()
    expect(world.clock.timers.list()).toEqual([])
  }
}

describe('an answer of a model of the AI SDK', () => {
  it('has its text and its tool calls, and nothing of what is for others', () =>
    inVirtualTime(async (world) => {
      const call = { type: 'tool-call', toolCallId: 'a', toolName: 'find', input: '{"day":' }
      const model = new StubModel(
        { type: 'stream-start', warnings: [] },
        { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
        text('Good '),
        text(''),
        text('morning.'),
        { ...call, providerExecuted: true },
        call,
        { type: 'something-new' },
        finish('tool-calls'),
      )
      const { chunks, error } = await ask(world, model)
      expect(error).toBeUndefined()
      expect(chunks).toEqual([
        { type: 'text', text: 'Good ' },
        { type: 'text', text: 'morning.' },
        { type: 'tool-call', id: 'a', name: 'find', input: '{"day":' },
      ])
    }))

  it.each<[version: string, usage: unknown, expected: unknown]>([
    ['2', { inputTokens: 5, outputTokens: 2, totalTokens: 7, cachedInputTokens: 1 }, [5, 2, 1]],
    ['2, which tells nothing', { inputTokens: undefined, outputTokens: undefined }, undefined],
    ['3', { inputTokens: { total: 5, cacheRead: 1 }, outputTokens: { total: 2 } }, [5, 2, 1]],
    ['4, which tells little', { inputTokens: { total: 5 }, outputTokens: {} }, [5, undefined, undefined]],
    ['none', undefined, undefined],
  ])('tells what was used, in the words of version %s', (_, usage, expected) =>
    inVirtualTime(async (world) => {
      const { chunks } = await ask(world, new StubModel(text('Yes.'), finish('stop', usage)))
      const [last] = chunks.flatMap((chunk) => (chunk.type === 'usage' ? [chunk.usage] : []))
      const told = last && [last.inputTokens, last.outputTokens, last.cachedTokens]
      expect(told).toEqual(expected)
    }),
  )

  it('has ended when the model has finished, although its stream never ends', () =>
    inVirtualTime(async (world) => {
      const model = new StubModel(text('Yes.'), finish(), 'hang')
      const { chunks, error } = await ask(world, model)
      expect(error).toBeUndefined()
      expect(chunks).toEqual([{ type: 'text', text: 'Yes.' }])
      expect(world.clock.now()).toBe(100)
      expect(model.cancelled).toBe(1)
    }))

  it('is read to its end, so that its connection can be used again, and nobody waits for that', () =>
    inVirtualTime(async (world) => {
      const { error } = await ask(
        world,
        new StubModel(text('Yes.'), finish(), new Error('too late to matter')),
      )
      expect(error).toBeUndefined()
      expect(world.clock.now()).toBe(0)
    }))

  it.each<[what: string, steps: readonly Step[], fields: { message: string; retryable: boolean }]>([
    [
      'breaks off without having finished',
      [text('Well, ')],
      {
        message: 'stub one failed: its answer broke off. Try again later, or have another to fall back on',
        retryable: true,
      },
    ],
    [
      'is held back by a filter',
      [text('Well, '), finish({ unified: 'content-filter', raw: 'x' })],
      { message: 'stub one failed: its content filter has held the answer back', retryable: false },
    ],
    [
      'used up its tokens before it said anything',
      [{ type: 'reasoning-delta', id: '0', delta: 'Hm.' }, finish('length')],
      {
        message: 'stub one failed: it used up all tokens before it said anything: raise maxOutputTokens',
        retryable: false,
      },
    ],
    [
      'ends with an error that it does not explain',
      [finish('error')],
      {
        message:
          'stub one failed: it could not finish its answer. Try again later, or have another to fall back on',
        retryable: true,
      },
    ],
    [
      'is empty, and gives no reason',
      [finish('unknown')],
      {
        message:
          'stub one failed: its answer was empty, and it gave no reason. Try again later, or have another to fall back on',
        retryable: true,
      },
    ],
    [
      'has an error in the middle',
      [
        text('Well, '),
        { type: 'error', error: { message: 'no capacity', type: 'x' } },
        text('no.'),
        finish(),
      ],
      { message: 'stub one failed: no capacity', retryable: false },
    ],
    [
      'has an error without words',
      [{ type: 'error', error: undefined }],
      { message: 'stub one failed: it does not say why', retryable: false },
    ],
    [
      'loses its connection',
      [text('Well, '), new TypeError('terminated', { cause: new Error('other side closed') })],
      {
        message: 'stub one failed: terminated. Try again later, or have another to fall back on',
        retryable: true,
      },
    ],
  ])('fails when it %s', (_, steps, expected) =>
    inVirtualTime(async (world) => {
      const { error } = await ask(world, new StubModel(...steps))
      expect(error).toMatchObject({ code: 'PROVIDER_FAILED', ...expected })
    }),
  )

  it.each<[what: string, reason: unknown, warning: string]>([
    [
      'was cut off for its length',
      'length',
      'the answer was cut off: it reached the largest number of tokens',
    ],
    [
      'ended without a reason',
      { unified: 'other', raw: undefined },
      'the answer ended without a reason: it may be incomplete',
    ],
  ])('stands when it %s, and the log says so', (_, reason, warning) =>
    inVirtualTime(async (world) => {
      const { chunks, error, warnings } = await ask(world, new StubModel(text('Well, '), finish(reason)))
      expect(error).toBeUndefined()
      expect(chunks).toEqual([{ type: 'text', text: 'Well, ' }])
      expect(warnings).toEqual([warning])
    }),
  )
})

describe('a model that ignores its signal', () => {
  it('is left at once, and its stream is thrown away when it comes', () =>
    inVirtualTime(async (world) => {
      const model = new StubModel(text('Yes.'), finish())
      const begin = model.late()
      const context = partContext(world)
      const client = await new AiSdkLlm(model).open(context)
      const stop = new AbortController()
      const answer = client.generate(request, stop.signal)[Symbol.asyncIterator]().next()
      stop.abort('interrupted')
      await expect(answer).rejects.toBe('interrupted')
      expect(model.calls[0]?.abortSignal.aborted).toBe(true)
      expect(model.cancelled).toBe(0)
      begin()
      await world.clock.elapse(0)
      expect(model.cancelled).toBe(1)
      await context.scope.close()
    }))

  it('is told that its scope is closing before anything is waited for', () =>
    inVirtualTime(async (world) => {
      const model = new StubModel('hang')
      const context = partContext(world)
      const client = await new AiSdkLlm(model).open(context)
      const answer = client.generate(request, unaborted())[Symbol.asyncIterator]().next()
      await world.clock.elapse(10)
      const closing = context.scope.close({ reason: 'hung up' })
      expect(model.calls[0]?.abortSignal.aborted).toBe(true)
      await expect(answer).rejects.toThrow('hung up')
      expect((await closing).clean).toBe(true)
    }))
})

describe('the request to a model of the AI SDK', () => {
  it('has the options, and no more than that', () =>
    inVirtualTime(async (world) => {
      const model = new StubModel(finish())
      await ask(world, model)
      expect(Object.keys(model.calls[0] ?? {}).toSorted()).toEqual(['abortSignal', 'prompt'])
      const providerOptions = { openai: { reasoningEffort: 'low' } }
      await ask(world, model, { name: 'desk', temperature: 0.2, maxOutputTokens: 99, providerOptions })
      expect(model.calls[1]).toMatchObject({ temperature: 0.2, maxOutputTokens: 99, providerOptions })
      expect(model.calls[1]).not.toHaveProperty('name')
      expect(new AiSdkLlm(model).name).toBe('stub one')
      expect(new AiSdkLlm(model, { name: 'desk' }).name).toBe('desk')
    }))

  it('shows nothing of the model, which knows the key', () => {
    const model = Object.assign(new StubModel(), { apiKey: 'sk-secret' })
    const llm = new AiSdkLlm(model)
    expect(inspect(llm, { depth: 9, showHidden: true }) + JSON.stringify(llm)).not.toContain('sk-secret')
  })
})
