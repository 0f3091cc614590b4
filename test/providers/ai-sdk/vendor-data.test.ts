import { describe, expect, it } from 'vitest'
import { fallbackLlm } from '../../../src/parts/fallback/index.ts'
import {
  AiSdkLlm,
  type CallOptions,
  type LanguageModel,
  type PartStream,
} from '../../../src/providers/ai-sdk/index.ts'
import {
  Agent,
  History,
  Session,
  tool,
  type HistoryJSON,
  type SessionOptions,
} from '../../../src/session/index.ts'
import { ScriptedTts, TestLine, inVirtualTime, type World } from '../../../src/testing/index.ts'

type Part = { readonly type: string; readonly [field: string]: unknown }

const meta = (signature: string) => ({ vendor: { signature } })
const finish: Part = { type: 'finish', finishReason: 'stop', usage: {} }
const call = (toolCallId: string, toolName: string, providerMetadata?: object): Part => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: '{}',
  ...(providerMetadata && { providerMetadata }),
})
/** Claude's way: the signature is in an empty delta. */
const thought = (text: string, signature: string): Part[] => [
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: text },
  { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: meta(signature) },
  { type: 'reasoning-end', id: 'r' },
]
/** Gemini's way: the signature of a text is in an empty delta at its end. */
const words = (text: string, signature: string): Part[] => [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: text },
  { type: 'text-delta', id: 't', delta: '', providerMetadata: meta(signature) },
  { type: 'text-end', id: 't' },
]

/** Answers with the given parts, one list per request, and records the prompts. */
class SigningModel implements LanguageModel {
  readonly specificationVersion = 'v3'
  readonly provider: string
  readonly modelId = 'one'
  readonly prompts: CallOptions['prompt'][] = []
  readonly #answers: (readonly Part[] | Error)[]

  constructor(provider: string, ...answers: (readonly Part[] | Error)[]) {
    this.provider = provider
    this.#answers = answers
  }

  async doStream({ prompt }: CallOptions): Promise<{ stream: PartStream }> {
    this.prompts.push(prompt)
    const answer = this.#answers.shift() ?? words('Yes.', 'none')
    if (answer instanceof Error) throw answer
    const parts = [...answer, finish]
    const read = async () => {
      const value = parts.shift()
      return value ? { done: false, value } : { done: true }
    }
    return { stream: { getReader: () => ({ read, cancel: async () => {} }) } }
  }
}

const billing = new Agent({ name: 'billing', instructions: 'You know the bills.' })
const desk = new Agent({
  instructions: 'You are the desk.',
  tools: {
    find: tool({ description: 'Finds a slot', run: () => 'nine' }),
    toBilling: tool({ description: 'Hands over', run: () => billing }),
  },
})

async function aCall(
  world: World,
  llm: SessionOptions['models']['llm'],
  options: Partial<SessionOptions> = {},
) {
  const line = new TestLine()
  const { clock, random, network } = world
  const session = new Session({
    agent: desk,
    models: { llm: llm!, tts: new ScriptedTts() },
    turns: { mode: 'manual', vad: false },
    line,
    clock,
    random,
    network,
    ...options,
  })
  await session.start()
  const ask = async (text: string): Promise<void> => {
    line.caller.types(text)
    await world.clock.elapse(5_000)
  }
  return { session, line, ask }
}

const [thinking, signedText, signedCall] = [
  { type: 'reasoning', text: 'A slot.', providerOptions: meta('s1') },
  { type: 'text', text: 'Let me look. ', providerOptions: meta('s2') },
  { type: 'tool-call', toolCallId: 'a', toolName: 'find', input: {}, providerOptions: meta('s3') },
]
const secondCall = { type: 'tool-call', toolCallId: 'b', toolName: 'find', input: {} }
const result = (toolCallId: string, toolName = 'find', value = 'nine') => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  output: { type: 'text', value },
})
const firstAnswer = [
  ...thought('A slot.', 's1'),
  ...words('Let me look. ', 's2'),
  call('a', 'find', meta('s3')),
  call('b', 'find'),
]

