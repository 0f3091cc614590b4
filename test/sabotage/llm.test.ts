import type { LlmChunk, LlmClient, LlmRequest, PartContext } from '../../src/parts/index.ts'
import {
  ScriptedLlm,
  llmConformance,
  type LlmSubject,
  type Make,
  type ScriptedLlmOptions,
} from '../../src/testing/index.ts'
import { describeSabotage, ownChecks, type Defect } from './sabotage.ts'

type Generate = (client: LlmClient, request: LlmRequest, signal: AbortSignal) => AsyncIterable<LlmChunk>

/** A model that is correct except for one defect. */
function sabotaged(
  options: ScriptedLlmOptions,
  generate: Generate = (client, request, signal) => client.generate(request, signal),
): Make<LlmSubject> {
  return () => {
    const inner = new ScriptedLlm({ ...options })
    const open = async (context: PartContext): Promise<LlmClient> => {
      const client = await inner.open(context)
      return { generate: (request, signal) => generate(client, request, signal) }
    }
    return {
      llm: { name: 'llm', open },
      answers: (chunks, hangs) => void inner.answers(hangs ? [...chunks, { stall: true }] : chunks),
      fails: (after) => void inner.answers([...after, { fail: new Error('overloaded') }]),
    }
  }
}

const defects: Defect<LlmSubject>[] = [
  [
    'chunks that are yielded twice',
    sabotaged({}, async function* (client, request, signal) {
      for await (const chunk of client.generate(request, signal)) {
        yield chunk
        yield chunk
      }
    }),
    [
      'yields the text of an answer in order, and ends',
      'answers two requests at the same time',
      'answers again after an answer was left in the middle',
    ],
  ],
  [
    'an LLM that parses tool inputs',
    sabotaged({}, async function* (client, request, signal) {
      for await (const chunk of client.generate(request, signal))
        yield chunk.type === 'tool-call'
          ? { ...chunk, input: JSON.stringify(JSON.parse(chunk.input)) }
          : chunk
    }),
    ['yields tool calls as the model wrote them, even with invalid JSON'],
  ],
  [
    'an LLM that throws for an empty answer',
    sabotaged({}, async function* (client, request, signal) {
      let count = 0
      for await (const chunk of client.generate(request, signal)) {
        count++
        yield chunk
      }
      if (count === 0) throw new Error('no answer')
    }),
    ['ends when the answer is empty'],
  ],
  [
    'an LLM that answers one request at a time',
    (() => {
      const busy = new Set<LlmClient>()
      return sabotaged({}, async function* (client, request, signal) {
        if (busy.has(client)) throw new Error('busy')
        busy.add(client)
        yield* client.generate(request, signal)
        busy.delete(client)
      })
    })(),
    ['answers two requests at the same time', 'answers again after an answer was left in the middle'],
  ],
  [
    'an LLM that ignores its signal',
    sabotaged({ ignoresSignal: true }),
    [
      'throws the reason when its signal aborts, and yields nothing afterwards',
      'stops at once when its signal aborts while the model is silent',
      'does not start if its signal has already aborted',
      'ends its answers with an error when its scope closes, and leaves nothing behind',
      'ends synchronously on abort() in the middle of an answer',
    ],
  ],
  [
    'swallowed errors',
    sabotaged({}, async function* (client, request, signal) {
      try {
        yield* client.generate(request, signal)
      } catch {
        return
      }
    }),
    [
      'throws when the model fails, before or after the first chunk',
      'does not answer after its scope has closed',
      'throws the reason when its signal aborts, and yields nothing afterwards',
    ],
  ],
  [
    'an LLM that a bad tool breaks permanently',
    sabotaged({}, (client, request, signal) => {
      try {
        JSON.stringify(request.tools)
      } catch (error) {
        client.generate = () => {
          throw error
        }
      }
      return client.generate(request, signal)
    }),
    ['survives a tool whose schema throws'],
  ],
]

describeSabotage('LLMs', ownChecks(llmConformance), defects)
