import { durationOf, silentLevel, level, type AudioFrame } from '../audio/index.ts'
import { textOf } from './sound-text.ts'

/** A frame, or the beginning of one, that reached the caller's ear. */
export interface HeardFrame {
  readonly frame: AudioFrame
  /** When it began to sound. */
  readonly at: number
  /** How many milliseconds of it were heard: all of them unless it was cut. */
  readonly heard: number
}

export interface Sound {
  readonly frame: AudioFrame
  readonly start: number
  /** When it stops: earlier than its length says if it was cut. */
  end: number
}

/** What a loudspeaker has played and will play, worked out from times: it needs no timer of its own. */
export class PlayoutRecord {
  readonly #sounds: Sound[] = []
  #endsAt = 0

  /** When everything queued will have been heard. */
  get endsAt(): number {
    return this.#endsAt
  }

  /** Queues a frame that can sound from `earliest` on. Returns when it will have been heard. */
  add(frame: AudioFrame, earliest: number): Sound {
    const start = Math.max(earliest, this.#endsAt)
    const sound = { frame, start, end: start + durationOf(frame) }
    this.#sounds.push(sound)
    this.#endsAt = sound.end
    return sound
  }

  /** Nothing that is queued sounds after `at`. */
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

  /** The characters heard, if a `ScriptedTts` of the line's rate spoke them. */
  textBy(now: number): string {
    const cut = this.heardBy(now).map(({ frame: { samples, sampleRate }, heard }) => ({
      samples: samples.subarray(0, Math.round((heard * sampleRate) / 1000)),
      sampleRate,
    }))
    return textOf(cut)
  }

  /** Milliseconds of audible sound, silence not counted, between two moments. */
  audible(from: number, to: number): number {
    let sum = 0
    for (const { frame, start, end } of this.#sounds) {
      const heard = Math.min(end, to) - Math.max(start, from)
      if (heard > 0 && level(frame.samples) > silentLevel) sum += heard
    }
    return sum
  }
}
