import { SignalStop, iterate, type Scope } from '../../scope/index.ts'
import { espeakWordsPerMinute, type Speak, type SpeakOptions, type SpokenSentence } from './engine.ts'
import { LocalError } from './errors.ts'
import type { ESpeakData } from './espeak-thread.ts'
import { WorkerThread } from './worker-thread.ts'

/** Runs espeak-ng as WebAssembly in a worker thread. */
export async function espeakEngine(
  scope: Scope<string>,
  { voice = 'en-us', speed, timeout }: SpeakOptions,
): Promise<Speak> {
  const data: ESpeakData = { voice, wordsPerMinute: espeakWordsPerMinute(speed) }
  const thread = await WorkerThread.open<string, SpokenSentence>(scope, {
    name: 'espeak-ng',
    file: 'espeak-thread',
    data,
    stateless: true,
  })
  return async (sentence, signal) => {
    const stop = new SignalStop(signal, scope)
    let late = false
    // espeak-ng blocks its thread, so it can only be ended together with the thread.
    const timer = scope.clock.after(timeout, 'timeout of espeak-ng', () => {
      late = true
      thread.abort()
    })
    try {
      let spoken: SpokenSentence | undefined
      // To the end, after which the thread is idle.
      for await (const each of iterate(thread.process(sentence), stop)) spoken = each
      if (spoken) return spoken
      throw new LocalError('ENGINE_FAILED', 'espeak-ng did not produce audio')
    } catch (error) {
      if (!late) throw error
      const why = `espeak-ng took longer than ${timeout} ms and was aborted: raise \`timeout\``
      throw new LocalError('ENGINE_TIMEOUT', why, { cause: error })
    } finally {
      timer.clear()
      stop.release()
    }
  }
}
