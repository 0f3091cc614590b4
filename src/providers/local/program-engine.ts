import { decodeWav } from '../../audio/index.ts'
import type { Scope } from '../../scope/index.ts'
import { espeakWordsPerMinute, type ProgramEngine, type Speak, type SpeakOptions } from './engine.ts'
import { LocalError } from './errors.ts'
import { normalise } from './normalise.ts'
import { resample } from './resample.ts'
import { runProgram } from './run-program.ts'

/** Runs a program once per sentence. */
export function programEngine(
  scope: Scope<string>,
  name: ProgramEngine,
  path: string,
  options: SpeakOptions,
): Speak {
  const program = { name, path, args: argsOf(name, options), timeout: options.timeout }
  return async (sentence, signal) => {
    const wav = await runProgram(scope, program, sentence, signal)
    return { samples: samplesOf(name, wav) }
  }
}

function argsOf(name: ProgramEngine, { voice, speed }: SpeakOptions): string[] {
  if (name === 'espeak-ng')
    return ['--stdin', '--stdout', '-v', voice ?? 'en-us', '-s', String(espeakWordsPerMinute(speed))]
  const stretch = `duration_stretch=${(1 / speed).toFixed(2)}`
  return ['-voice', voice ?? 'slt', '--setf', stretch, '-f', '/dev/stdin', '-o', '/dev/stdout']
}

function samplesOf(name: string, wav: Uint8Array): Int16Array {
  try {
    const { channels, sampleRate } = decodeWav(wav)
    return normalise(resample(channels[0]!, sampleRate, 16_000))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new LocalError('ENGINE_FAILED', `${name} did not produce audio: ${why}`, { cause })
  }
}
