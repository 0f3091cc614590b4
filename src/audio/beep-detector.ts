import type { AudioFrame } from './frame.ts'

/** A tone that says something about who answered a call. */
export interface HeardTone {
  /** `beep`: a short tone, and then quiet: an answering machine records. `fax`: the long tone of a fax machine. */
  readonly type: 'beep' | 'fax'
  readonly hz: number
  /** How long it has lasted, in milliseconds. */
  readonly ms: number
}

/** Milliseconds per block. A beep of 200 ms has at least nine whole blocks. */
const BLOCK = 20

/** The rate at which blocks are looked at: enough for every tone of a telephone. */
const RATE = 8_000
const LENGTH = (RATE * BLOCK) / 1_000

/** The lowest and the highest tone of an answering machine, in hertz. */
const LOWEST = 380
const HIGHEST = 2_600

/** A tone is one sine: at most this share of the energy of a block is something else. Speech has much more. */
const IMPURE = 0.06

/** Mean squares at -45 dBFS: a tone that is quieter is not recognised. */
const QUIETEST = 32_768 ** 2 * 10 ** -4.5

/** How much the pitch of a tone may differ from one block to its mean, in hertz or as a share. A voice slides. */
const DRIFT = 6
const SLIDE = 0.012

/** By which factor the energy of a tone may change. A plucked or struck string fades. */
const STEADY = 2

/** By which factor the energy must fall after a beep, and within how many blocks. A melody goes on. */
const FALL = 30
const FALL_WITHIN = 5
const FALLEN = 2

/** Blocks in a beep: 160 ms to 1.7 s. */
const FEWEST = 8
const MOST = 85

/** The tone with which a fax machine answers (ITU-T V.25): 2,100 Hz for 2.6 s and more. */
const FAX = { hz: 2_100, within: 30, blocks: 75 } as const

/** How far the first guess of a pitch may be wrong: 30 Hz, in radians per sample. */
const NEAR = (2 * Math.PI * 30) / RATE

interface Tone {
  hz: number
  /** Of its loudest block, per sample. */
  energy: number
  blocks: number
  /** Whether another tone came right before: a melody, or the three tones that precede an announcement. */
  readonly follows: boolean
}

/**
 * Hears the beep after which an answering machine records, and the tone of a fax machine: one sine of 400 to 2,500 Hz with a
 * steady pitch and level, for 0.2 to 1.5 s, and then quiet. Everything is decided per 20 ms, without memory of the sound.
 */
export class BeepDetector {
  /** Input samples per sample that is looked at. */
  readonly #step: number
  readonly #block = new Float64Array(LENGTH)
  #filled = 0
  #sum = 0
  #summed = 0
  #tone: Tone | undefined
  /** A tone that has ended, and may have been a beep. */
  #ended: { readonly tone: Tone; waits: number; fallen: number } | undefined

  constructor(sampleRate: number) {
    this.#step = Math.max(1, Math.round(sampleRate / RATE))
  }

  /** Returns a tone that was recognised by this sound, if there is one. A beep is recognised up to 100 ms after its end. */
  push({ samples }: AudioFrame): HeardTone | undefined {
    let heard: HeardTone | undefined
    for (const sample of samples) {
      this.#sum += sample
      if (++this.#summed < this.#step) continue
      this.#block[this.#filled++] = this.#sum / this.#step
      this.#sum = 0
      this.#summed = 0
      if (this.#filled < LENGTH) continue
      this.#filled = 0
      heard = this.#look() ?? heard
    }
    return heard
  }

  #look(): HeardTone | undefined {
    const energy = energyOf(this.#block)
    const hz = energy < QUIETEST ? undefined : pitchOf(this.#block, energy * LENGTH)
    const tone = this.#tone
    if (tone && hz !== undefined && goesOn(tone, hz, energy)) return this.#extend(tone, hz, energy)
    this.#tone = hz === undefined ? undefined : { hz, energy, blocks: 1, follows: this.#followsTone(tone) }
    if (tone && tone.blocks >= FEWEST && tone.blocks <= MOST && !tone.follows)
      this.#ended = { tone, waits: FALL_WITHIN, fallen: 0 }
    return this.#confirm(energy)
  }

  #extend(tone: Tone, hz: number, energy: number): HeardTone | undefined {
    tone.blocks++
    tone.hz += (hz - tone.hz) / tone.blocks
    tone.energy = tone.blocks === 2 ? energy : Math.max(tone.energy, energy)
    const isFax = tone.blocks === FAX.blocks && Math.abs(tone.hz - FAX.hz) <= FAX.within
    return isFax ? heardOf('fax', tone) : undefined
  }

  /** A tone may begin in the middle of a block, so that one block lies between two tones of a melody. */
  #followsTone(before: Tone | undefined): boolean {
    const last = before ?? this.#ended?.tone
    return last !== undefined && last.blocks >= FEWEST / 2
  }

  /** Whether it is quiet after a tone. */
  #confirm(energy: number): HeardTone | undefined {
    const ended = this.#ended
    if (!ended) return undefined
    ended.waits--
    ended.fallen = energy * FALL <= ended.tone.energy ? ended.fallen + 1 : 0
    if (ended.fallen < FALLEN && ended.waits > 0) return undefined
    this.#ended = undefined
    return ended.fallen < FALLEN ? undefined : heardOf('beep', ended.tone)
  }
}

