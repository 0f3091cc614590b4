import { inspect } from 'node:util'
import { createOpenAI as version3 } from '@ai-sdk/openai'
import { createOpenAI as version2 } from 'ai-sdk-openai-2'
import { createOpenAI as version4 } from 'ai-sdk-openai-4'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { LlmChunk, LlmClient, LlmRequest } from '../../../src/parts/index.ts'
import { AiSdkLlm, ProviderError, type AiSdkLlmOptions } from '../../../src/providers/ai-sdk/index.ts'
import { systemClock, systemRandom } from '../../../src/scope/index.ts'
import { partContext, type TestPartContext } from '../../../src/testing/index.ts'
import { ChatServer, type ChatAnswer } from '../../../src/testing/servers/index.ts'
import { Chat, KEY, type MakeModel } from './fixture.ts'

const versions: [name: string, model: MakeModel][] = [
  ['v2', (settings) => version2(settings).chat('any')],
  ['v3', (settings) => version3(settings).chat('any')],
  ['v4', (settings) => version4(settings).chat('any')],
]

const request: LlmRequest = {
  instructions: 'You answer the phone.',
  messages: [{ role: 'user', text: 'Good morning.' }],
  tools: [],
}
const unaborted = (): AbortSignal => new AbortController().signal

let all: Chat

beforeAll(async () => {
  all = await Chat.listen()
})

beforeEach(() => {
  all.chat = new ChatServer({ key: KEY })
})

afterAll(() => all.server.close())

interface Opened {
  readonly context: TestPartContext
  readonly client: LlmClient
  [Symbol.asyncDispose](): Promise<void>
}

async function open(model: MakeModel, options?: AiSdkLlmOptions, apiKey = KEY): Promise<Opened> {
  const context = partContext({ clock: systemClock, random: systemRandom })
  const client = await new AiSdkLlm(model({ ...all.settings, apiKey }), options).open(context)
  return {
    context,
    client,
    async [Symbol.asyncDispose]() {
      await context.scope.close()
    },
  }
}

async function take(chunks: AsyncIterable<LlmChunk>): Promise<{ chunks: LlmChunk[]; error?: unknown }> {
  const taken: LlmChunk[] = []
  try {
    for await (const chunk of chunks) taken.push(chunk)
    return { chunks: taken }
  } catch (error) {
    return { chunks: taken, error }
  }
}

const requestOpen = (): Promise<void> => all.chat.until(() => all.chat.open > 0)
/** Waits until the server has seen the end of every request. */
const allEnded = (): Promise<void> => all.chat.until(() => all.chat.open === 0)

