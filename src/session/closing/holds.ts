import { EndwellError, callOut, noop, type Timer } from '../../scope/index.ts'
import type { SessionContext } from '../context.ts'
import { limits } from '../limits.ts'
import { holdMusic } from '../speaking/hold-music.ts'
import { checkLoop, type SoundOptions } from '../speaking/sound-loop.ts'
import { holdNames, type Hold, type HoldOptions } from './asks.ts'
import type { Closing } from './closing.ts'

/** One reason why the caller has to wait. */
interface Waiting {
  sound: SoundOptions | undefined
  timer: Timer | undefined
}

/**
 * Puts the caller on hold (HD1). Several holds may overlap: the caller hears the sound of the latest, and turns are taken again
 * when the last one has ended.
 *
 *   hold ─▶ words, then music · no turns, keys ignored, nobody idle ── resume · time limit · transfer · close ─▶ turns again
 */
export class Holds {
  readonly #context: SessionContext
  readonly #closing: Closing
  readonly #waiting = new Set<Waiting>()
  /** What the caller hears now. */
  #sound: SoundOptions | undefined

  constructor(context: SessionContext, closing: Closing) {
    this.#context = context
    this.#closing = closing
  }

  /** If the session is ending or closed, nothing happens. */
  hold(options: HoldOptions = {}): Hold {
    const work = this.#closing.work('put the caller on hold')
    this.#closing.optionsOf('hold', options, holdNames)
    if (work instanceof EndwellError) return { resume: noop }
    const { say, timeout = limits.hold } = options
    if (say !== undefined) work.answering.say(say, { interruptible: false })
    const waiting = this.begin(this.soundOf(options))
    waiting.timer = this.#context.scope.after(Number.isFinite(timeout) ? timeout : limits.hold, 'hold', () =>
      this.end(waiting),
    )
    // The handle may outlive the session: it does not keep a reference after its use.
    let end: (() => void) | undefined = () => this.end(waiting)
    return {
      resume: () => {
        const ends = end
        end = undefined
        ends?.()
      },
    }
  }

  /** The sound of a hold. One that cannot be played is reported, and replaced by the music (FA7). */
  soundOf({ sound, volume }: Pick<HoldOptions, 'sound' | 'volume'>): SoundOptions {
    const music = { sound: holdMusic() }
    const wanted = { sound: sound ?? music.sound, ...(volume === undefined ? {} : { volume }) }
    let failed = false
    callOut(
      () => checkLoop('hold', wanted),
      (error) => {
        failed = true
        this.#context.failed('hold', error)
      },
    )
    return failed ? music : wanted
  }

  /** The caller waits from now on. Without a sound: with the carrier, who plays its own. */
  begin(sound?: SoundOptions): Waiting {
    const { hearing } = this.#closing.stations!
    const waiting: Waiting = { sound, timer: undefined }
    const isFirst = this.#waiting.size === 0
    this.#waiting.add(waiting)
    if (isFirst) hearing.turnOff()
    this.#play()
    if (isFirst) this.#context.events.emit('hold', { held: true })
    return waiting
  }

  /** Ends every hold but this one. */
  replace(waiting: Waiting): void {
    for (const each of this.#waiting) if (each !== waiting) this.end(each)
  }

  change(waiting: Waiting, sound: SoundOptions | undefined): void {
    waiting.sound = sound
    this.#play()
  }

  /** The caller need not wait for this any more. */
  end(waiting: Waiting): void {
    waiting.timer?.clear()
    if (!this.#waiting.delete(waiting) || !this.#context.isOpen) return
    this.#play()
    if (this.#waiting.size > 0) return
    if (this.#closing.state === 'live') this.#closing.stations?.hearing.turnOn()
    this.#context.events.emit('hold', { held: false })
  }

  #play(): void {
    const { speaking } = this.#closing.stations ?? {}
    const sound = [...this.#waiting].findLast((each) => each.sound)?.sound
    if (sound !== this.#sound) speaking?.hold(sound)
    this.#sound = sound
  }
}
