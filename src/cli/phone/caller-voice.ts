import { readFile } from 'node:fs/promises'
import { asSampleRate, concat, decodeWav, type AudioFrame } from '../../audio/index.ts'
import { EndwellError, describeError, systemClock, systemRandom } from '../../scope/index.ts'
import { utterancesOf } from './utterances.ts'

/** A file that `endwell phone` reads or writes cannot be used. */
export class CallFileError extends EndwellError {
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super('CALL_FILE', `${file} ${problem}`, options)
  }
}

/** The utterances of a recording. */
export async function recordedVoice(file: string): Promise<readonly AudioFrame[]> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new CallFileError(file, 'does not exist', { cause: error })
    if (error.code === 'EISDIR')
      throw new CallFileError(file, 'is a folder: name a WAV file', { cause: error })
    throw new CallFileError(file, `cannot be read: ${error.message}`, { cause: error })
  })
  try {
    const { channels, sampleRate } = decodeWav(bytes)
    return utterancesOf({ samples: channels[0]!, sampleRate: asSampleRate(sampleRate) })
  } catch (error) {
    throw new CallFileError(file, `cannot be played: ${describeError(error).message}`, { cause: error })
  }
}

/** Speaks the texts with the local voice, one utterance each. Needs its package. */
export async function spokenVoice(texts: readonly string[]): Promise<readonly AudioFrame[]> {
  const { LocalTts } = await import('../../providers/local/index.ts')
  const { partContext } = await import('../../testing/index.ts')
  // Another voice than the agent's, for those who listen to the recording.
  const tts = new LocalTts({ voice: 'rms' })
  const context = partContext({ clock: systemClock, random: systemRandom })
  try {
    const voice = await tts.open(context)
    const { signal } = new AbortController()
    const utterances: AudioFrame[] = []
    for (const text of texts) {
      const frames: AudioFrame[] = []
      for await (const { frame } of voice.speak(once(text), signal)) frames.push(frame)
      utterances.push(concat(frames, 16_000))
    }
    return utterances
  } finally {
    await context.scope.close()
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}
