import { dirname, join } from 'node:path'
import { requirePackage } from './require-package.ts'
import { doubtOf, type Segment } from './doubt.ts'
import { SetUpError, serve } from './thread-server.ts'
import type { Recognition, RecogniserData } from './recogniser.ts'

/** The part of `soundswallower` that is used. Its own types depend on packages that it does not install. */
interface SoundSwallower {
  readonly Decoder: new (config: Readonly<Record<string, unknown>>) => Decoder
}

interface Decoder {
  initialize(): Promise<void>
  add_words(...words: readonly (readonly [word: string, sounds: string])[]): void
  lookup_word(word: string): string | null
  set_grammar(jsgf: string): void
  start(): void
  stop(): void
  process_audio(samples: Float32Array, noSearch: boolean, whole: boolean): void
  get_text(): string
  get_alignment(): { readonly w: readonly Segment[] }
}

type Create = (options: Readonly<Record<string, unknown>>) => Promise<SoundSwallower>

await serve<Int16Array, Recognition>(async (data) => {
  const { jsgf, words, pronunciations } = data as RecogniserData
  const decoder = await load()
  for (const [word, sounds] of Object.entries(pronunciations)) teach(decoder, word, sounds)
  const unknown = words.filter((word) => decoder.lookup_word(word) === null)
  if (unknown.length > 0) throw new SetUpError('the dictionary lacks some words', unknown)
  decoder.set_grammar(jsgf)
  return (samples, emit) => emit(recognise(decoder, samples))
})

async function load(): Promise<Decoder> {
  const folder = dirname(requirePackage('soundswallower', 'the recogniser'))
  const { default: create } = (await import('soundswallower')) as unknown as { default: Create }
  const quiet = (): void => {}
  const { Decoder } = await create({ modelBase: join(folder, 'model/'), print: quiet, printErr: quiet })
  const decoder = new Decoder({
    samprate: 16_000,
    loglevel: 'FATAL',
    // Disables the fillers for noise and unknown speech, which would match anything outside the grammar at no cost.
    // Without them such audio has to be matched to words, which then fit badly.
    fillprob: 1e-100,
  })
  await decoder.initialize()
  return decoder
}

function teach(decoder: Decoder, word: string, sounds: string): void {
  try {
    decoder.add_words([word, sounds])
  } catch {
    throw new SetUpError(
      `'${sounds}' is not a valid ARPAbet pronunciation of '${word}', or the dictionary already has the word`,
      word,
    )
  }
}

function recognise(decoder: Decoder, samples: Int16Array): Recognition {
  decoder.start()
  decoder.process_audio(withNoise(samples), false, true)
  decoder.stop()
  const text = decoder.get_text()
  if (text === '') return { text, doubt: Infinity }
  return { text, doubt: doubtOf(decoder.get_alignment().w) }
}

/**
 * Converts samples to floats and adds inaudible noise: the model cannot handle the digital silence of microphones with
 * noise suppression. The noise is always the same, so that recognition is deterministic.
 */
function withNoise(samples: Int16Array): Float32Array {
  let seed = 1
  return Float32Array.from(samples, (sample) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return sample / 32_768 + (seed / 0x7fffffff - 0.5) * 6e-4
  })
}
