import { describe, expect, it } from 'vitest'
import { frameOf, muLaw, pcm, durationOf, sine, toneLevel, concat, type AudioFrame } from '../audio/index.ts'
import { ScriptedTts, ScriptedVad, inVirtualTime, partContext } from '../testing/index.ts'
import {
  noSttEvents,
  type PartContext,
  type SttSetup,
  resampledStt,
  resampledTts,
  resampledVad,
  type SttEvents,
  type SttStream,
} from './index.ts'

describe('resampled parts', () => {
  it('pass frames on as they are if the part takes that rate', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const received: AudioFrame[] = []
      const open = async (_: PartContext, __: SttEvents, { format }: SttSetup): Promise<SttStream> => {
        expect(format).toEqual(muLaw)
        return { push: (frame) => received.push(frame), flush() {}, configure() {}, detach() {} }
      }
      const stt = resampledStt({ name: 'inner', hears: [pcm(16_000), muLaw], open }, muLaw)
      const stream = await stt.open(context, noSttEvents, { format: muLaw, keyTerms: [] })
      const frame = frameOf(new Uint8Array(160), muLaw)
      stream.push(frame)
      expect(received).toEqual([frame])
      expect(received[0]).toBe(frame)
      await context.scope.close()
    }))

  it('receive audio at their own rate', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const received: AudioFrame[] = []
      const inner = {
        name: 'inner',
        hears: [pcm(16_000)],
        endsTurns: true,
        open: async (): Promise<SttStream> => ({
          push: (frame) => received.push(frame),
          flush() {},
          configure() {},
          detach() {},
        }),
      }
      const stt = resampledStt(inner, pcm(8_000))
      expect(stt).toMatchObject({ name: 'inner', hears: [pcm(8_000)], endsTurns: true })
      const stream = await stt.open(context, noSttEvents, { format: pcm(8_000), keyTerms: [] })
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
      const events = {
        started: () => log.push('started'),
        stopped: () => log.push('stopped'),
        failed: () => log.push('failed'),
      }
      const format = pcm(48_000)
      const vad = await resampledVad(new ScriptedVad(), format).open(context, events, { format })
      for (let i = 0; i < 5; i++) vad.push(sine(400, { sampleRate: 48_000, duration: 20 }))
      expect(log).toEqual(['started'])
      await context.scope.close()
    }))

  it('speak at the requested rate, with all audio and words', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const tts = resampledTts(new ScriptedTts({ speaks: [pcm(24_000)] }), pcm(8_000))
      const voice = await tts.open(context, { format: pcm(8_000) })
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
