import { describe, it } from 'vitest'
import { type LlmChunk } from '../../parts/index.ts'
import { fallbackLlm } from '../../parts/fallback/index.ts'
import { ScriptedLlm, conformance, llmConformance, type LlmStep, type ScriptedLlmOptions } from '../index.ts'

const hanging = (chunks: readonly LlmChunk[], hangs = false): LlmStep[] =>
  hangs ? [...chunks, { stall: true }] : [...chunks]

conformance({ describe, it }, 'the scripted LLM', llmConformance, () => scripted())

conformance({ describe, it }, 'a slow LLM', llmConformance, () =>
  scripted({ openTakes: 50, closeTakes: 200, firstAfter: 300, every: 20 }),
)

conformance({ describe, it }, 'a fallback of LLMs', llmConformance, () => {
  const one: ScriptedLlmOptions = { name: 'one' }
  const two: ScriptedLlmOptions = { name: 'two' }
  const first = new ScriptedLlm(one)
  const second = new ScriptedLlm(two)
  return {
    llm: fallbackLlm([first, second]),
    answers: (chunks: readonly LlmChunk[], hangs?: boolean) => {
      first.answers(hanging(chunks, hangs))
    },
    fails: (after: readonly LlmChunk[]) => {
      first.answers([...after, { fail: new Error('overloaded') }])
      second.answers([...after, { fail: new Error('overloaded') }])
    },
    refuses: () => {
      one.openFails = two.openFails = new Error('no key')
    },
  }
})

conformance({ describe, it }, 'a fallback whose first LLM hangs', llmConformance, () => {
  const { llm, answers, fails } = scripted()
  const rude = new ScriptedLlm({ answers: () => [{ stall: true }], ignoresSignal: true })
  return { answers, fails, llm: fallbackLlm([rude, llm], { firstWithin: 1_000 }) }
})

function scripted(manners: ScriptedLlmOptions = {}) {
  const options: ScriptedLlmOptions = { ...manners }
  const llm = new ScriptedLlm(options)
  return {
    llm,
    answers: (chunks: readonly LlmChunk[], hangs?: boolean) => {
      llm.answers(hanging(chunks, hangs))
    },
    fails: (after: readonly LlmChunk[]) => {
      llm.answers([...after, { fail: new Error('overloaded') }])
    },
    refuses: () => {
      options.openFails = new Error('no key')
    },
  }
}
