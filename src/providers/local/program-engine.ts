import { decodeWav } from '../../audio/index.ts'
import type { Scope } from '../../scope/index.ts'
import type { Speak, SpeakOptions, TtsEngine } from './engine.ts'
import { LocalError } from './errors.ts'
import { runProgram } from './program-run.ts'
import { levelled, resample } from './sound.ts'

/** Words a minute of espeak-ng at speed 1. Its own 175 is fast for a telephone. */
const WORDS_A_MINUTE = 160

/** Speaks by a program that is run once a sentence. */
export function programEngine(
  scope: Scope<string>,
  name: Exclude<TtsEngine, 'espeak-wasm'>,
  path: string,
  options: SpeakOptions,
): Speak {
  const program = { name, path, args: argsOf(name, options), timeout: options.timeout }
  return async (sentence, signal) => {
    const wav = await runProgram(scope, program, sentence, signal)
    return { samples: soundOf(name, wav) }
  }
}

function argsOf(name: 'flite' | 'espeak-ng', { voice, speed }: SpeakOptions): string[] {
  if (name === 'espeak-ng')
    return ['--stdin', '--stdout', '-v', voice ?? 'en-us', '-s', String(Math.round(WORDS_A_MINUTE * speed))]
  const stretch = `duration_stretch=${(1 / speed).toFixed(2)}`
  return ['-voice', voice ?? 'slt', '--setf', stretch, '-f', '/dev/stdin', '-o', '/dev/stdout']
}

function soundOf(name: string, wav: Uint8Array): Int16Array {
  try {
    const { channels, sampleRate } = decodeWav(wav)
    return levelled(resample(channels[0]!, sampleRate, 16_000))
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause)
    throw new LocalError('ENGINE_FAILED', `${name} did not answer with sound: ${words}`, { cause })
  }
}
