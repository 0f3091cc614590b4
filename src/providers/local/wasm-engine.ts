import { SignalStop, iterate, type Scope } from '../../scope/index.ts'
import { espeakWordsPerMinute, type Speak, type SpeakOptions, type SpokenSentence } from './engine.ts'
import { LocalError } from './errors.ts'
import type { ESpeakData } from './espeak-thread.ts'
import type { FliteData } from './flite-thread.ts'
import { compileWasm } from './wasi-program.ts'
import { WorkerThread } from './worker-thread.ts'

/** Runs Flite as WebAssembly in a worker thread. */
export async function fliteEngine(
  scope: Scope<string>,
  path: string,
  { voice = 'slt', speed, timeout }: SpeakOptions,
): Promise<Speak> {
  const data: FliteData = { module: await compileWasm(path), voice, speed }
  return wasmEngine(scope, { name: 'flite', file: 'flite-thread', data, timeout })
}

/** Runs espeak-ng as WebAssembly in a worker thread. */
export function espeakEngine(
  scope: Scope<string>,
  { voice = 'en-us', speed, timeout }: SpeakOptions,
): Promise<Speak> {
  const data: ESpeakData = { voice, wordsPerMinute: espeakWordsPerMinute(speed) }
  return wasmEngine(scope, { name: 'espeak-ng', file: 'espeak-thread', data, timeout })
}

interface WasmOptions {
  readonly name: string
  readonly file: 'espeak-thread' | 'flite-thread'
  readonly data: ESpeakData | FliteData
  readonly timeout: number
}

async function wasmEngine(scope: Scope<string>, { name, file, data, timeout }: WasmOptions): Promise<Speak> {
  const thread = await WorkerThread.open<string, SpokenSentence>(scope, { name, file, data, stateless: true })
  return async (sentence, signal) => {
    const stop = new SignalStop(signal, scope)
    let late = false
    // The engine blocks its thread, so it can only be ended together with the thread.
    const timer = scope.clock.after(timeout, `timeout of ${name}`, () => {
      late = true
      thread.abort()
    })
    try {
      let spoken: SpokenSentence | undefined
      // To the end, after which the thread is idle.
      for await (const each of iterate(thread.process(sentence), stop)) spoken = each
      if (spoken) return spoken
      throw new LocalError('ENGINE_FAILED', `${name} did not produce audio`)
    } catch (error) {
      if (!late) throw error
      const why = `${name} took longer than ${timeout} ms and was aborted: raise \`timeout\``
      throw new LocalError('ENGINE_TIMEOUT', why, { cause: error })
    } finally {
      timer.clear()
      stop.release()
    }
  }
}
