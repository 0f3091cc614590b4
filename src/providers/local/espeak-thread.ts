import type { SpokenSentence } from './engine.ts'
import { normalise } from './normalise.ts'
import { resample } from './resample.ts'
import { timedWords } from './timed-words.ts'
import { serve } from './thread-server.ts'

/** The part of the package that is used. It has no types of its own. */
interface ESpeak {
  readonly eSpeakNGWorker: new () => ESpeakVoice
}

interface ESpeakVoice {
  rate: number
  readonly samplerate: number
  set_voice(name: string): number
  synthesize(text: string, take: (sound: Int16Array | null, events: readonly ESpeakEvent[]) => boolean): void
}

interface ESpeakEvent {
  readonly type: string
  /** 1-based. */
  readonly text_position: number
  /** In milliseconds. */
  readonly audio_position: number
}

export interface ESpeakData {
  readonly voice: string
  readonly wordsPerMinute: number
}

await serve<string, SpokenSentence>(async (data) => {
  const { voice, wordsPerMinute } = data as ESpeakData
  const name = '@echogarden/espeak-ng-emscripten'
  const { default: create } = (await import('@echogarden/espeak-ng-emscripten')) as unknown as {
    default: () => Promise<ESpeak>
  }
  const { eSpeakNGWorker: Voice } = await create()
  const espeak = new Voice()
  if (espeak.set_voice(voice) !== 0) throw new Error(`${name} has no voice '${voice}': try en-us or en-gb`)
  espeak.rate = wordsPerMinute
  // Warms up: the first run is slow, and the next one may be a greeting that a caller waits for.
  speak(espeak, 'Good morning.')
  return (sentence, emit) => {
    const spoken = speak(espeak, sentence)
    emit(spoken, [spoken.samples.buffer as ArrayBuffer])
  }
})

function speak(espeak: ESpeakVoice, sentence: string): SpokenSentence {
  const sounds: Int16Array[] = []
  const starts: { at: number; position: number }[] = []
  espeak.synthesize(sentence, (sound, events) => {
    if (sound && sound.length > 0) sounds.push(sound)
    for (const { type, text_position, audio_position } of events)
      if (type === 'word') starts.push({ at: audio_position, position: text_position - 1 })
    return false
  })
  const whole = new Int16Array(sounds.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const sound of sounds) {
    whole.set(sound, at)
    at += sound.length
  }
  const samples = normalise(resample(whole, espeak.samplerate, 16_000))
  return { samples, words: timedWords(sentence, starts, samples.length / 16) }
}
