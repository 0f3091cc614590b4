import { describe, expect, it } from 'vitest'
import { durationOf, sine, toneLevel, concat, type AudioFrame } from '../audio/index.ts'
import { ScriptedStt, ScriptedTts, ScriptedVad, inVirtualTime, partContext } from '../testing/index.ts'
import { resampledStt, resampledTts, resampledVad, type SttEvents, type SttStream } from './index.ts'

const noEvents: SttEvents = { interim() {}, final() {}, endOfTurn() {}, failed() {} }

describe('resampled parts', () => {
  it('are the original parts if the rate is the same', () => {
    const parts = { stt: new ScriptedStt(), tts: new ScriptedTts(), vad: new ScriptedVad() }
    expect(resampledStt(parts.stt, 16_000)).toBe(parts.stt)
    expect(resampledTts(parts.tts, 16_000)).toBe(parts.tts)
    expect(resampledVad(parts.vad, 16_000)).toBe(parts.vad)
  })

  it('receive audio at their own rate', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const received: AudioFrame[] = []
      const inner = {
        name: 'inner',
        sampleRate: 16_000 as const,
        endsTurns: true,
        open: async (): Promise<SttStream> => ({
          push: (frame) => received.push(frame),
          flush() {},
          detach() {},
        }),
      }
      const stt = resampledStt(inner, 8_000)
      expect(stt).toMatchObject({ name: 'inner', sampleRate: 8_000, endsTurns: true })
      const stream = await stt.open(context, noEvents)
      for (let i = 0; i < 10; i++) stream.push(sine(400, { sampleRate: 8_000, duration: 20 }))
      const sound = concat(received, 16_000)
      expect(durationOf(sound)).toBeGreaterThan(190)
      expect(toneLevel(sound, 400)).toBeGreaterThan(-8)
      await context.scope.close()
    }))

  it('detect speech at another rate', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const log: string[] = []
      const vad = await resampledVad(new ScriptedVad(), 48_000).open(context, {
        started: () => log.push('started'),
        stopped: () => log.push('stopped'),
        failed: () => log.push('failed'),
      })
      for (let i = 0; i < 5; i++) vad.push(sine(400, { sampleRate: 48_000, duration: 20 }))
      expect(log).toEqual(['started'])
      await context.scope.close()
    }))

  it('speak at the requested rate, with all audio and words', () =>
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
