import { Resampler, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import { once } from '../../scope/index.ts'

/** A model that hears the caller. */
export interface Ear {
  readonly stream: { push(frame: AudioFrame): void }
  readonly rate: SampleRate
  /** Called once at most: a model that cannot hear fails again with every frame. */
  readonly failed: (error: unknown) => void
  /** Resamples for this ear and for those behind it that have none. */
  readonly resampler: Resampler | undefined
}

export function newEar(stream: Ear['stream'], rate: SampleRate, failed: Ear['failed']): Ear {
  return { stream, rate, failed: once(failed), resampler: undefined }
}

/**
 * Puts ears into the order in which they get the caller's sound: first those that take it as it is, then the others by rate.
 * Ears with the same rate share a resampler, because resampling is the largest CPU cost of a phone call.
 */
export function inOrder(ears: readonly Ear[], rate: SampleRate): readonly Ear[] {
  const direct = ears.filter((ear) => ear.rate === rate)
  const others = ears.filter((ear) => ear.rate !== rate).toSorted((one, other) => one.rate - other.rate)
  const resampled = others.map((ear, index) => {
    const isFirst = ear.rate !== others[index - 1]?.rate
    return isFirst ? { ...ear, resampler: new Resampler({ from: rate, to: ear.rate }) } : ear
  })
  return [...direct, ...resampled]
}
