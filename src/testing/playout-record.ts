import {
  concat,
  durationOf,
  keysIn,
  silentLevel,
  level,
  type AudioFrame,
  type SampleRate,
} from '../audio/index.ts'
import { textOf } from './sound-text.ts'

/** A frame, or the beginning of one, that the caller heard. */
export interface HeardFrame {
  readonly frame: AudioFrame
  /** When it began to play. */
  readonly at: number
  /** How many milliseconds of it were heard. Less than its duration if it was cut. */
  readonly heard: number
}

export interface Sound {
  readonly frame: AudioFrame
  readonly start: number
  /** When it stops. Earlier than its duration says if it was cut. */
  end: number
}

/** Calculates what a loudspeaker has played and will play. Needs no timers. */
export class PlayoutRecord {
  readonly #sounds: Sound[] = []
  #endsAt = 0

  /** When the last queued frame will have been heard. */
  get endsAt(): number {
    return this.#endsAt
  }

  /** Queues a frame that cannot start before `earliest`. */
  add(frame: AudioFrame, earliest: number): Sound {
    const start = Math.max(earliest, this.#endsAt)
    const sound = { frame, start, end: start + durationOf(frame) }
    this.#sounds.push(sound)
    this.#endsAt = sound.end
    return sound
  }

  /** Stops playout at `at` and discards the rest. */
  cut(at: number): void {
    for (let index = this.#sounds.length - 1; index >= 0; index--) {
      const sound = this.#sounds[index]!
      if (sound.end <= at) break
      sound.end = Math.max(sound.start, at)
    }
    this.#endsAt = Math.min(this.#endsAt, at)
  }

  heardBy(now: number): HeardFrame[] {
    return this.#sounds
      .map(({ frame, start, end }) => ({ frame, at: start, heard: Math.min(end, now) - start }))
      .filter(({ heard }) => heard > 0)
  }

  /** The text heard, if a `ScriptedTts` of the line's rate spoke it. */
  textBy(now: number): string {
    return textOf(this.#soundBy(now))
  }

  /** The telephone keys heard as tones. */
  keysBy(now: number, sampleRate: SampleRate): string {
    return keysIn(concat(this.#soundBy(now), sampleRate))
  }

  #soundBy(now: number): AudioFrame[] {
    return this.heardBy(now).map(({ frame: { samples, sampleRate }, heard }) => ({
      samples: samples.subarray(0, Math.round((heard * sampleRate) / 1000)),
      sampleRate,
    }))
  }

  /** Milliseconds of audio, excluding silence, between two times. */
  audible(from: number, to: number): number {
    let sum = 0
    for (const { frame, start, end } of this.#sounds) {
      const heard = Math.min(end, to) - Math.max(start, from)
      if (heard > 0 && level(frame.samples) > silentLevel) sum += heard
    }
    return sum
  }
}
