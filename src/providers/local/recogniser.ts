import { SignalStop, iterate, OptionError, type Scope } from '../../scope/index.ts'
import { LocalError } from './errors.ts'
import type { Grammar } from './grammar.ts'
import { WorkerThread, type ThreadFailure } from './worker-thread.ts'

export const PACKAGE = 'soundswallower'

/** The data that a recogniser's thread is set up with. */
export interface RecogniserData {
  readonly jsgf: string
  readonly words: readonly string[]
  readonly pronunciations: Readonly<Record<string, string>>
}

export interface Recognition {
  /** The best matching phrase; empty without a match. */
  readonly text: string
  /** How likely it is that something else was said: see `doubtOf`. */
  readonly doubt: number
}

export interface RecogniserOptions {
  readonly name: string
  readonly grammar: Grammar
  readonly pronunciations: Readonly<Record<string, string>>
}

/** Finds the phrase of a grammar that was spoken. */
export interface Recogniser {
  /** The samples are at 16 kHz and are transferred, so the caller cannot use them afterwards. */
  recognise(samples: Int16Array<ArrayBuffer>, signal: AbortSignal): Promise<Recognition>
  /** Sets the listener that is called if the recogniser dies on its own. */
  onDeath(listener: (error: Error) => void): void
}

/** Starts a recogniser in its own thread. The scope owns it. */
export async function openRecogniser(
  scope: Scope<string>,
  { name, grammar, pronunciations }: RecogniserOptions,
): Promise<Recogniser> {
  const data: RecogniserData = { jsgf: grammar.jsgf, words: [...grammar.words.keys()], pronunciations }
  const thread = await WorkerThread.open<Int16Array, Recognition>(scope, {
    name,
    file: 'recogniser-thread',
    data,
    stateless: true,
    setUpError: (failure) => setUpError(name, grammar, failure),
  })
  return {
    recognise: async (samples, signal) => {
      const stop = new SignalStop(signal, scope)
      try {
        let found: Recognition | undefined
        // To the end, after which the thread is idle.
        for await (const each of iterate(thread.process(samples, [samples.buffer]), stop)) found = each
        if (found) return found
        throw new LocalError('ENGINE_FAILED', `'${name}' returned no result`)
      } finally {
        stop.release()
      }
    },
    onDeath: (listener) => thread.onDeath(listener),
  }
}

function setUpError(name: string, grammar: Grammar, { message, detail }: ThreadFailure): Error {
  if (typeof detail === 'string') return new OptionError(`${name}: option pronunciations: ${message}`)
  if (!Array.isArray(detail))
    return new LocalError('ENGINE_FAILED', `${name} could not be set up: ${message}`)
  const words = detail.map((word: string) => `'${word}' in '${grammar.words.get(word)}'`)
  return new LocalError(
    'UNKNOWN_WORD',
    `${name} does not know how to pronounce ${words.join(', ')}. Use other words, or add their pronunciation ` +
      `in the option pronunciations: { endwell: 'EH N D W EH L' }`,
  )
}
