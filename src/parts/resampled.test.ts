import { describe, expect, it } from 'vitest'
import { durationOf, sine, toneLevel, concat, type AudioFrame } from '../audio/index.ts'
import { ScriptedStt, ScriptedTts, ScriptedVad, inVirtualTime, partContext } from '../testing/index.ts'
import { resampledStt, resampledTts, resampledVad, type SttEvents, type SttStream } from './index.ts'

const deaf: SttEvents = { interim() {}, final() {}, endOfTurn() {}, failed() {} }

describe('parts of another rate', () => {
  it('are themselves if the rate is theirs', () => {
    const parts = { stt: new ScriptedStt(), tts: new ScriptedTts(), vad: new ScriptedVad() }
    expect(resampledStt(parts.stt, 16_000)).toBe(parts.stt)
    expect(resampledTts(parts.tts, 16_000)).toBe(parts.tts)
    expect(resampledVad(parts.vad, 16_000)).toBe(parts.vad)
  })

  it('hear sound at their own rate', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const heard: AudioFrame[] = []
      const inner = {
        name: 'inner',
        sampleRate: 16_000 as const,
        endsTurns: true,
        open: async (): Promise<SttStream> => ({
          push: (frame) => heard.push(frame),
          flush() {},
          detach() {},
        }),
      }
      const stt = resampledStt(inner, 8_000)
      expect(stt).toMatchObject({ name: 'inner', sampleRate: 8_000, endsTurns: true })
      const stream = await stt.open(context, deaf)
      for (let i = 0; i < 10; i++) stream.push(sine(400, { sampleRate: 8_000, duration: 20 }))
      const sound = concat(heard, 16_000)
      expect(durationOf(sound)).toBeGreaterThan(190)
      expect(toneLevel(sound, 400)).toBeGreaterThan(-8)
      await context.scope.close()
    }))

  it('hear a voice at another rate, too', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const told: string[] = []
      const vad = await resampledVad(new ScriptedVad(), 48_000).open(context, {
        started: () => told.push('started'),
        stopped: () => told.push('stopped'),
        failed: () => told.push('failed'),
      })
      for (let i = 0; i < 5; i++) vad.push(sine(400, { sampleRate: 48_000, duration: 20 }))
      expect(told).toEqual(['started'])
      await context.scope.close()
    }))

  it('speak at the rate that is wanted, with all of their sound and words', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const tts = resampledTts(new ScriptedTts({ sampleRate: 24_000 }), 8_000)
      const voice = await tts.open(context)
      async function* text(): AsyncGenerator<string> {
        yield 'Good morning'
      }
      const frames: AudioFrame[] = []
      const words: string[] = []
      for await (const chunk of voice.speak(text(), new AbortController().signal)) {
        frames.push(chunk.frame)
        words.push(...(chunk.words ?? []).map((word) => word.text))
      }
      expect(durationOf(concat(frames, 8_000))).toBe(600)
      expect(words).toEqual(['Good ', 'morning'])
      await context.scope.close()
    }))
})
