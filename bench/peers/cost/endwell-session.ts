import type { Line, LineConnection, LineEvents } from '../../../src/parts/index.ts'
import { pcm } from '../../../src/audio/index.ts'
import { noop } from '../../../src/scope/index.ts'
import { Agent, Session, type Models } from '../../../src/session/index.ts'
import { RATE, type CostSession } from './cost-subject.ts'

const agent = new Agent({ instructions: 'You answer the phone.' })

/** A session of endwell on a line that takes every frame at once, and reports playout only when it is cleared. */
export async function startSession(models: Models): Promise<CostSession> {
  const line = new OpenLine()
  const session = new Session({ agent, models, line })
  await session.start()
  return {
    reply() {
      const heard = line.next('play')
      session.addText('Hello.')
      session.reply()
      return heard
    },
    interrupt() {
      const cleared = line.next('clear')
      session.interrupt()
      return cleared
    },
    close: () => session.close().then(noop),
  }
}

class OpenLine implements Line {
  readonly name = 'line'
  readonly hears = pcm(RATE)
  readonly speaks = pcm(RATE)
  #on: { play: () => void; clear: () => void } = { play: noop, clear: noop }

  /** Resolves when the line is next made to play, or to stop. */
  next(what: 'play' | 'clear'): Promise<void> {
    return new Promise((resolve) => {
      this.#on[what] = resolve
    })
  }

  async open({ scope }: Parameters<Line['open']>[0], events: LineEvents): Promise<LineConnection> {
    let marks: number[] = []
    const connection = {
      play: () => this.#on.play(),
      mark: (id: number) => void marks.push(id),
      clear: () => {
        this.#on.clear()
        const cleared = marks
        marks = []
        queueMicrotask(() => {
          for (const id of cleared) events.marked(id)
        })
      },
      close: noop,
      abort: noop,
    }
    return scope.own('line', connection)
  }
}