describe('what a vendor attaches to an answer', () => {
  it('[PR4] is sent back with the results of its calls, as one message, in order', () =>
    inVirtualTime(async (world) => {
      const model = new SigningModel('vendor', firstAnswer, words('At nine.', 's4'))
      const { session, ask } = await aCall(world, new AiSdkLlm(model))
      await ask('Is there a slot?')
      expect(model.prompts[1]?.slice(2)).toEqual([
        { role: 'assistant', content: [thinking, signedText, signedCall, secondCall] },
        { role: 'tool', content: [result('a'), result('b')] },
      ])
      await session.close()
    }))

  it('[PR4] goes through the history, its JSON, and a new session', () =>
    inVirtualTime(async (world) => {
      const first = new SigningModel('vendor', firstAnswer, words('At nine.', 's4'))
      const { session, ask } = await aCall(world, new AiSdkLlm(first))
      await ask('Is there a slot?')
      await session.close()
      const history = JSON.parse(JSON.stringify(session.history)) as HistoryJSON
      const model = new SigningModel('vendor')
      const next = await aCall(world, new AiSdkLlm(model), { history })
      await next.ask('Thank you.')
      expect(model.prompts[0]?.slice(2, -1)).toEqual([
        { role: 'assistant', content: [thinking, signedText, signedCall, secondCall] },
        { role: 'tool', content: [result('a'), result('b')] },
        { role: 'assistant', content: [{ type: 'text', text: 'At nine.', providerOptions: meta('s4') }] },
      ])
      await next.session.close()
    }))

  it('[PR4] goes through a handoff', () =>
    inVirtualTime(async (world) => {
      const model = new SigningModel('vendor', [
        ...thought('Bills.', 's1'),
        call('a', 'find', meta('s2')),
        call('b', 'toBilling'),
      ])
      const { session, ask } = await aCall(world, new AiSdkLlm(model))
      await ask('What do I owe?')
      await ask('Hello?')
      const assistant = model.prompts[1]!.find(({ role }) => role === 'assistant')
      expect(assistant?.content).toMatchObject([
        { type: 'reasoning', text: 'Bills.', providerOptions: meta('s1') },
        { toolCallId: 'a', providerOptions: meta('s2') },
        { toolCallId: 'b' },
      ])
      await session.close()
    }))

  it('[PR4] is not given to another model', () =>
    inVirtualTime(async (world) => {
      const first = new SigningModel('vendor', firstAnswer, new Error('down'))
      const second = new SigningModel('other')
      const { session, ask } = await aCall(world, fallbackLlm([new AiSdkLlm(first), new AiSdkLlm(second)]))
      await ask('Is there a slot?')
      expect(JSON.stringify(second.prompts)).not.toContain('signature')
      expect(second.prompts[0]?.slice(2)).toEqual([
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look. ' },
            { type: 'tool-call', toolCallId: 'a', toolName: 'find', input: {} },
            secondCall,
          ],
        },
        { role: 'tool', content: [result('a'), result('b')] },
      ])
      await session.close()
    }))

  it('[PR4] is in no event, no item and no report', () =>
    inVirtualTime(async (world) => {
      const model = new SigningModel('vendor', firstAnswer)
      const { session, ask } = await aCall(world, new AiSdkLlm(model))
      const seen: unknown[] = []
      for (const name of ['tool', 'tool-done', 'spoken', 'reply'] as const)
        session.on(name as 'tool', (event) => seen.push(event))
      await ask('Is there a slot?')
      const report = await session.close()
      expect(JSON.stringify([seen, session.history.items, report])).not.toContain('signature')
      expect(JSON.stringify(session.history)).toContain('signature')
    }))

  it('[PR4] is dropped with words that were interrupted, and kept with calls', () => {
    const history = new History()
    const vendor = { model: 'm', data: 'signature' }
    const spoken = history.speak({ at: 1, attached: { vendor } })
    spoken.heard('Let me')
    spoken.end({ interrupted: true })
    history.callTool({ call: 'a', name: 'find', input: '{}', at: 2, vendor })
    expect(history.toMessages().map((message) => 'vendor' in message && message.vendor)).toEqual([
      false,
      vendor,
      false,
    ])
  })
})

describe('an answer whose vendor attaches something to no words at all', () => {
  it('[PR4] sends it back with its calls', () =>
    inVirtualTime(async (world) => {
      const model = new SigningModel('vendor', [
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: '', providerMetadata: meta('s1') },
        { type: 'text-end', id: 't' },
        call('a', 'find'),
      ])
      const { session, ask } = await aCall(world, new AiSdkLlm(model))
      await ask('Is there a slot?')
      expect(model.prompts[1]?.[2]?.content).toMatchObject([
        { type: 'text', text: '', providerOptions: meta('s1') },
        { type: 'tool-call', toolCallId: 'a' },
      ])
      await session.close()
    }))
})
