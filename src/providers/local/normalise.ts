/** The RMS level of normalised speech: -20 dBFS, as telephones and browsers expect. */
const TARGET_RMS = 0.1
/** The highest peak after normalisation. */
const MAX_PEAK = 0.9
/** The most that quiet speech is amplified. */
const MAX_GAIN = 4

/** Brings speech to a common level. Voices differ by 15 dB. */
export function normalise(samples: Int16Array): Int16Array {
  let sum = 0
  let peak = 1
  for (const sample of samples) {
    sum += sample * sample
    peak = Math.max(peak, Math.abs(sample))
  }
  const rms = Math.sqrt(sum / Math.max(1, samples.length)) / 32_768
  if (rms === 0) return samples
  const gain = Math.min(TARGET_RMS / rms, (MAX_PEAK * 32_768) / peak, MAX_GAIN)
  return samples.map((sample) => Math.round(sample * gain))
}
