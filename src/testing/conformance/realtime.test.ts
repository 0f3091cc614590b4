import { pcm } from '../../audio/index.ts'
import { describe, it } from 'vitest'
import {
  ScriptedRealtime,
  conformance,
  realtimeConformance,
  type RealtimeSubject,
  type ScriptedRealtimeOptions,
} from '../index.ts'

conformance({ describe, it }, 'the scripted realtime model', realtimeConformance, () => scripted())

conformance({ describe, it }, 'a slow realtime model', realtimeConformance, () =>
  scripted({ openTakes: 50, closeTakes: 200, firstAfter: 300, speed: 2, interruptTakes: 200 }),
)

conformance({ describe, it }, 'a realtime model that stops when the user speaks', realtimeConformance, () =>
  scripted({ yields: true, hears: [pcm(24_000)], speaks: [pcm(24_000)] }),
)

function scripted(manners: ScriptedRealtimeOptions = {}): RealtimeSubject {
  const options: ScriptedRealtimeOptions = { ...manners }
  const realtime = new ScriptedRealtime(options)
  return {
    realtime,
    hear: (text) => realtime.hear(text),
    results: () => realtime.results.map(({ output }) => output),
    answers: (chunks, hangs) => void realtime.answers(hangs ? [...chunks, { stall: true }] : chunks),
    refuses: () => {
      options.openFails = new Error('no key')
    },
    breaks: () => realtime.drop(),
  }
}
