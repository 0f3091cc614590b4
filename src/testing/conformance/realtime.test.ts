import { pcm } from '../../audio/index.ts'
import { describe, it } from 'vitest'
import { fallbackRealtime } from '../../parts/fallback/index.ts'
import {
  ScriptedRealtime,
  conformance,
  lifecycle,
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

conformance({ describe, it }, 'a realtime model after one that refuses', realtimeConformance, () => {
  const { realtime, ...subject } = scripted()
  return {
    ...subject,
    realtime: fallbackRealtime([new ScriptedRealtime({ openFails: new Error('no key') }), realtime]),
  }
})

/** The checks of the conversation: the model that is lost does not close well. */
const talking = realtimeConformance.slice(lifecycle(() => Promise.resolve()).length)

conformance({ describe, it }, 'a realtime model that took over', talking, (stage) => {
  const lost = new ScriptedRealtime({ hears: [pcm(24_000)], speaks: [pcm(24_000)] })
  const subject = scripted({ openTakes: 20 })
  // The first model would take over again.
  delete subject.breaks
  const fallback = fallbackRealtime([lost, subject.realtime], { coolDown: 0 })
  return {
    ...subject,
    realtime: {
      ...fallback,
      open: async (context, setup, events) => {
        const model = await fallback.open(context, setup, events)
        lost.drop()
        await stage.elapse(50)
        return model
      },
    },
  }
})

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
