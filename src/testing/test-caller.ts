import { concat, silence, sine, type AudioFrame } from '../audio/index.ts'
import { soundOf } from './sound-text.ts'
import type { TestConnection } from './test-connection.ts'

/** Milliseconds of speech per character: about the pace of people. */
export const MS_PER_CHARACTER = 50

/** The caller at the other end of a `TestLine`. */
export class TestCaller {
  readonly #line: () => TestConnection

  constructor(line: () => TestConnection) {
    this.#line = line
  }

  /**
   * Speaks at normal speed: words, which a `ScriptedStt` of the line's rate understands; a tone of this many milliseconds;
   * or audio of your own. Resolves when everything has been said, or the call has ended.
   */
  says(what: string | number | readonly AudioFrame[]): Promise<void> {
    const line = this.#line()
    const { sampleRate } = line
    if (typeof what === 'string') return line.says(soundOf(what, sampleRate, MS_PER_CHARACTER))
    if (typeof what === 'number') return line.says(sine(300, { sampleRate, duration: what }))
    return line.says(concat(what, sampleRate))
  }

  /** Sends silence for this many milliseconds, which energy VADs need. */
  pauses(ms: number): Promise<void> {
    const line = this.#line()
    return line.says(silence(ms, line.sampleRate))
  }

  types(text: string): void {
    this.#line().types(text)
  }

  /** Presses phone keys, one after another. */
  presses(digits: string): void {
    for (const digit of digits) this.#line().presses(digit)
  }

  hangsUp(): void {
    this.#line().hangsUp()
  }

  /** The connection breaks, and the line waits for the caller. */
  goesAway(): void {
    this.#line().goesAway()
  }

  /** The connection is back. */
  comesBack(): void {
    this.#line().comesBack()
  }

  /** Disconnects without hanging up. */
  vanishes(error?: unknown): void {
    this.#line().vanishes(error)
  }

  /**
   * Resolves when the caller has heard these words, at any time in the call, or any audio if no words are given. Rejects
   * if the call ends first.
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
            new Error(
              `the call ended before the caller heard ${words === undefined ? 'anything' : `'${words}'; heard: '${line.heardText}'`}`,
            ),
          )
        else return
        stop()
      }
      const stop = line.watch(check)
      check()
    })
  }
}
