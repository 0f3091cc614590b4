import type { AudioFormat } from '../audio/index.ts'
import { OptionError } from '../scope/index.ts'

/** Which formats each part must declare. */
const declared: Readonly<Record<string, readonly ('hears' | 'speaks')[]>> = {
  line: ['hears', 'speaks'],
  stt: ['hears'],
  vad: ['hears'],
  tts: ['speaks'],
  filter: ['hears'],
  realtime: ['hears', 'speaks'],
}

/** Throws an `OptionError` if an option is not a part of its kind. `where` precedes its name in the message. */
export function checkPart(kind: string, part: unknown, where = ''): void {
  // Also what a class inherits, or has a getter for.
  const members = Object(part) as Readonly<Record<string, unknown>>
  const name = `${where}${kind}`
  if (typeof members['open'] !== 'function')
    throw new OptionError(`${name} is not a part: it has no open(). Pass an instance, such as new TestLine()`)
  for (const field of declared[kind] ?? [])
    if (![members[field]].flat().some(isFormat))
      throw new OptionError(
        `${name} does not declare its formats: set ${field}, for example to ${kind === 'line' ? 'pcm(16_000)' : '[pcm(16_000)]'}`,
      )
}

function isFormat(value: unknown): value is AudioFormat {
  return typeof value === 'object' && value !== null && 'encoding' in value && 'sampleRate' in value
}
