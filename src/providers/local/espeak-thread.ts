import type { SpokenSentence } from './engine.ts'
import { levelled, resample } from './sound.ts'
import { timedWords } from './timed-words.ts'
import { serve } from './thread-server.ts'

/** What is used of the package; it brings no types. */
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
  /** Counted from 1. */
  readonly text_position: number
  /** In milliseconds. */
  readonly audio_position: number
}

export interface ESpeakData {
  readonly voice: string
  readonly wordsAMinute: number
}

await serve<string, SpokenSentence>(async (data) => {
  const { voice, wordsAMinute } = data as ESpeakData
  const name = '@echogarden/espeak-ng-emscripten'
  const { default: create } = (await import('@echogarden/espeak-ng-emscripten')) as unknown as {
    default: () => Promise<ESpeak>
  }
  const { eSpeakNGWorker: Voice } = await create()
  const espeak = new Voice()
  if (espeak.set_voice(voice) !== 0) throw new Error(`${name} has no voice '${voice}': try en-us, or en-gb`)
  espeak.rate = wordsAMinute
  // What runs for the first time runs slowly. Better now than when a caller waits for the greeting.
  speak(espeak, 'Good morning.')
  return (sentence, answer) => {
    const spoken = speak(espeak, sentence)
    answer(spoken, [spoken.samples.buffer as ArrayBuffer])
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
  const samples = levelled(resample(whole, espeak.samplerate, 16_000))
  return { samples, words: timedWords(sentence, starts, samples.length / 16) }
}
