import { concat, silence, sine, type AudioFrame } from '../audio/index.ts'
import { soundOf } from './sound-text.ts'
import type { TestConnection } from './test-connection.ts'

/** How long the caller needs for a character: about what people need. */
const MS_PER_CHARACTER = 50

/** The one at the other end of a `TestLine`. */
export class TestCaller {
  readonly #line: () => TestConnection

  constructor(line: () => TestConnection) {
    this.#line = line
  }

  /**
   * Speaks, frame by frame, as long as it takes: words, which a `ScriptedStt` of the line's rate understands; so many
   * milliseconds of a tone; or sound of your own. Resolves when it has been said, or the call is over.
   */
  says(what: string | number | readonly AudioFrame[]): Promise<void> {
    const line = this.#line()
    const { sampleRate } = line
    if (typeof what === 'string') return line.says(soundOf(what, sampleRate, MS_PER_CHARACTER))
    if (typeof what === 'number') return line.says(sine(300, { sampleRate, duration: what }))
    return line.says(concat(what, sampleRate))
  }

  /** Is silent, audibly, for so long: energy VADs need to hear it. */
  pauses(ms: number): Promise<void> {
    const line = this.#line()
    return line.says(silence(ms, line.sampleRate))
  }

  types(text: string): void {
    this.#line().types(text)
  }

  /** Keys of the telephone, one after the other. */
  presses(digits: string): void {
    for (const digit of digits) this.#line().presses(digit)
  }

  hangsUp(): void {
    this.#line().hangsUp()
  }

  /** Is gone without a word. */
  vanishes(error?: unknown): void {
    this.#line().vanishes(error)
  }

  /**
   * Resolves when these words have been heard, anywhere in what was heard so far; without words, when any sound
   * was. Rejects if the call ends before.
   */
  hears(words?: string): Promise<void> {
    const line = this.#line()
    const heard = (): boolean =>
      words === undefined ? line.heard.length > 0 : line.heardText.includes(words)
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (heard()) resolve()
        else if (line.endedAt !== undefined)
          reject(
            new Error(`the call ended before '${words ?? 'a sound'}' was heard; heard: '${line.heardText}'`),
          )
        else return
        stop()
      }
      const stop = line.watch(check)
      check()
    })
  }
}