function heardOf(type: HeardTone['type'], { hz, blocks }: Tone): HeardTone {
  return { type, hz: Math.round(hz), ms: blocks * BLOCK }
}

function goesOn(tone: Tone, hz: number, energy: number): boolean {
  const drift = Math.abs(hz - tone.hz)
  const change = energy / tone.energy
  // The first block may have only a part of the tone.
  if (tone.blocks === 1) return drift <= 2 * Math.max(DRIFT, SLIDE * hz)
  return drift <= Math.max(DRIFT, SLIDE * hz) && change <= STEADY && change >= 1 / STEADY
}

function energyOf(block: Float64Array): number {
  let sum = 0
  for (const sample of block) sum += sample * sample
  return sum / block.length
}

/** The frequency of a block that is one sine; undefined for everything else. `energy` is the sum of squares. */
function pitchOf(block: Float64Array, energy: number): number | undefined {
  // A first guess from how the block resembles itself one and two samples later, on which noise has little influence (Pisarenko).
  let [one, two] = [0, 0]
  for (let i = 2; i < block.length; i++) {
    one += block[i]! * block[i - 1]!
    two += block[i]! * block[i - 2]!
  }
  const guess =
    one === 0 ? Math.PI / 2 : Math.acos(within(1, (two + Math.hypot(two, SQRT8 * one)) / (4 * one)))
  // Then the peak of a parabola around the guess, which is exact enough.
  let turn = guess
  for (const reach of [NEAR, NEAR / 4]) {
    const [left, middle, right] = [-reach, 0, reach].map((by) => energyAt(block, turn + by)) as Three
    if (middle < energy / 2) return undefined
    const bend = left - 2 * middle + right
    if (bend < 0) turn += within(reach, (reach * (left - right)) / (2 * bend))
  }
  const hz = (turn * RATE) / (2 * Math.PI)
  if (!(hz >= LOWEST && hz <= HIGHEST)) return undefined
  return energy - energyAt(block, turn) > IMPURE * energy ? undefined : hz
}

const SQRT8 = Math.sqrt(8)

const within = (limit: number, value: number): number => Math.max(-limit, Math.min(limit, value))

type Three = [left: number, middle: number, right: number]

/** How much of the energy is the sine with this many radians per sample, by least squares. */
function energyAt(block: Float64Array, turn: number): number {
  let [cc, ss, cs, xc, xs] = [0, 0, 0, 0, 0]
  const stepC = Math.cos(turn)
  const stepS = Math.sin(turn)
  let [c, s] = [1, 0]
  for (let i = 0; i < block.length; i++) {
    cc += c * c
    ss += s * s
    cs += c * s
    xc += block[i]! * c
    xs += block[i]! * s
    // Turned by one step, which takes a sixth of the time that `Math.cos(turn * i)` would take.
    const before = c
    c = c * stepC - s * stepS
    s = s * stepC + before * stepS
  }
  const det = cc * ss - cs * cs
  if (det < 1e-9) return 0
  return (xc * xc * ss - 2 * xc * xs * cs + xs * xs * cc) / det
}
