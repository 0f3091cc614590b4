import { logMel } from './log-mel.ts'

/** The model hears 8 s at 16 kHz. */
const SAMPLES = 8 * 16_000

/** What the model is given: the features of the last 8 s, with silence in front if they are fewer, of mean 0 and variance 1. */
export function featuresOf(sound: Int16Array): Float32Array {
  const last = sound.subarray(-SAMPLES)
  const whole = new Float32Array(SAMPLES)
  const offset = SAMPLES - last.length
  let sum = 0
  for (let index = 0; index < last.length; index++) {
    const sample = last[index]! / 32_768
    whole[offset + index] = sample
    sum += sample
  }
  const mean = sum / SAMPLES
  let squares = 0
  for (const sample of whole) squares += (sample - mean) ** 2
  const scale = 1 / Math.sqrt(squares / SAMPLES + 1e-7)
  return logMel(whole.map((sample) => (sample - mean) * scale))
}
