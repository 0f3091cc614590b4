import { grammarOf } from '../../src/providers/local/grammar.ts'
import { openRecogniser } from '../../src/providers/local/recogniser.ts'
import type { Scope } from '../../src/scope/index.ts'
import type { Sample } from '../bench.ts'
import { understanding } from './understanding.ts'

const unaborted = new AbortController().signal

/** The recogniser of `LocalStt` with these phrases. */
export async function recognition(scope: Scope<string>, phrases: readonly string[]): Promise<Sample> {
  const before = process.memoryUsage().rss
  const openedAt = performance.now()
  const grammar = grammarOf(phrases)
  const recogniser = await openRecogniser(scope, { name: 'bench', grammar, pronunciations: {} })
  const open = performance.now() - openedAt
  const memory = (process.memoryUsage().rss - before) / 2 ** 20
  const understood = await understanding(async (samples) => {
    const { doubt, text } = await recogniser.recognise(samples, unaborted)
    return doubt <= 1 ? text : undefined
  })
  return { open, memory, ...understood }
}
