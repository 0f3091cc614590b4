import {
  silence,
  durationOf,
  type AudioFrame,
  type PlayoutClock,
  type SampleRate,
} from '../../audio/index.ts'
import type { LineConnection } from '../../parts/index.ts'
import type { Timer } from '../../scope/index.ts'
import type { SessionContext } from '../context.ts'
import { SoundLoop, type SoundOptions, type SoundsOptions } from './sound-loop.ts'

/** How much sound is queued at the line, and how often more is added, in milliseconds. */
const LEAD = 400
const STEP = 100

/**
 * Plays the background and the thinking sound (SND1), and what the caller hears on hold (HD1). Only made if a session has these.
 *
 *   voice ─ mixed with the background ─▶ line ◀─ LEAD ms of background or thinking sound, while there is no voice
 *
 * What is queued is a stretch of its own on the playout clock, behind the last mark of the voice, and it is removed before the
 * voice begins. So it neither delays the voice nor counts as heard of it.
 */
export class Ambience {
  readonly #context: SessionContext
  readonly #playout: PlayoutClock
  readonly #line: LineConnection
  readonly #rate: SampleRate
  readonly #background: SoundLoop | undefined
  readonly #thinking: SoundLoop | undefined
  readonly #after: number
  /** What the caller hears on hold, instead of the other sounds. */
  #hold: SoundLoop | undefined
  /** `sending`: sound of the voice is being queued. `sent`: all of it is queued, and not yet heard, or it is paused. */
  #voice: 'none' | 'sending' | 'sent' = 'none'
  #thinks = false
  /** Since when neither the agent nor the caller has been heard. */
  #quietSince: number
  /** Whether the last sound in the line's queue is ours. */
  #isLast = false
  #stopped = false
  /** Whether the caller is with somebody else. */
  #away = false
  #timer: Timer | undefined

  constructor(context: SessionContext, playout: PlayoutClock, line: LineConnection, sounds: SoundsOptions) {
    const { sampleRate } = context.settings.line.speaks
    this.#context = context
    this.#playout = playout
    this.#line = line
    this.#rate = sampleRate
    this.#background = sounds.background && new SoundLoop(sounds.background, sampleRate)
    this.#thinking = sounds.thinking && new SoundLoop(sounds.thinking, sampleRate)
    this.#after = sounds.thinking?.after ?? 1_000
    this.#quietSince = context.now
    context.onThinking = this.#think.bind(this)
    context.events.on('hearing', () => this.#callerSpeaks())
    this.#fill()
  }

  /** The first sound of the voice is about to be sent. */
  voiceStarts(): void {
    this.#clear()
    this.#voice = 'sending'
  }

  /** Adds the background to sound of the voice. */
  under(frame: AudioFrame): AudioFrame {
    if (!this.#background) return frame
    const samples = Int16Array.from(frame.samples)
    this.#background.addTo(samples)
    return { samples, sampleRate: frame.sampleRate }
  }

  /** All sound of the voice has been sent: the background follows right behind it. */
  voiceSent(): void {
    this.#voice = 'sent'
    this.#fill()
  }

  /** The voice was silenced, and the line's queue cleared. It may go on, as one that starts. */
  voicePaused(): void {
    this.#voice = 'sent'
    this.#isLast = false
    this.#fill()
  }

  /** The voice is no longer heard. */
  voiceEnded(): void {
    this.#voice = 'none'
    this.#quietSince = this.#context.now
    this.#fill()
  }

  /** The caller is with somebody else, and hears nothing of us; or is back. */
  callerIsAway(away: boolean): void {
    if (away) this.#clear()
    this.#away = away
    this.#fill()
  }

  /** Plays a sound instead of the others while there is no voice. Without one, the others are played again (HD1). */
  hold(sound: SoundOptions | undefined): void {
    if (this.#voice === 'none') this.#clear()
    this.#hold = sound && new SoundLoop(sound, this.#rate)
    this.#fill()
  }

  /** Closing: nothing is played from now on. The line's queue is cleared elsewhere. */
  stop(): void {
    this.#stopped = true
    this.#timer?.clear()
  }

  #think(thinks: boolean): void {
    if (thinks === this.#thinks) return
    this.#thinks = thinks
    if (thinks) this.#quietSince = this.#context.now
    else if (this.#thinking && this.#voice === 'none') this.#clear()
    this.#fill()
  }

  /** The thinking sound must not talk over the caller. */
  #callerSpeaks(): void {
    if (!this.#thinks || this.#voice !== 'none') return
    this.#quietSince = this.#context.now
    this.#clear()
    this.#fill()
  }

  /** Keeps the line's queue filled, until the voice begins. */
  #fill(): void {
    this.#timer?.clear()
    if (this.#stopped || this.#away || this.#voice === 'sending' || !this.#context.isOpen) return
    const { now } = this.#context
    const waits = this.#thinksAt - now
    const plays = this.#hold !== undefined || this.#background !== undefined || waits <= 0
    if (plays) while ((this.#playout.endsAt ?? now) < now + LEAD) this.#play(waits <= 0)
    else if (waits === Infinity) return
    this.#timer = this.#context.scope.after(plays ? STEP : waits, 'background sound', () => this.#fill())
  }

  /** When the thinking sound begins. */
  get #thinksAt(): number {
    return this.#thinking && this.#thinks && this.#voice === 'none' && !this.#hold
      ? this.#quietSince + this.#after
      : Infinity
  }

  #play(thinks: boolean): void {
    const { now, recorder } = this.#context
    const frame = silence(STEP, this.#rate)
    const sound = this.#hold ?? this.#background
    sound?.addTo(frame.samples)
    if (thinks) this.#thinking?.addTo(frame.samples)
    if (!this.#isLast) this.#playout.begin()
    this.#isLast = true
    const at = this.#playout.play(durationOf(frame), now)
    this.#line.play(frame)
    recorder?.agent(frame, at)
  }

  /** Removes our sound from the line's queue. The mark says how much of it was heard. */
  #clear(): void {
    if (!this.#isLast || this.#stopped) return
    const { now, recorder } = this.#context
    this.#isLast = false
    this.#line.mark(this.#playout.mark(now))
    this.#playout.clear(now)
    recorder?.clear()
    this.#line.clear()
  }
}
