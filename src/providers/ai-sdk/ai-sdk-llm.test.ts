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

/** A model that answers with the given steps and ignores its signal. */
class StubModel implements LanguageModel {
  readonly specificationVersion = 'v3'
  readonly provider = 'stub'
  readonly modelId = 'one'
  readonly calls: CallOptions[] = []
  cancelled = 0
  readonly #steps: readonly Step[]
  #release: (() => void) | undefined

  constructor(...steps: readonly Step[]) {
    this.#steps = steps
  }

  /** Holds the next response back. Returns a function that releases it. */
  hold(): () => void {
    this.#release = () => {}
    return () => this.#release?.()
  }

  async doStream(options: CallOptions): Promise<{ stream: PartStream }> {
    this.calls.push(options)
    if (this.#release) await new Promise<void>((resolve) => (this.#release = resolve))
    const steps = [...this.#steps]
    const read = async (): Promise<{ done: boolean; value?: Part }> => {
      const step = steps.shift()
      if (step === 'hang') await new Promise(() => {})
      if (step instanceof Error) throw step
      return step === undefined ? { done: true } : { done: false, value: step as Part }
    }
    const cancel = async (): Promise<void> => {
      this.cancelled++
      throw new Error('this stream cannot be cancelled')
    }
    return { stream: { getReader: () => ({ read, cancel }) } }
  }
}

interface Generated {
  readonly chunks: LlmChunk[]
  readonly error?: unknown
  readonly warnings: string[]
}

async function generate(world: World, model: LanguageModel, options?: AiSdkLlmOptions): Promise<Generated> {
  const warnings: string[] = []
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (_: object, message: string) => warnings.push(message),
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

describe('the answer of an AI SDK model', () => {
  it('[FA7] refuses the name of a model, which only the gateway of the SDK understands', () => {
    expect(() => new AiSdkLlm('openai/gpt-5.4-mini' as never)).toThrow(
      "AiSdkLlm needs a model object of a provider, such as openai.chat('gpt-5.4-mini'), not the name 'openai/gpt-5.4-mini'",
    )
    expect(() => new AiSdkLlm(undefined as never)).toThrow('AiSdkLlm needs a model object')
  })

  it('contains its text and tool calls, and ignores all other parts', () =>
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
      const { chunks, error } = await generate(world, model)
      expect(error).toBeUndefined()
      expect(chunks).toEqual([
        { type: 'text', text: 'Good ' },
        { type: 'text', text: 'morning.' },
        { type: 'tool-call', id: 'a', name: 'find', input: '{"day":' },
      ])
    }))

  it.each<[version: string, usage: unknown, expected: unknown]>([
    ['2', { inputTokens: 5, outputTokens: 2, totalTokens: 7, cachedInputTokens: 1 }, [5, 2, 1]],
    ['2 without counts', { inputTokens: undefined, outputTokens: undefined }, undefined],
    ['3', { inputTokens: { total: 5, cacheRead: 1 }, outputTokens: { total: 2 } }, [5, 2, 1]],
    ['4 without output counts', { inputTokens: { total: 5 }, outputTokens: {} }, [5, undefined, undefined]],
    ['4 without usage', undefined, undefined],
  ])('reports its usage in the format of version %s', (_, usage, expected) =>
    inVirtualTime(async (world) => {
      const { chunks } = await generate(world, new StubModel(text('Yes.'), finish('stop', usage)))
      const [last] = chunks.flatMap((chunk) => (chunk.type === 'usage' ? [chunk.usage] : []))
      const counts = last && [last.inputTokens, last.outputTokens, last.cachedTokens]
      expect(counts).toEqual(expected)
    }),
  )

  it('ends soon after its finish part although its stream never ends', () =>
    inVirtualTime(async (world) => {
      const model = new StubModel(text('Yes.'), finish(), 'hang')
      const { chunks, error } = await generate(world, model)
      expect(error).toBeUndefined()
      expect(chunks).toEqual([{ type: 'text', text: 'Yes.' }])
      expect(world.clock.now()).toBe(100)
      expect(model.cancelled).toBe(1)
    }))

  it('is not failed by an error after its finish part', () =>
    inVirtualTime(async (world) => {
      const { error } = await generate(
        world,
        new StubModel(text('Yes.'), finish(), new Error('too late to matter')),
      )
      expect(error).toBeUndefined()
      expect(world.clock.now()).toBe(0)
    }))

  it.each<[what: string, steps: readonly Step[], fields: { message: string; retryable: boolean }]>([
    [
      'breaks off before its finish part',
      [text('Well, ')],
      {
        message:
          'stub one failed: its answer broke off before the end. Try again later, or configure a fallback',
        retryable: true,
      },
    ],
    [
      'is blocked by a content filter',
      [text('Well, '), finish({ unified: 'content-filter', raw: 'x' })],
      { message: 'stub one failed: its content filter blocked the answer', retryable: false },
    ],
    [
      'reaches the token limit before any text',
      [{ type: 'reasoning-delta', id: '0', delta: 'Hm.' }, finish('length')],
      {
        message: 'stub one failed: it used up its tokens before it said anything: raise maxOutputTokens',
        retryable: false,
      },
    ],
    [
      'finishes with an unexplained error',
      [finish('error')],
      {
        message: 'stub one failed: it could not finish its answer. Try again later, or configure a fallback',
        retryable: true,
      },
    ],
    [
      'is empty and has no finish reason',
      [finish('unknown')],
      {
        message:
          'stub one failed: its answer was empty and had no finish reason. Try again later, or configure a fallback',
        retryable: true,
      },
    ],
    [
      'contains an error part',
      [
        text('Well, '),
        { type: 'error', error: { message: 'no capacity', type: 'x' } },
        text('no.'),
        finish(),
      ],
      { message: 'stub one failed: no capacity', retryable: false },
    ],
    [
      'contains an error part without a message',
      [{ type: 'error', error: undefined }],
      { message: 'stub one failed: it gave no reason', retryable: false },
    ],
    [
      'contains text that is not a string',
      [text('Well, '), { type: 'text-delta', id: '0', delta: { length: 4 } }, finish()],
      { message: 'stub one failed: it sent a malformed stream part', retryable: false },
    ],
    [
      'loses its connection',
      [text('Well, '), new TypeError('terminated', { cause: new Error('other side closed') })],
      {
        message: 'stub one failed: terminated. Try again later, or configure a fallback',
        retryable: true,
      },
    ],
  ])('fails when it %s', (_, steps, expected) =>
    inVirtualTime(async (world) => {
      const { error } = await generate(world, new StubModel(...steps))
      expect(error).toMatchObject({ code: 'PROVIDER_FAILED', ...expected })
    }),
  )

  it.each<[what: string, reason: unknown, warning: string]>([
    [
      'was cut off at the token limit',
      'length',
      'the answer was cut off at the token limit: raise maxOutputTokens',
    ],
    [
      'ended without a finish reason',
      { unified: 'other', raw: undefined },
      'the answer ended without a finish reason and may be incomplete',
    ],
  ])('is kept when it %s, and a warning is logged', (_, reason, warning) =>
    inVirtualTime(async (world) => {
      const { chunks, error, warnings } = await generate(world, new StubModel(text('Well, '), finish(reason)))
      expect(error).toBeUndefined()
      expect(chunks).toEqual([{ type: 'text', text: 'Well, ' }])
      expect(warnings).toEqual([warning])
    }),
  )
})

describe('an AI SDK model that ignores its signal', () => {
  it('is abandoned at once, and its late stream is cancelled', () =>
    inVirtualTime(async (world) => {
      const model = new StubModel(text('Yes.'), finish())
      const release = model.hold()
      const context = partContext(world)
      const client = await new AiSdkLlm(model).open(context)
      const stop = new AbortController()
      const answer = client.generate(request, stop.signal)[Symbol.asyncIterator]().next()
      stop.abort('interrupted')
      await expect(answer).rejects.toBe('interrupted')
      expect(model.calls[0]?.abortSignal.aborted).toBe(true)
      expect(model.cancelled).toBe(0)
      release()
      await world.clock.elapse(0)
      expect(model.cancelled).toBe(1)
      await context.scope.close()
    }))

  it('sees its signal abort synchronously when its scope starts to close', () =>
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

describe('a request to an AI SDK model', () => {
  it('passes on the options that were set, and no others', () =>
    inVirtualTime(async (world) => {
      const model = new StubModel(finish())
      await generate(world, model)
      expect(Object.keys(model.calls[0] ?? {}).toSorted()).toEqual(['abortSignal', 'prompt'])
      const providerOptions = { openai: { reasoningEffort: 'low' } }
      await generate(world, model, { name: 'desk', temperature: 0.2, maxOutputTokens: 99, providerOptions })
      expect(model.calls[1]).toMatchObject({ temperature: 0.2, maxOutputTokens: 99, providerOptions })
      expect(model.calls[1]).not.toHaveProperty('name')
      expect(new AiSdkLlm(model).name).toBe('stub one')
      expect(new AiSdkLlm(model, { name: 'desk' }).name).toBe('desk')
    }))

  it('never exposes the model, which holds the key', () => {
    const model = Object.assign(new StubModel(), { apiKey: 'sk-secret' })
    const llm = new AiSdkLlm(model)
    expect(inspect(llm, { depth: 9, showHidden: true }) + JSON.stringify(llm)).not.toContain('sk-secret')
  })
})
