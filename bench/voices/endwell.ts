import { concat } from '../../src/audio/index.ts'
import { LocalTts } from '../../src/providers/local/index.ts'
import { systemClock, systemRandom } from '../../src/scope/index.ts'
import { partContext } from '../../src/testing/index.ts'
import type { AudioFrame } from '../../src/audio/index.ts'
import type { Measure } from '../bench.ts'
import { clarity, type Spoken } from './clarity.ts'

const unaborted = new AbortController().signal

export const measure: Measure = async () => {
  const context = partContext({ clock: systemClock, random: systemRandom })
  const before = process.memoryUsage().rss
  const voice = await new LocalTts({ engine: 'espeak-wasm' }).open(context)
  const speak = async (sentence: string): Promise<Spoken> => {
    const askedAt = performance.now()
    let first: number | undefined
    const frames: AudioFrame[] = []
    for await (const { frame } of voice.speak(once(sentence), unaborted)) {
      first ??= performance.now() - askedAt
      frames.push(frame)
    }
    return { sound: concat(frames, frames[0]!.sampleRate), first: first! }
  }
  try {
    await speak('Hello.')
    return await clarity((process.memoryUsage().rss - before) / 2 ** 20, speak)
  } finally {
    await context.scope.close()
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}
