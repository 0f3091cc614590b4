import type { AudioFrame } from '../../audio/index.ts'
import type { RealtimeEvents, RealtimeModel } from '../realtime.ts'
import { SoundMemory } from '../sound-memory.ts'

/** How many turns without a transcript are remembered. A model may never transcribe any. */
const MAX_UNWRITTEN = 8

/** What a realtime model has heard of the caller's current turn, so that the next model can hear it from the beginning. */
export class CallerTurn {
  readonly #takesTurns: boolean
  /** The audio since the last turn that was transcribed or answered. */
  readonly #memory: SoundMemory
  #isSpeaking = false
  /** Whether the turn is neither transcribed nor answered. */
  #isOpen = false
  /** How many turns have no transcript. */
  #unwritten = 0
  #isCommitted = false
  #isAwaiting = false

  constructor(takesTurns: boolean, replay: number) {
    this.#takesTurns = takesTurns
    this.#memory = new SoundMemory(replay)
  }

  /** Whether the caller has finished, was transcribed, and waits for an answer that the model has not begun. */
  get isAwaiting(): boolean {
    return this.#isAwaiting && !this.#isOpen
  }

  push(frame: AudioFrame): void {
    this.#memory.push(frame)
  }

  commit(): void {
    this.#isCommitted = true
  }

  started(): void {
    this.#isSpeaking = this.#isOpen = true
    this.#isAwaiting = false
  }

  stopped(): void {
    this.#isSpeaking = false
    this.#isAwaiting = this.#takesTurns
    this.#unwritten = Math.min(this.#unwritten + 1, MAX_UNWRITTEN)
  }

  transcribed(text: string): void {
    this.#unwritten = Math.max(0, this.#unwritten - 1)
    if (text.trim() !== '') return this.#settle()
    // It was not speech, or the model was cut off from its vendor and may be lost: keeps the audio.
    this.#isAwaiting = false
    return undefined
  }

  /** The model begins an answer on its own. */
  answerStarted(): void {
    this.#isAwaiting = false
  }

  /** The model says something. If it was not asked to, or is asked for every answer, it has heard the turn. */
  answered(asked: boolean): void {
    if (!asked || !this.#takesTurns) this.#settle()
  }

  /**
   * The model is lost, and with it what it heard. Ends its turns for the session: the next model hears the audio of an open
   * one again, and reports it again. Returns whether there is one.
   */
  lost(events: RealtimeEvents): boolean {
    const isOpen = this.#isOpen || !this.#takesTurns
    if (!isOpen) this.#memory.take()
    if (this.#isSpeaking) {
      this.stopped()
      events.userStopped()
    }
    for (; this.#unwritten > 0; this.#unwritten--) events.userFinal('')
    if (this.#isOpen) this.#isAwaiting = false
    this.#isOpen = false
    return isOpen
  }

  /** Passes the audio that no model has understood to the next model. */
  replayTo(model: RealtimeModel): void {
    for (const frame of this.#memory.frames) model.push(frame)
    if (this.#isCommitted) model.commit()
  }

  /** Discards the audio. */
  end(): void {
    this.#memory.take()
  }

  #settle(): void {
    if (this.#isSpeaking) return
    this.#isOpen = this.#isCommitted = false
    this.#memory.take()
  }
}
