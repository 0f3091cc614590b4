import { Resampler, type AudioFrame, type SampleRate } from '../audio/index.ts'
import type { Stt } from './stt.ts'
import type { SpokenChunk, Tts } from './tts.ts'
import type { Vad } from './vad.ts'

/** Adapts an STT to audio of another rate. */
export function resampledStt(stt: Stt, sampleRate: SampleRate): Stt {
  if (stt.sampleRate === sampleRate) return stt
  return {
    name: stt.name,
    sampleRate,
    ...(stt.endsTurns === undefined ? {} : { endsTurns: stt.endsTurns }),
    async open(context, events) {
      const stream = await stt.open(context, events)
      const push = resampling(sampleRate, stt.sampleRate, (frame) => stream.push(frame))
      return { push, flush: () => stream.flush(), detach: () => stream.detach() }
    },
  }
}

/** Adapts a VAD to audio of another rate. */
export function resampledVad(vad: Vad, sampleRate: SampleRate): Vad {
  if (vad.sampleRate === sampleRate) return vad
  return {
    name: vad.name,
    sampleRate,
    async open(context, events) {
      const stream = await vad.open(context, events)
      return { push: resampling(sampleRate, vad.sampleRate, (frame) => stream.push(frame)) }
    },
  }
}

/** Adapts a TTS to another output rate. */
export function resampledTts(tts: Tts, sampleRate: SampleRate): Tts {
  if (tts.sampleRate === sampleRate) return tts
  return {
    name: tts.name,
    sampleRate,
    async open(context) {
      const voice = await tts.open(context)
      return { speak: (text, signal) => resampledSpeech(tts, sampleRate, voice.speak(text, signal)) }
    },
  }
}

/** Words stay with their chunk, although resampling delays the audio by a few milliseconds. No audio is lost. */
async function* resampledSpeech(
  { sampleRate: from }: Tts,
  to: SampleRate,
  chunks: AsyncIterable<SpokenChunk>,
): AsyncGenerator<SpokenChunk> {
  const resampler = new Resampler({ from, to })
  // A plain loop is enough: leaving it ends `chunks`, and the voice itself stops when the signal aborts.
  for await (const { frame, ...rest } of chunks) {
    yield { ...rest, frame: { samples: resampler.push(frame.samples), sampleRate: to } }
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
