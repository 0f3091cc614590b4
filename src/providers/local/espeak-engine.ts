import { SignalStop, iterate, type Scope } from '../../scope/index.ts'
import type { Speak, SpeakOptions, SpokenSentence } from './engine.ts'
import { LocalError } from './errors.ts'
import type { ESpeakData } from './espeak-thread.ts'
import { WorkerThread } from './worker-thread.ts'

/** Words a minute at speed 1. Its own 175 is fast for a telephone. */
const WORDS_A_MINUTE = 160

/** Speaks by espeak-ng as WebAssembly, in a thread of its own. */
export async function espeakEngine(
  scope: Scope<string>,
  { voice = 'en-us', speed, timeout }: SpeakOptions,
): Promise<Speak> {
  const data: ESpeakData = { voice, wordsAMinute: Math.round(WORDS_A_MINUTE * speed) }
  const thread = await WorkerThread.open<string, SpokenSentence>(scope, {
    name: 'espeak-ng',
    file: 'espeak-thread',
    data,
  })
  return async (sentence, signal) => {
    const stop = new SignalStop(signal, scope)
    let late = false
    // It blocks its thread: there is no other way to end it.
    const timer = scope.clock.after(timeout, 'limit of espeak-ng', () => {
      late = true
      thread.abort()
    })
    try {
      for await (const spoken of iterate(thread.ask(sentence), stop)) return spoken
      throw new LocalError('ENGINE_FAILED', 'espeak-ng did not answer with sound')
    } catch (error) {
      if (!late) throw error
      const why = `espeak-ng took longer than ${timeout} ms and was ended: raise \`timeout\``
      throw new LocalError('ENGINE_TIMEOUT', why, { cause: error })
    } finally {
      timer.clear()
      stop.release()
    }
  }
}
