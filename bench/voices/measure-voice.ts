import { concat, type AudioFrame } from '../../src/audio/index.ts'
import type { Voice } from '../../src/parts/index.ts'
import { LocalTts, type LocalTtsOptions } from '../../src/providers/local/index.ts'
import { systemClock, systemRandom } from '../../src/scope/index.ts'
import { partContext } from '../../src/testing/index.ts'
import type { Sample } from '../bench.ts'
import { openMoonshine } from '../ears/moonshine-model.ts'
import { inSilence } from '../local/surroundings.ts'
import { median } from '../median.ts'
import { cpuTime } from '../sampling.ts'
import { plain, wordErrors } from '../word-errors.ts'
import { clinicSentences, harvardSentences } from './sentences.ts'

const unaborted = new AbortController().signal
/** Samples that are louder are sound, not silence. */
const AUDIBLE = 300

interface Spoken {
  readonly sound: AudioFrame
  /** Milliseconds until a caller would hear something: until the first frame, and the silence it starts with. */
  readonly first: number
}

/** The figures of a local voice. */
export async function measureVoice(options: LocalTtsOptions): Promise<Sample> {
  const context = partContext({ clock: systemClock, random: systemRandom })
  const before = process.memoryUsage().rss
  try {
    const askedAt = performance.now()
    const voice = await new LocalTts(options).open(context)
    const open = performance.now() - askedAt
    const { first: greeting } = await speak(voice, 'Good morning, Bright Dental.')
    for (const sentence of harvardSentences) await speak(voice, sentence)
    const memory = (process.memoryUsage().rss - before) / 2 ** 20
    const spoken: Spoken[] = []
    const took = await cpuTime(async () => {
      for (const sentence of clinicSentences) spoken.push(await speak(voice, sentence))
    })
    const seconds = spoken.reduce((sum, { sound }) => sum + sound.samples.length / sound.sampleRate, 0)
    const first = median(spoken.map((each) => each.first))
    return { open, greeting, first, speech: took / 1_000 / seconds, memory, ...(await clarity(voice)) }
  } finally {
    await context.scope.close()
  }
}

async function speak(voice: Voice, sentence: string): Promise<Spoken> {
  const askedAt = performance.now()
  let first = 0
  const frames: AudioFrame[] = []
  for await (const { frame } of voice.speak(once(sentence), unaborted)) {
    if (frames.length === 0) first = performance.now() - askedAt
    frames.push(frame)
  }
  const sound = concat(frames, frames[0]!.sampleRate)
  const silent = sound.samples.findIndex((sample) => Math.abs(sample) > AUDIBLE)
  return { sound, first: first + (1_000 * silent) / sound.sampleRate }
}

/** The share of words that Moonshine hears wrong. Empty without a network. */
async function clarity(voice: Voice): Promise<Sample> {
  const transcribe = await openMoonshine()
  if (!transcribe) return {}
  let [wrong, said] = [0, 0]
  for (const sentence of [...clinicSentences, ...harvardSentences]) {
    const { sound } = await speak(voice, sentence)
    const words = plain(sentence).split(' ')
    wrong += wordErrors(words, plain(await transcribe(inSilence(sound.samples))).split(' '))
    said += words.length
  }
  return { words: (100 * wrong) / said }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}
