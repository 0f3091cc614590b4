import { Resampler, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import { once } from '../../scope/index.ts'

/** A model that hears the caller. */
export interface Ear {
  readonly stream: { push(frame: AudioFrame): void }
  readonly rate: SampleRate
  /** Called once at most: a model that cannot hear fails again with every frame. */
  readonly failed: (error: unknown) => void
}

/** An ear in a chain. */
export interface ChainedEar extends Ear {
  /** Resamples for this ear and for those behind it that have none. */
  readonly resampler: Resampler | undefined
  readonly next: ChainedEar | undefined
}

export function newEar(stream: Ear['stream'], rate: SampleRate, failed: Ear['failed']): Ear {
  return { stream, rate, failed: once(failed) }
}

/**
 * Chains ears in the order in which they get the caller's sound: first those that take it as it is, then the others by rate. Ears
 * with the same rate share a resampler, because resampling is the largest CPU cost of a phone call.
 */
export function chain(ears: readonly Ear[], rate: SampleRate): ChainedEar | undefined {
  const direct = ears.filter((ear) => ear.rate === rate)
  const others = ears.filter((ear) => ear.rate !== rate).toSorted((one, other) => one.rate - other.rate)
  return [...direct, ...others].reduceRight<ChainedEar | undefined>((next, ear, index, all) => {
    const isFirst = ear.rate !== (all[index - 1]?.rate ?? rate)
    const resampler = isFirst ? new Resampler({ from: rate, to: ear.rate }) : undefined
    // Written out: the ears of all calls have the same shape only without a spread.
    return { stream: ear.stream, rate: ear.rate, failed: ear.failed, resampler, next }
  }, undefined)
}