describe.each(versions)('an AI SDK model, %s', (_, model) => {
  it('streams text and reports its usage', async () => {
    await using opened = await open(model)
    all.chat.answers(['Good ', { thinks: 'Hm.' }, 'morning.'])
    const { chunks, error } = await take(opened.client.generate(request, unaborted()))
    expect(error).toBeUndefined()
    expect(chunks).toEqual([
      { type: 'text', text: 'Good ' },
      { type: 'text', text: 'morning.' },
      { type: 'usage', usage: { inputTokens: 2, outputTokens: 3, cachedTokens: 1 } },
    ])
  })

  it("sends the conversation, the tools and the options in the vendor's format", async () => {
    await using opened = await open(model, {
      temperature: 0.5,
      maxOutputTokens: 50,
      providerOptions: { openai: { user: 'caller-1' } },
    })
    all.chat.answers(['Yes.'])
    const parameters = { type: 'object', properties: { day: { type: 'string' } } }
    const conversation: LlmRequest = {
      ...request,
      messages: [
        { role: 'user', text: 'Monday?' },
        { role: 'agent', text: 'One moment.' },
        { role: 'tool-call', id: 'a', name: 'find', input: '{"day":"Monday"}' },
        { role: 'tool-result', id: 'a', name: 'find', output: 'at nine', failed: false },
        { role: 'tool-call', id: 'b', name: 'book', input: '{"at":' },
        { role: 'tool-result', id: 'b', name: 'book', output: 'wrong input', failed: true },
      ],
      tools: [{ name: 'find', description: 'Finds a slot', parameters }],
    }
    await take(opened.client.generate(conversation, unaborted()))
    const [sent] = all.chat.requests
    expect(sent?.path).toBe('/v1/chat/completions')
    expect(sent?.body).toMatchObject({
      model: 'any',
      temperature: 0.5,
      max_tokens: 50,
      user: 'caller-1',
      tools: [{ type: 'function', function: { name: 'find', description: 'Finds a slot', parameters } }],
    })
    const call = (id: string, name: string, args: string): object => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    })
    expect(sent?.body.messages).toMatchObject([
      { role: 'system', content: 'You answer the phone.' },
      { role: 'user', content: 'Monday?' },
      { role: 'assistant', content: 'One moment.', tool_calls: [call('a', 'find', '{"day":"Monday"}')] },
      { role: 'tool', tool_call_id: 'a', content: 'at nine' },
      { role: 'assistant', tool_calls: [call('b', 'book', '{}')] },
      { role: 'tool', tool_call_id: 'b', content: expect.stringContaining('wrong input') },
    ])
  })

  it.each<[what: string, answer: ChatAnswer, expected: Partial<ProviderError>]>([
    ['is refused', { refuse: 400, message: 'no such thing' }, { status: 400, retryable: false }],
    ['is rate-limited', { refuse: 429, message: 'slow down' }, { status: 429, retryable: true }],
    ['gets a server error', { refuse: 500, message: 'oops' }, { status: 500, retryable: true }],
    ['loses its connection', ['Well, ', { wait: 5 }, { rude: 'drops' }], { retryable: true }],
    ['gets a chunk that is not JSON', ['Well, ', { rude: 'garbles' }, 'no.'], { retryable: false }],
    ['gets an error in the stream', ['Well, ', { error: 'no capacity' }], {}],
    ['is blocked by a content filter', ['Well, ', { finish: 'content_filter' }], { retryable: false }],
    ['gets an empty stream', [{ rude: 'breaks off' }], { retryable: true }],
    ['reaches the token limit before any text', [{ finish: 'length' }], { retryable: false }],
  ])('fails with a coded error when it %s', async (__, answer, expected) => {
    await using opened = await open(model)
    all.chat.answers(answer)
    const { error } = await take(opened.client.generate(request, unaborted()))
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({ code: 'PROVIDER_FAILED', ...expected })
  })

  it('never exposes the key, even if the vendor repeats it', async () => {
    const wrong = 'sk-wrong-9876543210'
    await using opened = await open(model, {}, wrong)
    const { error } = await take(opened.client.generate(request, unaborted()))
    expect(error).toMatchObject({ status: 401, retryable: false })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(wrong)
    all.chat.answers({ refuse: 400, message: `what is ${KEY}?` })
    await using other = await open(model)
    const second = await take(other.client.generate(request, unaborted()))
    expect(inspect(second.error, { depth: 9, showHidden: true })).not.toContain(KEY)
  })

  it.each<[what: string, answer: ChatAnswer]>([
    ['before the headers', { hangs: true }],
    ['in the body', ['Well, ', { rude: 'stalls' }]],
  ])('ends its request at the server when it is interrupted %s', async (__, answer) => {
    await using opened = await open(model)
    all.chat.answers(answer, ['Again.'])
    const stop = new AbortController()
    const taken = take(opened.client.generate(request, stop.signal))
    await requestOpen()
    stop.abort('interrupted')
    expect((await taken).error).toBe('interrupted')
    await allEnded()
    expect(all.chat.requests.map(({ how }) => how)).toEqual(['left'])
    const again = await take(opened.client.generate(request, unaborted()))
    expect(again.chunks[0]).toEqual({ type: 'text', text: 'Again.' })
  })

  it('leaves no request open when its scope closes or is aborted', async () => {
    for (const end of ['close', 'abort'] as const) {
      all.chat.answers({ hangs: true }, ['Well, ', { rude: 'stalls' }])
      const { client, context } = await open(model)
      const answers = [1, 2].map(() => take(client.generate(request, unaborted())))
      await all.chat.until(() => all.chat.open === 2)
      await context.scope[end]()
      expect(context.scope.inspect().tree.owned).toEqual([])
      for (const { error } of await Promise.all(answers)) expect(error).toBeDefined()
      await allEnded()
    }
  })

  it('reuses connections', async () => {
    await using opened = await open(model)
    for (let turn = 0; turn < 6; turn++) {
      all.chat.answers(['Yes.'])
      await take(opened.client.generate(request, unaborted()))
    }
    expect(all.chat.requests).toHaveLength(6)
    // The pool may also use connections of earlier tests.
    expect(all.chat.sockets).toBeLessThan(4)
  })
})
