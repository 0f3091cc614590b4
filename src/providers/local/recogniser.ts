import { SignalStop, iterate, OptionError, type Scope } from '../../scope/index.ts'
import { LocalError } from './errors.ts'
import type { Grammar } from './grammar.ts'
import { needPackage } from './packages.ts'
import { WorkerThread, type Refusal } from './worker-thread.ts'

/** What the thread of a recogniser is set up with. */
export interface RecogniserData {
  readonly jsgf: string
  readonly words: readonly string[]
  readonly pronunciations: Readonly<Record<string, string>>
}

export interface Recognition {
  /** The phrase of the grammar that is nearest; empty if none is near at all. */
  readonly text: string
  /** How sure it is that something else was said: see `doubtOf`. */
  readonly doubt: number
}

export interface RecogniserOptions {
  readonly name: string
  readonly grammar: Grammar
  readonly pronunciations: Readonly<Record<string, string>>
}

/** Finds the phrase of a grammar that was said. */
export interface Recogniser {
  /** At 16 kHz. Takes the samples with it. */
  recognise(samples: Int16Array<ArrayBuffer>, signal: AbortSignal): Promise<Recognition>
  /** Calls back if it dies by itself. */
  onDeath(listener: (error: Error) => void): void
}

/** Starts a recogniser in a thread of its own. The scope owns it. */
export async function openRecogniser(
  scope: Scope<string>,
  { name, grammar, pronunciations }: RecogniserOptions,
): Promise<Recogniser> {
  needPackage('soundswallower', name)
  const data: RecogniserData = { jsgf: grammar.jsgf, words: [...grammar.words.keys()], pronunciations }
  const thread = await WorkerThread.open<Int16Array, Recognition>(scope, {
    name,
    file: 'recogniser-thread',
    data,
    refused: (error) => refusal(name, grammar, error),
  })
  return {
    recognise: async (samples, signal) => {
      const stop = new SignalStop(signal, scope)
      try {
        for await (const found of iterate(thread.ask(samples, [samples.buffer]), stop)) return found
        throw new LocalError('ENGINE_FAILED', `'${name}' did not answer`)
      } finally {
        stop.release()
      }
    },
    onDeath: (listener) => thread.onDeath(listener),
  }
}

function refusal(name: string, grammar: Grammar, { message, detail }: Refusal): Error {
  if (typeof detail === 'string') return new OptionError(`${name}: option pronunciations: ${message}`)
  if (!Array.isArray(detail)) return new LocalError('ENGINE_FAILED', `${name} cannot be set up: ${message}`)
  const words = detail.map((word: string) => `'${word}' in '${grammar.words.get(word)}'`)
  return new LocalError(
    'UNKNOWN_WORD',
    `${name} does not know how these words sound: ${words.join(', ')}. Use others, or say how they sound, ` +
      `in the option pronunciations: { endwell: 'EH N D W EH L' }`,
  )
}
