import { describe, expect, it } from 'vitest'
import { sine } from '../../../src/audio/index.ts'
import { SimRandom } from '../../../src/testing/sim-random.ts'
import { clips } from '../../fixtures/speech.ts'
import { SpeechDetector } from '../../../src/providers/local/speech-detector.ts'

const RATE = 16_000
const random = new SimRandom(7)

/** White noise with this RMS level in dBFS. */
function noise(ms: number, level: number): Int16Array {
  const peak = 32_768 * 10 ** (level / 20) * Math.sqrt(3)
  return Int16Array.from({ length: ms * 16 }, () => Math.round((random.next() * 2 - 1) * peak))
}

function hum(ms: number, hz: number, peak: number): Int16Array {
  return sine(hz, { sampleRate: RATE, duration: ms, peak }).samples
}

function mix(one: Int16Array, other: Int16Array): Int16Array {
  return one.map((sample, index) => Math.max(-32_768, Math.min(32_767, sample + (other[index] ?? 0))))
}

/** The sound with this much silence before and after it. */
function padded(ms: number, sound: Int16Array): Int16Array {
  const whole = new Int16Array(sound.length + 2 * ms * 16)
  whole.set(sound, ms * 16)
  return whole
}

interface Event {
  readonly what: string
  /** When it happened, in milliseconds from the start of the sound. */
  readonly since: number
}

function listen(sound: Int16Array, frame = 320, detector = new SpeechDetector(RATE)): Event[] {
  const events: Event[] = []
  for (let at = 0; at < sound.length; at += frame) {
    const piece = sound.subarray(at, at + frame)
    for (const { what, ago } of detector.push(piece))
      events.push({ what, since: (at + piece.length) / 16 - ago })
  }
  return events
}

const kinds = (events: readonly Event[]): string[] => events.map(({ what }) => what)

describe('a speech detector', () => {
  it.each(clips.map((clip) => [`${clip.voice}: ${clip.text}`, clip.samples] as const))(
    'finds the start and the end of speech (%s)',
    (_, samples) => {
      const events = listen(padded(1_000, samples))
      expect(kinds(events)).toEqual(['started', 'stopped'])
      const [started, stopped] = events
      expect(Math.abs(started!.since - 1_000)).toBeLessThan(150)
      expect(Math.abs(stopped!.since - (1_000 + samples.length / 16))).toBeLessThan(200)
    },
  )

  it.each([-55, -45, -40])('finds speech in noise of %d dBFS, and not the noise', (level) => {
    for (const { samples } of clips) {
      const sound = padded(2_000, samples)
      const events = listen(mix(sound, noise(sound.length / 16, level)))
      expect(kinds(events)).toEqual(['started', 'stopped'])
      expect(Math.abs(events[0]!.since - 2_000)).toBeLessThan(250)
    }
  })

  it('ignores noise from the start of the stream on', () => {
    expect(listen(noise(5_000, -30))).toEqual([])
  })

  it('ignores mains hum, from the start or later on', () => {
    expect(listen(padded(2_000, hum(5_000, 50, -20)))).toEqual([])
    expect(listen(hum(5_000, 60, -12))).toEqual([])
  })

  it('takes a lasting tone for the noise floor after a while', () => {
    const events = listen(padded(1_000, hum(8_000, 1_000, -20)))
    expect(kinds(events)).toEqual(['started', 'stopped'])
    expect(events[1]!.since).toBeLessThan(4_500)
  })

  it('finds speech over a lasting tone', () => {
    const speech = new Int16Array(16 * 8_000)
    speech.set(clips[0]!.samples, 16 * 5_000)
    const events = listen(mix(speech, hum(8_000, 400, -40)))
    expect(kinds(events)).toEqual(['started', 'stopped'])
    expect(events[0]!.since).toBeGreaterThan(4_800)
  })

  it('ignores clicks, even in a row', () => {
    const sound = new Int16Array(16 * 4_000)
    for (let at = 500; at < 3_500; at += 150) sound.set(noise(15, -6), at * 16)
    expect(listen(sound)).toEqual([])
  })

  it.each([
    [80, ['started', 'stopped']],
    [140, []],
  ])(
    'counts what is loud within 1.5 times the length of speech: knocks of 50 ms, one every %i ms',
    (every, heard) => {
      const sound = new Int16Array(5_000 * 16)
      for (let at = 500; at < 3_500; at += every) sound.set(noise(50, -6), at * 16)
      expect(kinds(listen(sound))).toEqual(heard)
    },
  )

  it('does not take a pause between two words for the end of speech', () => {
    const [one, two] = [clips[0]!.samples, clips[1]!.samples]
    const pause = 200 * 16
    const both = new Int16Array(one.length + pause + two.length)
    both.set(one)
    both.set(two, one.length + pause)
    expect(kinds(listen(padded(500, both)))).toEqual(['started', 'stopped'])
  })

  it('gives the same result for any frame size', () => {
    const sound = padded(1_000, clips[0]!.samples)
    const whole = listen(sound)
    for (const frame of [1, 7, 160, 333, 1_600, sound.length]) expect(listen(sound, frame)).toEqual(whole)
  })

  it('takes a margin and a hangover', () => {
    const sound = padded(1_000, clips[0]!.samples)
    const options = { margin: 90 }
    expect(listen(sound, 320, new SpeechDetector(RATE, options))).toEqual([])
    const patient = new SpeechDetector(RATE, { hangover: 900 })
    expect(listen(sound, 320, patient)[1]?.since).toBeCloseTo(listen(sound)[1]!.since, 0)
  })
})
