import { describe, expect, it } from 'vitest'
import { concat, level, silence } from '../../src/audio/index.ts'
import { Capture } from '../../src/lines/websocket/client/capture-worklet.ts'
import { SpeechDetector } from '../../src/providers/local/speech-detector.ts'
import { clip, clips } from '../fixtures/speech.ts'

const RATE = 16_000
const QUANTUM = 128

/** Speech at a level in decibels of full scale, after `after` milliseconds of silence. */
function speech(words: readonly string[], loudness: number, after = 0): Float32Array {
  const pause = silence(300, RATE)
  const frames = words.flatMap((each) => [{ samples: clip(each).samples, sampleRate: RATE } as const, pause])
  const { samples } = concat(frames, RATE)
  const gain = 10 ** ((loudness - level(samples)) / 20) / 32768
  const all = new Float32Array((after * RATE) / 1000 + samples.length)
  all.set(
    Float32Array.from(samples, (sample) => sample * gain),
    (after * RATE) / 1000,
  )
  return all
}

interface Scene {
  readonly agent: Float32Array
  readonly caller?: Float32Array
  readonly echo?: { readonly gain: number; readonly delay: number }
  readonly noise?: number
}

/** When the server's speech detector hears speech start and stop in what the page sends, in milliseconds. */
function voicesIn({ agent, caller, echo, noise = -60 }: Scene): { at: number; what: string }[] {
  const voices: { at: number; what: string }[] = []
  const detector = new SpeechDetector(RATE)
  let at = 0
  const capture = new Capture(RATE, RATE, (news) => {
    if (news.type !== 'frame') return
    at += news.samples.length / 16
    for (const { what, ago } of detector.push(news.samples)) voices.push({ what, at: at - ago })
  })
  const { gain, delay } = echo ?? { gain: -Infinity, delay: 0 }
  const [share, behind] = [10 ** (gain / 20), (delay * RATE) / 1000]
  const nextNoise = noiseAt(noise)
  const microphone = Float32Array.from(
    { length: agent.length + RATE },
    (_, i) => (caller?.[i] ?? 0) + share * (agent[i - behind] ?? 0) + nextNoise(),
  )
  for (let i = 0; i < microphone.length; i += QUANTUM) {
    const playing = new Float32Array(QUANTUM)
    playing.set(agent.subarray(i, i + QUANTUM))
    capture.push(microphone.subarray(i, i + QUANTUM), playing)
  }
  return voices
}

/** Reproducible noise. */
function noiseAt(loudness: number): () => number {
  const peak = 10 ** (loudness / 20) * Math.sqrt(3)
  let seed = 1
  return () => {
    seed = (seed * 48_271) % 2_147_483_647
    return (seed / 1_073_741_823.5 - 1) * peak
  }
}

/** All recordings, about half a minute, at the level of the demo's voice. As in a call, room noise comes first. */
const agent = speech(
  clips.map(({ text }) => text),
  -20,
  500,
)

describe('the echo of the agent in the microphone', () => {
  const rooms = [-12, -20, -30].flatMap((gain) =>
    [0, 50, 200, 300].flatMap((delay) => [-70, -45].map((noise) => ({ gain, delay, noise }))),
  )

  it.each(rooms)('is not taken for speech at $gain dB after $delay ms, in noise of $noise dB', (room) => {
    const { noise, ...echo } = room
    expect(voicesIn({ agent, echo, noise })).toEqual([])
  })

  it('is learned within 5 s if it is louder than the agent itself', () => {
    const voices = voicesIn({ agent, echo: { gain: 3, delay: 100 } })
    expect(voices.filter(({ at }) => at > 5_000)).toEqual([])
  })
})

const words = ['what are your opening hours']

describe('a caller who speaks over the agent', () => {
  it.each([
    { how: 'softly, with headphones', loudness: -35 },
    { how: 'with a loudspeaker', loudness: -20, echo: { gain: -20, delay: 100 } },
    { how: 'with a loud loudspeaker', loudness: -18, echo: { gain: -12, delay: 150 } },
  ])('is heard within 500 ms, and for long enough to interrupt: $how', ({ loudness, ...scene }) => {
    const begins = 4_000
    const [started, stopped] = voicesIn({ agent, caller: speech(words, loudness, begins), ...scene })
    expect(started?.what).toBe('started')
    expect(started!.at).toBeGreaterThan(begins - 50)
    expect(started!.at).toBeLessThan(begins + 500)
    expect(stopped!.at - started!.at).toBeGreaterThan(500)
  })
})

describe('a caller who speaks while the agent is silent', () => {
  it('is sent unchanged', () => {
    const frames: Int16Array[] = []
    const capture = new Capture(RATE, RATE, (news) => news.type === 'frame' && frames.push(news.samples))
    const said = speech(words, -30)
    for (let i = 0; i < said.length; i += QUANTUM)
      capture.push(said.subarray(i, i + QUANTUM), new Float32Array(QUANTUM))
    const sent = frames.flatMap((frame) => [...frame])
    expect(sent).toEqual([
      ...Int16Array.from(said.subarray(0, sent.length), (sample) => Math.round(sample * 32768)),
    ])
  })
})
