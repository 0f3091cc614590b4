import { describe, expect, it } from 'vitest'
import { concat, level, silence } from '../../src/audio/index.ts'
import { Capture } from '../../src/lines/websocket/client/capture-worklet.ts'
import { SpeechDetector } from '../../src/providers/local/speech-detector.ts'
import { clip, clips } from '../fixtures/speech.ts'

const RATE = 16_000
const QUANTUM = 128

/** Speech as loud as this, in decibels of full scale, after so many milliseconds of silence. */
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

/** When somebody is heard to speak, and to have stopped, in milliseconds, by what the page sends to its server. */
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
  const rustle = noiseAt(noise)
  const microphone = Float32Array.from(
    { length: agent.length + RATE },
    (_, i) => (caller?.[i] ?? 0) + share * (agent[i - behind] ?? 0) + rustle(),
  )
  for (let i = 0; i < microphone.length; i += QUANTUM) {
    const playing = new Float32Array(QUANTUM)
    playing.set(agent.subarray(i, i + QUANTUM))
    capture.push(microphone.subarray(i, i + QUANTUM), playing)
  }
  return voices
}

/** Noise that is the same every time. */
function noiseAt(loudness: number): () => number {
  const peak = 10 ** (loudness / 20) * Math.sqrt(3)
  let seed = 1
  return () => {
    seed = (seed * 48_271) % 2_147_483_647
    return (seed / 1_073_741_823.5 - 1) * peak
  }
}

/** Every recording, half a minute, as loud as the demo's voice; before it the page hears the room, as it does in a call. */
const agent = speech(
  clips.map(({ text }) => text),
  -20,
  500,
)

describe('the echo of the agent in the microphone', () => {
  const rooms = [-12, -20, -30].flatMap((gain) =>
    [0, 50, 200, 300].flatMap((delay) => [-70, -45].map((noise) => ({ gain, delay, noise }))),
  )

  it.each(rooms)('is nobody who speaks: $gain dB, after $delay ms, in a room at $noise dB', (room) => {
    const { noise, ...echo } = room
    expect(voicesIn({ agent, echo, noise })).toEqual([])
  })

  it('that is louder than anybody expects is learned within seconds', () => {
    const voices = voicesIn({ agent, echo: { gain: 3, delay: 100 } })
    expect(voices.filter(({ at }) => at > 5_000)).toEqual([])
  })
})

describe('a caller who speaks while the agent does', () => {
  const words = ['what are your opening hours']

  it.each([
    { how: 'with headphones, softly', loudness: -35 },
    { how: 'at a loudspeaker', loudness: -20, echo: { gain: -20, delay: 100 } },
    { how: 'at a loud one', loudness: -18, echo: { gain: -12, delay: 150 } },
  ])('is heard at once, and for as long as it takes to interrupt: $how', ({ loudness, ...scene }) => {
    const begins = 4_000
    const [started, stopped] = voicesIn({ agent, caller: speech(words, loudness, begins), ...scene })
    expect(started?.what).toBe('started')
    expect(started!.at).toBeGreaterThan(begins - 50)
    expect(started!.at).toBeLessThan(begins + 500)
    expect(stopped!.at - started!.at).toBeGreaterThan(500)
  })

  it('changes nothing of what the caller says when the agent is silent', () => {
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
