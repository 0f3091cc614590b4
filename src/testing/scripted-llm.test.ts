import { describe, expect, it } from 'vitest'
import type { LlmChunk, LlmRequest } from '../parts/index.ts'
import { ScopeClosedError } from '../scope/index.ts'
import { ScriptedLlm, callTool, inVirtualTime, partContext } from './index.ts'

const request: LlmRequest = { instructions: 'Be brief.', messages: [], tools: [] }
const unaborted = (): AbortSignal => new AbortController().signal

async function all(chunks: AsyncIterable<LlmChunk>, into: LlmChunk[] = []): Promise<LlmChunk[]> {
  for await (const chunk of chunks) into.push(chunk)
  return into
}

describe('a scripted LLM', () => {
  it('yields its answers in order, word by word, at the set pace', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const usage = { type: 'usage', usage: { outputTokens: 3 } } as const
      const llm = new ScriptedLlm({
        answers: ['Good morning to you.', [callTool('find', { day: 'Monday' }, 'a'), usage]],
        firstAfter: 100,
        every: 10,
      })
      const client = await llm.open(context)
      const words = await all(client.generate(request, unaborted()))
      expect(words).toEqual(['Good ', 'morning ', 'to ', 'you.'].map((text) => ({ type: 'text', text })))
      expect(world.clock.now()).toBe(130)
      expect(await all(client.generate(request, unaborted()))).toEqual([
        { type: 'tool-call', id: 'a', name: 'find', input: '{"day":"Monday"}' },
        usage,
      ])
      await expect(all(client.generate(request, unaborted()))).rejects.toThrow('no answer number 3')
      llm.answers('One more.')
      expect(await all(client.generate(request, unaborted()))).toHaveLength(2)
      expect(llm.generations.map(({ how }) => how)).toEqual(['completed', 'completed', 'failed', 'completed'])
      expect(llm.requests[0]).toBe(request)
      await context.scope.close()
    }))

  it('answers with a function of the request', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const llm = new ScriptedLlm({ answers: ({ instructions }, index) => [`${index}`, instructions] })
      const client = await llm.open(context)
      expect(await all(client.generate(request, unaborted()))).toMatchObject([
        { text: '0' },
        { text: 'Be brief.' },
      ])
      await context.scope.close()
    }))

  it('stalls until its signal aborts, and throws the reason', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const llm = new ScriptedLlm({ answers: [['Well, ', { stall: true }], 'too late'] })
      const client = await llm.open(context)
      const stop = new AbortController()
      world.clock.happen(500, 'interrupts', () => stop.abort('interrupted'))
      const given: LlmChunk[] = []
      await expect(all(client.generate(request, stop.signal), given)).rejects.toBe('interrupted')
      expect(given).toHaveLength(1)
      expect(llm.running).toBe(0)
      await expect(all(client.generate(request, stop.signal))).rejects.toBe('interrupted')
      expect(llm.generations.map(({ how }) => how)).toEqual(['cancelled', 'cancelled'])
      // A request that was aborted before it started uses up no answer.
      expect(await all(client.generate(request, unaborted()))).toMatchObject([
        { text: 'too ' },
        { text: 'late' },
      ])
      await context.scope.close()
    }))

  it('can fail in the middle, ignore its signal, or hang', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const llm = new ScriptedLlm({
        answers: [
          ['a ', { wait: 50 }, { fail: new Error('overloaded') }],
          ['b ', { wait: 50 }, 'c'],
          [{ stall: true }],
        ],
        ignoresSignal: true,
      })
      const client = await llm.open(context)
      await expect(all(client.generate(request, unaborted()))).rejects.toThrow('overloaded')
      expect(await all(client.generate(request, AbortSignal.abort()))).toHaveLength(2)
      const hung = client.generate(request, AbortSignal.abort())[Symbol.asyncIterator]()
      let settled = false
      hung.next().then(
        () => (settled = true),
        () => (settled = true),
      )
      await world.clock.elapse(1_000_000)
      expect(settled).toBe(false)
      await context.scope.close()
    }))

  it('throws in every running answer when its scope closes', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const llm = new ScriptedLlm({ answers: [[{ stall: true }], [{ wait: 5_000 }]] })
      const client = await llm.open(context)
      const failed = [1, 2].map(() =>
        expect(all(client.generate(request, unaborted()))).rejects.toBeInstanceOf(ScopeClosedError),
      )
      await world.clock.elapse(10)
      await context.scope.close()
      await Promise.all(failed)
      expect(world.clock.now()).toBe(10)
      expect(world.clock.outside.size).toBe(0)
    }))
})
