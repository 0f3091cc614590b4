import { pcm } from '../../audio/index.ts'
import { describe, it } from 'vitest'
import { batchStt, resampledStt } from '../../parts/index.ts'
import { fallbackStt } from '../../parts/fallback/index.ts'
import { ScriptedStt, ScriptedVad, conformance, sttConformance, type ScriptedSttOptions } from '../index.ts'

conformance({ describe, it }, 'the scripted STT', sttConformance, () => scripted())

conformance({ describe, it }, 'a slow STT', sttConformance, () =>
  scripted({ openTakes: 50, closeTakes: 200, finalAfter: 300 }),
)

conformance({ describe, it }, 'an STT with a resampler', sttConformance, () => {
  const subject = scripted()
  return { ...subject, stt: resampledStt(subject.stt, pcm(8_000)) }
})

conformance({ describe, it }, 'a fallback of STTs', sttConformance, () => {
  const options: ScriptedSttOptions = { finalOn: 'flush' }
  const one = new ScriptedStt(options)
  const two = new ScriptedStt(options)
  return {
    stt: fallbackStt([one, two]),
    hear: async (text: string) => {
      await one.hear(text)
      await two.hear(text)
    },
    refuses: () => {
      options.openFails = new Error('no key')
    },
    breaks: () => {
      options.openFails = new Error('no network')
      one.fail()
      two.fail()
    },
  }
})

conformance({ describe, it }, 'a fallback whose first STT cannot be opened', sttConformance, () => {
  const subject = scripted()
  const { stt } = subject
  return {
    ...subject,
    stt: fallbackStt([new ScriptedStt({ openFails: new Error('no key') }), stt]),
  }
})

conformance({ describe, it }, 'a batch transcriber', sttConformance, (stage) => {
  const texts: string[] = []
  const manners: { openFails?: unknown } = {}
  const vad = new ScriptedVad(manners)
  const stt = batchStt({
    name: 'batch',
    sampleRate: 16_000,
    vad,
    transcribe: async () => {
      const text = texts.shift() ?? ''
      await stage.elapse(400)
      return text
    },
  })
  return {
    stt,
    hear: (text: string) => void texts.push(text),
    refuses: () => {
      manners.openFails = new Error('no worker')
    },
    breaks: () => vad.fails(),
  }
})

function scripted(manners: ScriptedSttOptions = {}) {
  const options: ScriptedSttOptions = { finalOn: 'flush', ...manners }
  const stt = new ScriptedStt(options)
  return {
    stt,
    hear: (text: string) => stt.hear(text),
    refuses: () => {
      options.openFails = new Error('no key')
    },
    breaks: () => stt.fail(),
  }
}
