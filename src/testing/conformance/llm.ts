import assert from 'node:assert/strict'
import type { Llm, LlmChunk, LlmClient, LlmRequest, ToolDescription } from '../../parts/index.ts'
import { check, type Check } from './check.ts'
import { close, lifecycle, type Openable } from './lifecycle.ts'
import type { Stage } from './stage.ts'
import { takeSoon } from './take.ts'

/** An LLM, and control over its answers. */
export interface LlmSubject extends Openable {
  readonly llm: Llm
  /** Sets the answer to the next request. With `hangs`, the answer never ends. */
  answers(chunks: readonly LlmChunk[], hangs?: boolean): void
  /** Makes the next request fail after these chunks. */
  fails?(after: readonly LlmChunk[]): void
}

const REASON = new Error('interrupted')
const unaborted = (): AbortSignal => new AbortController().signal
const request: LlmRequest = {
  instructions: 'You answer the phone.',
  messages: [{ role: 'user', text: 'Good morning.' }],
  tools: [],
}
const words: readonly LlmChunk[] = ['Good ', 'morning ', 'to ', 'you.'].map((text) => ({
  type: 'text',
  text,
}))
const textOf = (chunks: readonly LlmChunk[]): string =>
  chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('')

const openClient = (stage: Stage, { llm }: LlmSubject, context = stage.context()): Promise<LlmClient> =>
  stage.soon(llm.open(context), 'opening')

/** The checks for every `Llm`. */
export const llmConformance: readonly Check<LlmSubject>[] = [
  ...lifecycle<LlmSubject>(({ llm }, context) => llm.open(context)),

  check('yields the text of an answer in order, and ends', async (stage, subject) => {
    const client = await openClient(stage, subject)
    subject.answers(words)
    const { values, error } = await takeSoon(stage, client.generate(request, unaborted()))
    assert.equal(error, undefined)
    assert.equal(textOf(values), 'Good morning to you.')
  }),

  check('yields tool calls as the model wrote them, even with invalid JSON', async (stage, subject) => {
    const client = await openClient(stage, subject)
    const calls: readonly LlmChunk[] = [
      { type: 'tool-call', id: 'a', name: 'find', input: '{"day":"Monday"}' },
      { type: 'tool-call', id: 'b', name: 'find', input: '{"day":' },
    ]
    subject.answers([...words, ...calls])
    const { values } = await takeSoon(stage, client.generate(request, unaborted()))
    assert.deepEqual(
      values.filter(({ type }) => type === 'tool-call'),
      calls,
    )
  }),

  check('ends when the answer is empty', async (stage, subject) => {
    const client = await openClient(stage, subject)
    subject.answers([])
    const { values, error } = await takeSoon(stage, client.generate(request, unaborted()))
    assert.equal(error, undefined)
    assert.equal(textOf(values), '')
  }),

  check('answers two requests at the same time', async (stage, subject) => {
    const client = await openClient(stage, subject)
    subject.answers(words)
    subject.answers(words)
    const both = await Promise.all([
      takeSoon(stage, client.generate(request, unaborted())),
      takeSoon(stage, client.generate(request, unaborted())),
    ])
    for (const { values } of both) assert.equal(textOf(values), 'Good morning to you.')
  }),

  check('throws the reason when its signal aborts, and yields nothing afterwards', async (stage, subject) => {
    const client = await openClient(stage, subject)
    subject.answers(words, true)
    const stop = new AbortController()
    const { values, error } = await takeSoon(stage, client.generate(request, stop.signal), () =>
      stop.abort(REASON),
    )
    assert.equal(error, REASON)
    assert.equal(values.length, 1)
  }),

  check('stops at once when its signal aborts while the model is silent', async (stage, subject) => {
    const client = await openClient(stage, subject)
    subject.answers([], true)
    const stop = new AbortController()
    const answer = takeSoon(stage, client.generate(request, stop.signal))
    await stage.elapse(1_000)
    stop.abort(REASON)
    const before = stage.clock.now()
    assert.equal((await answer).error, REASON)
    const took = stage.clock.now() - before
    assert.ok(took <= 500 + stage.slack, `stopping took ${took} ms`)
  }),

  check('does not start if its signal has already aborted', async (stage, subject) => {
    const client = await openClient(stage, subject)
    subject.answers(words)
    const { values, error } = await takeSoon(stage, client.generate(request, AbortSignal.abort(REASON)))
    assert.equal(error, REASON)
    assert.deepEqual(values, [])
  }),

  check('answers again after an answer was left in the middle', async (stage, subject) => {
    const context = stage.context()
    const client = await openClient(stage, subject, context)
    subject.answers(words)
    for await (const chunk of client.generate(request, unaborted())) if (chunk) break
    subject.answers(words)
    const { values } = await takeSoon(stage, client.generate(request, unaborted()))
    assert.equal(textOf(values), 'Good morning to you.')
    await close(stage, context)
  }),

  check(
    'ends its answers with an error when its scope closes, and leaves nothing behind',
    async (stage, subject) => {
      const context = stage.context()
      const client = await openClient(stage, subject, context)
      subject.answers(words, true)
      const answer = takeSoon(stage, client.generate(request, unaborted()))
      await stage.elapse(100)
      await close(stage, context)
      assert.notEqual((await answer).error, undefined)
      stage.assertEmpty(context)
    },
  ),

  check('ends synchronously on abort() in the middle of an answer', async (stage, subject) => {
    const context = stage.context()
    const client = await openClient(stage, subject, context)
    subject.answers(words, true)
    const answer = takeSoon(stage, client.generate(request, unaborted()))
    await stage.elapse(100)
    context.scope.abort()
    stage.assertEmpty(context)
    assert.notEqual((await answer).error, undefined)
  }),

  check('does not answer after its scope has closed', async (stage, subject) => {
    const context = stage.context()
    const client = await openClient(stage, subject, context)
    await close(stage, context)
    subject.answers(words)
    const { values, error } = await takeSoon(stage, client.generate(request, unaborted()))
    assert.notEqual(error, undefined)
    assert.deepEqual(values, [])
    stage.assertEmpty(context)
  }),

  check('survives a tool whose schema throws', async (stage, subject) => {
    const context = stage.context()
    const client = await openClient(stage, subject, context)
    const broken: ToolDescription = {
      name: 'broken',
      description: 'Its schema throws',
      get parameters(): never {
        throw new TypeError('no schema')
      },
    }
    subject.answers(words)
    // The model may ignore the schema and answer, or throw. It must not hang, and must answer the next request.
    const first = await takeSoon(stage, client.generate({ ...request, tools: [broken] }, unaborted()))
    if (first.error !== undefined) assert.equal(first.values.length, 0)
    else subject.answers(words)
    const { values } = await takeSoon(stage, client.generate(request, unaborted()))
    assert.equal(textOf(values), 'Good morning to you.')
    await close(stage, context)
  }),

  check('throws when the model fails, before or after the first chunk', async (stage, subject) => {
    if (!subject.fails) return 'the subject cannot be made to fail'
    const client = await openClient(stage, subject)
    for (const after of [[], words.slice(0, 1)]) {
      subject.fails(after)
      const { values, error } = await takeSoon(stage, client.generate(request, unaborted()))
      assert.notEqual(error, undefined)
      assert.equal(textOf(values), textOf(after))
    }
    return undefined
  }),
]
