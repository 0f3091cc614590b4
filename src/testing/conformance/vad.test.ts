import { describe, it } from 'vitest'
import { pcm, sine, type SampleRate } from '../../audio/index.ts'
import { resampledVad } from '../../parts/index.ts'
import {
  ScriptedVad,
  conformance,
  vadConformance,
  type ScriptedVadOptions,
  type VadSubject,
} from '../index.ts'

conformance({ describe, it }, 'the scripted VAD', vadConformance, () => scripted())

conformance({ describe, it }, 'a slow VAD', vadConformance, () =>
  scripted({ openTakes: 50, closeTakes: 200 }),
)

conformance({ describe, it }, 'a VAD with a resampler', vadConformance, () => {
  const subject = scripted()
  return { ...subject, vad: resampledVad(subject.vad, pcm(8_000)), speech: (ms) => tone(ms, 8_000) }
})

const tone = (ms: number, sampleRate: SampleRate) =>
  Array.from({ length: ms / 20 }, () => sine(300, { sampleRate, duration: 20 }))

function scripted(manners: ScriptedVadOptions = {}): VadSubject {
  const options: ScriptedVadOptions = { ...manners }
  const vad = new ScriptedVad(options)
  return {
    vad,
    speech: (ms) => tone(ms, 16_000),
    refuses: () => {
      options.openFails = new Error('no model file')
    },
    breaks: () => vad.fails(),
  }
}
