import { signal } from '@preact/signals'
import { systemClock, type Timer } from '../../../src/scope/index.ts'

/** Milliseconds between two positions while it plays: the events of an `audio` element are four per second. */
const FRAME = 60

/** Plays the recording of a call. Positions are milliseconds since its start. */
export class Player {
  readonly url: string
  readonly playing = signal(false)
  readonly position = signal(0)
  readonly failed = signal(false)
  /** When the recording began, in milliseconds since 1970. */
  readonly #startedAt: number
  readonly #audio: HTMLAudioElement
  #timer: Timer | undefined

  constructor(url: string, startedAt: number) {
    this.url = url
    this.#startedAt = startedAt
    this.#audio = new Audio()
    this.#audio.preload = 'none'
    this.#audio.src = url
    this.#audio.addEventListener('play', () => this.#changed())
    this.#audio.addEventListener('pause', () => this.#changed())
    this.#audio.addEventListener('ended', () => this.#changed())
    this.#audio.addEventListener('error', () => {
      this.failed.value = true
    })
  }

  toggle(): void {
    if (this.playing.value) this.#audio.pause()
    else this.#play()
  }

  seek(position: number): void {
    const wanted = Math.max(0, position)
    this.position.value = wanted
    this.#audio.currentTime = wanted / 1_000
  }

  /** Plays from a time of the call, in milliseconds since 1970. */
  playFrom(at: number): void {
    this.seek(at - this.#startedAt)
    this.#play()
  }

  speed(rate: number): void {
    this.#audio.playbackRate = rate
  }

  /** The time of the call that is heard now, in milliseconds since 1970. Undefined before the first sound. */
  get now(): number | undefined {
    const position = this.position.value
    return position === 0 && !this.playing.value ? undefined : this.#startedAt + position
  }

  stop(): void {
    this.#timer?.clear()
    this.#audio.pause()
    this.#audio.removeAttribute('src')
    this.#audio.load()
  }

  #play(): void {
    this.#audio.play().catch(() => {})
  }

  #changed(): void {
    this.playing.value = !this.#audio.paused && !this.#audio.ended
    this.#follow()
  }

  #follow(): void {
    this.#timer?.clear()
    this.position.value = this.#audio.currentTime * 1_000
    if (this.playing.value) this.#timer = systemClock.after(FRAME, 'position', () => this.#follow())
  }
}
