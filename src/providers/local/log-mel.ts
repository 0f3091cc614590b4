/**
 * The features of sound that Whisper and the models built on it take: how loud each of 80 bands is, every 10 ms, on a
 * logarithmic scale.
 */
export const MEL_BANDS = 80

const SAMPLE_RATE = 16_000
/** Samples per spectrum, and between two of them. */
const SIZE = 400
const HOP = 160
const BINS = SIZE / 2 + 1
/** The size of a Fourier transform that is not divided further. */
const LEAF = 25

// Slaney's mel scale: linear up to 1 kHz, logarithmic above.
const LINEAR = 200 / 3
const KNEE = 1_000
const STEP = Math.log(6.4) / 27

/** A Hann window that continues periodically. */
const hann = Float64Array.from({ length: SIZE }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / SIZE))
const cosines = Float64Array.from({ length: SIZE }, (_, n) => Math.cos((2 * Math.PI * n) / SIZE))
const sines = Float64Array.from({ length: SIZE }, (_, n) => Math.sin((2 * Math.PI * n) / SIZE))
const filters = melFilters()
/** The transform of the current frame. */
const real = new Float64Array(SIZE)
const imaginary = new Float64Array(SIZE)

/**
 * Computes the features of 16 kHz sound whose length is a multiple of 10 ms: a row of values per band, one value per 10 ms.
 * The sound is mirrored at both ends, so that the first and the last spectrum are whole.
 */
export function logMel(sound: Float32Array): Float32Array {
  const count = Math.floor(sound.length / HOP)
  const features = new Float32Array(MEL_BANDS * count)
  const frame = new Float64Array(SIZE)
  const power = new Float64Array(BINS)
  let loudest = -Infinity
  for (let index = 0; index < count; index++) {
    const start = index * HOP - SIZE / 2
    for (let n = 0; n < SIZE; n++) frame[n] = mirrored(sound, start + n) * hann[n]!
    powerSpectrum(frame, power)
    for (const [band, { first, weights }] of filters.entries()) {
      let sum = 0
      for (let bin = 0; bin < weights.length; bin++) sum += power[first + bin]! * weights[bin]!
      const loudness = Math.log10(Math.max(sum, 1e-10))
      features[band * count + index] = loudness
      if (loudness > loudest) loudest = loudness
    }
  }
  // Everything more than 80 dB below the loudest value is silence.
  return features.map((loudness) => (Math.max(loudness, loudest - 8) + 4) / 4)
}

function mirrored(sound: Float32Array, at: number): number {
  const last = sound.length - 1
  const inside = at < 0 ? -at : at > last ? 2 * last - at : at
  return sound[inside] ?? 0
}

/** The power of each frequency. */
function powerSpectrum(frame: Float64Array, power: Float64Array): void {
  transform(frame, 0, 1, SIZE, 0)
  for (let bin = 0; bin < BINS; bin++) power[bin] = real[bin]! ** 2 + imaginary[bin]! ** 2
}

/**
 * The Fourier transform of every `step`th value from `start` on, to `at` in `real` and `imaginary`. It joins those of the even
 * and of the odd values, as long as their number can be halved: 400 = 16 · 25.
 */
function transform(values: Float64Array, start: number, step: number, size: number, at: number): void {
  if (size === LEAF) return transformLeaf(values, start, step, at)
  const half = size / 2
  transform(values, start, 2 * step, half, at)
  transform(values, start + step, 2 * step, half, at + half)
  for (let low = at, high = at + half, angle = 0; low < at + half; low++, high++, angle += step) {
    const [cosine, sine] = [cosines[angle]!, sines[angle]!]
    const turnedReal = cosine * real[high]! + sine * imaginary[high]!
    const turnedImaginary = cosine * imaginary[high]! - sine * real[high]!
    real[high] = real[low]! - turnedReal
    imaginary[high] = imaginary[low]! - turnedImaginary
    real[low]! += turnedReal
    imaginary[low]! += turnedImaginary
  }
}

/** Frequency by frequency. The second half mirrors the first, because the values are real. */
function transformLeaf(values: Float64Array, start: number, step: number, at: number): void {
  for (let bin = 0; bin <= LEAF / 2; bin++) {
    let realSum = 0
    let imaginarySum = 0
    for (let n = 0, angle = 0; n < LEAF; n++) {
      const value = values[start + n * step]!
      realSum += value * cosines[angle]!
      imaginarySum -= value * sines[angle]!
      angle += bin * step
      if (angle >= SIZE) angle -= SIZE
    }
    real[at + bin] = realSum
    imaginary[at + bin] = imaginarySum
    if (bin === 0) continue
    real[at + LEAF - bin] = realSum
    imaginary[at + LEAF - bin] = -imaginarySum
  }
}

interface Filter {
  /** The first frequency that it weighs. */
  readonly first: number
  readonly weights: Float64Array
}

/** Triangles that overlap by half, of equal area, at equal distances on the mel scale. */
function melFilters(): readonly Filter[] {
  const highest = melOf(SAMPLE_RATE / 2)
  const edges = Array.from({ length: MEL_BANDS + 2 }, (_, index) =>
    hertzOf((highest * index) / (MEL_BANDS + 1)),
  )
  return Array.from({ length: MEL_BANDS }, (_, band) => {
    const [low, centre, high] = edges.slice(band, band + 3) as [number, number, number]
    const weightOf = (bin: number): number => {
      const hertz = (bin * SAMPLE_RATE) / SIZE
      const height = Math.min((hertz - low) / (centre - low), (high - hertz) / (high - centre))
      return (Math.max(0, height) * 2) / (high - low)
    }
    const first = Math.ceil((low * SIZE) / SAMPLE_RATE)
    const last = Math.min(BINS - 1, Math.floor((high * SIZE) / SAMPLE_RATE))
    return {
      first,
      weights: Float64Array.from({ length: last - first + 1 }, (__, bin) => weightOf(first + bin)),
    }
  })
}

function melOf(hertz: number): number {
  return hertz < KNEE ? hertz / LINEAR : KNEE / LINEAR + Math.log(hertz / KNEE) / STEP
}

function hertzOf(mel: number): number {
  const knee = KNEE / LINEAR
  return mel < knee ? mel * LINEAR : KNEE * Math.exp(STEP * (mel - knee))
}
