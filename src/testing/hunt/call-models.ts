import { pcm } from '../../audio/index.ts'
import type { LlmRequest, TransferOutcome } from '../../parts/index.ts'
import type { Models } from '../../session/index.ts'
import type { Answers } from '../script.ts'
import { ScriptedLlm } from '../scripted-llm.ts'
import { ScriptedRealtime } from '../scripted-realtime.ts'
import { ScriptedStt } from '../scripted-stt.ts'
import { ScriptedTts } from '../scripted-tts.ts'
import { ScriptedVad } from '../scripted-vad.ts'
import type { SimClock } from '../sim-clock.ts'
import { TestLine } from '../test-line.ts'
import type { CallParts } from '../troubles.ts'
import type { PlayedModel } from './played-model.ts'

/** Less sound to compute than in better quality. */
const sound = pcm(8_000)

/** Milliseconds of one frame of the voice: long, because each frame is an event. */
const FRAME = 100

export interface ScriptedModels {
  readonly models: Models
  /** Makes the STT or the realtime model fail for good. */
  readonly fail: () => void
}

/** Makes the scripted models of a call. The model says what they answer, until their trouble begins. */
export function scriptedModels(model: PlayedModel, isRealtime: boolean, parts: CallParts): ScriptedModels {
  if (isRealtime) {
    const { answers, ...own } = parts.realtime ?? {}
    const realtime: ScriptedRealtime = new ScriptedRealtime({
      hears: [sound],
      speaks: [sound],
      openTakes: 80,
      firstAfter: 150,
      ...own,
      answers: troubled(answers, ({ results, instructions }) => {
        const words = wordsToSay(instructions)
        if (words !== undefined) return words
        const { tools } = realtime.setups.at(-1)!
        return model.answer({ tools, result: results.at(-1) })
      }),
    })
    return { models: { realtime }, fail: () => realtime.drop() }
  }
  const { answers, ...own } = parts.llm ?? {}
  const stt = new ScriptedStt({
    hears: [sound],
    finalOn: 'flush',
    openTakes: 60,
    finalAfter: 100,
    ...parts.stt,
  })
  const llm = new ScriptedLlm({
    firstAfter: 150,
    ...own,
    answers: troubled(answers, ({ tools, messages }: LlmRequest) => {
      const last = messages.findLast(({ role }) => role === 'user' || role === 'tool-result')
      return model.answer({ tools, result: last?.role === 'tool-result' ? last : undefined })
    }),
  })
  const tts = new ScriptedTts({ speaks: [sound], frame: FRAME, firstAfter: 50, openTakes: 80, ...parts.tts })
  return { models: { llm, tts, stt, vad: new ScriptedVad({ hears: [sound] }) }, fail: () => stt.fail() }
}

/** A model whose answers are troubled gives its first one as it should, so that a tool runs. */
function troubled<Request>(
  trouble: Answers<Request> | undefined,
  answer: Exclude<Answers<Request>, readonly unknown[]>,
): Exclude<Answers<Request>, readonly unknown[]> {
  if (typeof trouble !== 'function') return answer
  return (request, index) => (index === 0 ? answer(request, index) : trouble(request, index))
}

/** The words that a realtime model is asked to say. */
function wordsToSay(instructions: string | undefined): string | undefined {
  const [, words] = /: (".*")$/.exec(instructions ?? '') ?? []
  return words === undefined ? undefined : (JSON.parse(words) as string)
}

/** A line to a phone, which can do what carriers can. Nobody answers a transfer, so that the call goes on. */
export function huntedLine(clock: () => SimClock, parts: CallParts): TestLine {
  return new TestLine({
    hears: sound,
    openTakes: 30,
    transfer: async (): Promise<TransferOutcome> => {
      await clock().elapse(3_000, 'the phone of a person rings')
      return 'no-answer'
    },
    record: async () => {
      await clock().elapse(100, 'the carrier records')
      return true
    },
    ...parts.line,
  })
}
