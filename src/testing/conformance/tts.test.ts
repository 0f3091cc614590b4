import { pcm } from '../../audio/index.ts'
import { describe, it } from 'vitest'
import { resampledTts, sentenceTts } from '../../parts/index.ts'
import { fallbackTts } from '../../parts/fallback/index.ts'
import { ScriptedTts, conformance, soundOf, ttsConformance, type ScriptedTtsOptions } from '../index.ts'

conformance({ describe, it }, 'the scripted TTS', ttsConformance, () => scripted())

conformance({ describe, it }, 'a slow TTS without words', ttsConformance, () =>
  scripted({ openTakes: 50, closeTakes: 200, firstAfter: 300, speed: 2, msPerCharacter: 20, words: false }),
)

conformance({ describe, it }, 'a TTS with a resampler', ttsConformance, () => {
  const subject = scripted({ speaks: [pcm(24_000)] })
  return { ...subject, tts: resampledTts(subject.tts, pcm(8_000)) }
})

conformance({ describe, it }, 'a fallback of TTSs', ttsConformance, () => {
  const one: ScriptedTtsOptions = { name: 'one' }
  const two: ScriptedTtsOptions = { name: 'two' }
  return {
    tts: fallbackTts([new ScriptedTts(one), new ScriptedTts(two)]),
    refuses: () => {
      one.openFails = two.openFails = new Error('no key')
    },
    breaks: () => {
      one.failAfter = two.failAfter = 0
    },
  }
})

conformance({ describe, it }, 'a fallback whose first TTS fails', ttsConformance, () => {
  const { tts, breaks } = scripted()
  return { breaks, tts: fallbackTts([new ScriptedTts({ failAfter: 0 }), tts]) }
})

conformance({ describe, it }, 'a TTS that speaks sentence by sentence', ttsConformance, (stage) => {
  let broken = false
  const tts = sentenceTts({
    name: 'sentences',
    sampleRate: 16_000,
    async *synthesise(sentence, signal) {
      await stage.elapse(100)
      signal.throwIfAborted()
      if (broken) throw new Error('overloaded')
      yield {
        frame: soundOf(sentence, 16_000, 50),
        words: [{ text: sentence, start: 0, end: sentence.length * 50 }],
      }
    },
  })
  return {
    tts,
    breaks: () => {
      broken = true
    },
  }
})

function scripted(manners: ScriptedTtsOptions = {}) {
  const options: ScriptedTtsOptions = { ...manners }
  return {
    tts: new ScriptedTts(options),
    refuses: () => {
      options.openFails = new Error('no key')
    },
    breaks: () => {
      options.failAfter = 0
    },
  }
}
