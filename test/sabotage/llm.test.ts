import type { LlmChunk, LlmClient, LlmRequest, PartContext } from '../../src/parts/index.ts'
import {
  ScriptedLlm,
  llmConformance,
  type LlmSubject,
  type Make,
  type ScriptedLlmOptions,
} from '../../src/testing/index.ts'
import { describeSabotage, ownChecks, type Saboteur } from './sabotage.ts'

type Generate = (client: LlmClient, request: LlmRequest, signal: AbortSignal) => AsyncIterable<LlmChunk>

/** A model that does what it should, except for what the saboteur does. */
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

const saboteurs: Saboteur<LlmSubject>[] = [
  [
    'words that come twice',
    sabotaged({}, async function* (client, request, signal) {
      for await (const chunk of client.generate(request, signal)) {
        yield chunk
        yield chunk
      }
    }),
    [
      'answers with the text, in order, and ends',
      'answers two requests at once',
      'can be left in the middle, and answers again',
    ],
  ],
  [
    'that it corrects JSON',
    sabotaged({}, async function* (client, request, signal) {
      for await (const chunk of client.generate(request, signal))
        yield chunk.type === 'tool-call'
          ? { ...chunk, input: JSON.stringify(JSON.parse(chunk.input)) }
          : chunk
    }),
    ['gives tool calls as the model wrote them, wrong JSON too'],
  ],
  [
    'that it has to say something',
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
    'that it can do one thing at a time',
    (() => {
      const busy = new Set<LlmClient>()
      return sabotaged({}, async function* (client, request, signal) {
        if (busy.has(client)) throw new Error('busy')
        busy.add(client)
        yield* client.generate(request, signal)
        busy.delete(client)
      })
    })(),
    ['answers two requests at once', 'can be left in the middle, and answers again'],
  ],
  [
    'that it goes on',
    sabotaged({ ignoresSignal: true }),
    [
      'stops when its signal aborts, with the reason, and gives nothing after it',
      'stops at once while it waits for a model that says nothing',
      'does not begin when its signal has aborted before',
      'ends its answers when its scope closes, with an error, and leaves nothing',
      'is ended by abort() in the middle of an answer',
    ],
  ],
  [
    'errors that nobody hears of',
    sabotaged({}, async function* (client, request, signal) {
      try {
        yield* client.generate(request, signal)
      } catch {
        return
      }
    }),
    [
      'throws when the model fails, before its first chunk and after it',
      'does not answer when its scope has closed',
      'stops when its signal aborts, with the reason, and gives nothing after it',
    ],
  ],
  [
    'that a bad tool breaks it for good',
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
    ['survives a tool that cannot be described'],
  ],
]

describeSabotage('LLMs', ownChecks(llmConformance), saboteurs)
