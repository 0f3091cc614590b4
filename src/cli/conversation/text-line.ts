import { durationOf, pcm } from '../../audio/index.ts'
import type { Line, LineConnection, LineEvents, PartContext } from '../../parts/index.ts'
import { noop } from '../../scope/index.ts'

/** A line to somebody who types and reads. Whatever is sent has been read at once. */
export class TextLine implements Line {
  readonly name = 'terminal'
  readonly hears = pcm(16_000)
  readonly speaks = pcm(16_000)
  /** Called when the next words have been sent. */
  onPlay: () => void = noop
  #events: LineEvents | undefined
  /** Milliseconds of sound since the last mark. */
  #played = 0

  async open({ scope }: PartContext, events: LineEvents): Promise<LineConnection> {
    this.#events = events
    const end = (): void => (this.#events = undefined)
    scope.own('terminal', { closing: end, close: async () => end(), abort: end })
    return {
      play: (frame) => {
        this.#played += durationOf(frame)
        this.onPlay()
      },
      mark: (id) => {
        const heard = this.#played
        this.#played = 0
        if (this.#events) scope.after(0, `mark ${id} is read`, () => this.#events?.marked(id, heard))
      },
      clear: noop,
    }
  }

  types(text: string): void {
    this.#events?.text(text)
  }

  hangUp(): void {
    const events = this.#events
    this.#events = undefined
    events?.hungUp()
  }
}
