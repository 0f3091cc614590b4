import {
  Resampler,
  nearestFormat,
  type AudioFormat,
  type AudioFrame,
  type SampleRate,
} from '../audio/index.ts'
import type { Realtime, RealtimeEvents, RealtimeSetup } from './realtime.ts'
import type { Stt } from './stt.ts'
import type { SpokenChunk, Tts } from './tts.ts'
import type { Vad } from './vad.ts'

/** Adapts an STT to audio of one format. */
export function resampledStt(stt: Stt, format: AudioFormat): Stt {
  const own = nearestFormat(format, stt.hears)
  return {
    name: stt.name,
    hears: [format],
    ...(stt.endsTurns === undefined ? {} : { endsTurns: stt.endsTurns }),
    async open(context, events, setup) {
      const stream = await stt.open(context, events, { ...setup, format: own })
      if (own.sampleRate === format.sampleRate) return stream
      return {
        push: resampling(format.sampleRate, own.sampleRate, (frame) => stream.push(frame)),
        flush: () => stream.flush(),
        configure: (change) => stream.configure(change),
        detach: () => stream.detach(),
      }
    },
  }
}

/** Adapts a VAD to audio of one format. */
export function resampledVad(vad: Vad, format: AudioFormat): Vad {
  const own = nearestFormat(format, vad.hears)
  return {
    name: vad.name,
    hears: [format],
    async open(context, events) {
      const stream = await vad.open(context, events, { format: own })
      if (own.sampleRate === format.sampleRate) return stream
      return { push: resampling(format.sampleRate, own.sampleRate, (frame) => stream.push(frame)) }
    },
  }
}

/** Adapts a TTS to one output format. */
export function resampledTts(tts: Tts, format: AudioFormat): Tts {
  const own = nearestFormat(format, tts.speaks)
  return {
    name: tts.name,
    speaks: [format],
    async open(context) {
      const voice = await tts.open(context, { format: own })
      if (own.sampleRate === format.sampleRate) return voice
      return {
        speak: (text, signal) =>
          resampledSpeech(own.sampleRate, format.sampleRate, voice.speak(text, signal)),
      }
    },
  }
}

/** Adapts a realtime model to the formats of a setup. */
export function resampledRealtime(
  realtime: Realtime,
  { hears, speaks }: Pick<RealtimeSetup, 'hears' | 'speaks'>,
): Realtime {
  const ownHears = nearestFormat(hears, realtime.hears)
  const ownSpeaks = speaks && nearestFormat(speaks, realtime.speaks)
  return {
    name: realtime.name,
    hears: [hears],
    speaks: speaks ? [speaks] : realtime.speaks,
    ...(realtime.writes === undefined ? {} : { writes: realtime.writes }),
    async open(context, setup, events) {
      const same = ownSpeaks?.sampleRate === speaks?.sampleRate
      const model = await realtime.open(
        context,
        { ...setup, hears: ownHears, speaks: ownSpeaks },
        same ? events : resampledAnswers(ownSpeaks!.sampleRate, speaks!.sampleRate, events),
      )
      if (ownHears.sampleRate === hears.sampleRate) return model
      return {
        push: resampling(hears.sampleRate, ownHears.sampleRate, (frame) => model.push(frame)),
        commit: () => model.commit(),
        respond: (instructions) => model.respond(instructions),
        ...(model.say ? { say: (words) => model.say!(words) } : {}),
        addText: (text) => model.addText(text),
        toolResult: (id, output, failed) => model.toolResult(id, output, failed),
        interrupt: (response, heard) => model.interrupt(response, heard),
        update: (change) => model.update(change),
      }
    },
  }
}

/** Converts the audio of each answer, and emits the rest of it before the answer ends. */
function resampledAnswers(from: SampleRate, to: SampleRate, events: RealtimeEvents): RealtimeEvents {
  const resamplers = new Map<string, Resampler>()
  return {
    ...events,
    audio: (response, frame) => {
      const resampler = resamplers.get(response) ?? new Resampler({ from, to })
      resamplers.set(response, resampler)
      const samples = resampler.push(frame.samples)
      if (samples.length > 0) events.audio(response, { samples, sampleRate: to })
    },
    responseEnded: (response, how, error) => {
      const samples = resamplers.get(response)?.flush()
      resamplers.delete(response)
      if (samples && samples.length > 0) events.audio(response, { samples, sampleRate: to })
      events.responseEnded(response, how, error)
    },
  }
}

/** Words stay with their chunk, although resampling delays the audio by a few milliseconds. No audio is lost. */
async function* resampledSpeech(
  from: SampleRate,
  to: SampleRate,
  chunks: AsyncIterable<SpokenChunk>,
): AsyncGenerator<SpokenChunk> {
  const resampler = new Resampler({ from, to })
  // A plain loop is enough: leaving it ends `chunks`, and the voice itself stops when the signal aborts.
  for await (const { frame, ...rest } of chunks) {
    yield { frame: { samples: resampler.push(frame.samples), sampleRate: to }, ...rest }
  }
  const samples = resampler.flush()
  if (samples.length > 0) yield { frame: { samples, sampleRate: to } }
}

function resampling(
  from: SampleRate,
  to: SampleRate,
  push: (frame: AudioFrame) => void,
): (frame: AudioFrame) => void {
  const resampler = new Resampler({ from, to })
  return (frame) => {
    const samples = resampler.push(frame.samples)
    if (samples.length > 0) push({ samples, sampleRate: to })
  }
}
