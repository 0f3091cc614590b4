import { clips } from '../../test/fixtures/speech.ts'
import type { Measure } from '../bench.ts'
import { understanding } from '../local/understanding.ts'
import { plain, wordErrors } from '../word-errors.ts'
import { openMoonshine } from './moonshine-model.ts'

/** The figures of the tiny English model. Empty if npm cannot be reached. */
export const measure: Measure = async () => {
  const before = process.memoryUsage().rss
  const openedAt = performance.now()
  const transcribe = await openMoonshine()
  if (!transcribe) return {}
  await transcribe(new Int16Array(16_000))
  const open = performance.now() - openedAt
  const memory = (process.memoryUsage().rss - before) / 2 ** 20
  const phrases = new Set(clips.filter(({ kind }) => kind === 'in').map(({ text }) => text))
  let wrong = 0
  let spoken = 0
  const texts: string[] = []
  const understood = await understanding(async (samples) => {
    const text = plain(await transcribe(samples))
    texts.push(text)
    return phrases.has(text) ? text : undefined
  })
  const perClip = texts.length / clips.length
  for (const [index, text] of texts.entries()) {
    const said = clips[Math.floor(index / perClip)]!.text.split(' ')
    wrong += wordErrors(said, text.split(' '))
    spoken += said.length
  }
  return { open, memory, words: (100 * wrong) / spoken, ...understood }
}
