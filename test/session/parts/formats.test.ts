import { describe, expect, it } from 'vitest'
import { frameOf, muLaw, pcm, silence, type AudioFormat, type AudioFrame } from '../../../src/audio/index.ts'
import type { Line, LineEvents, SoundSetup, Stt, Tts, Vad } from '../../../src/parts/index.ts'
import { Agent, Session, type Models } from '../../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedRealtime,
  TestLine,
  inVirtualTime,
  type World,
} from '../../../src/testing/index.ts'

/** Parts that record the format they are opened with and every frame. */
function recording(line: { hears: AudioFormat; speaks: AudioFormat }, sound: AudioFrame) {
  const formats: Record<string, AudioFormat> = {}
  const frames: Record<string, AudioFrame[]> = { stt: [], vad: [], line: [] }
  let events: LineEvents | undefined
  const note = (name: string, { format }: SoundSetup): void => void (formats[name] = format)
  const push = (name: string) => (frame: AudioFrame) => void frames[name]!.push(frame)
  return {
    formats,
    frames,
    hear: (frame: AudioFrame) => events?.frame(frame),
    line: {
      name: 'line',
      ...line,
      open: async (_, own) => {
        events = own
        return { play: push('line'), mark: (id) => own.marked(id), clear() {} }
      },
    } satisfies Line,
    stt: (hears: AudioFormat[]): Stt => ({
      name: 'stt',
      hears,
      endsTurns: true,
      open: async (_, __, setup) => {
        note('stt', setup)
        return { push: push('stt'), flush() {}, configure() {}, detach() {} }
      },
    }),
    vad: (hears: AudioFormat[]): Vad => ({
      name: 'vad',
      hears,
      open: async (_, __, setup) => {
        note('vad', setup)
        return { push: push('vad') }
      },
    }),
    tts: (speaks: AudioFormat[]): Tts => ({
      name: 'tts',
      speaks,
      open: async (_, setup) => {
        note('tts', setup)
        return {
          async *speak(text) {
            for await (const piece of text) if (piece !== '') yield { frame: sound }
          },
        }
      },
    }),
  }
}

async function talk(
  { clock, random }: World,
  line: Line,
  models: Omit<Extract<Models, { realtime?: undefined }>, 'llm'>,
) {
  const agent = new Agent({ instructions: '' })
  const session = new Session({ agent, models: { llm: new ScriptedLlm(), ...models }, line, clock, random })
  await session.start()
  return session
}

describe('the formats of a session', () => {
  it('[PT1] on the phone, sound goes to and from parts that take mu-law as it is', () =>
    inVirtualTime(async (world) => {
      const phone = { hears: muLaw, speaks: muLaw }
      const spoken = frameOf(new Uint8Array(160), muLaw)
      const { line, stt, vad, tts, formats, frames, hear } = recording(phone, spoken)
      const session = await talk(world, line, {
        stt: stt([pcm(16_000), muLaw]),
        vad: vad([pcm(16_000), pcm(8_000)]),
        tts: tts([pcm(24_000), muLaw]),
      })
      expect(formats).toEqual({ stt: muLaw, vad: pcm(8_000), tts: muLaw })
      const frame = frameOf(new Uint8Array(160), muLaw)
      hear(frame)
      expect(frames['stt']![0]).toBe(frame)
      expect(frames['vad']![0]).toBe(frame)
      await session.say('Hello').waitForPlayout()
      expect(frames['line']![0]).toBe(spoken)
      await session.close()
    }))

  it('[PT1] telephone sound is not decoded where no part reads it', () =>
    inVirtualTime(async (world) => {
      const spoken = frameOf(new Uint8Array(160), muLaw)
      const { line, stt, tts, frames, hear } = recording({ hears: muLaw, speaks: muLaw }, spoken)
      const session = await talk(world, line, { stt: stt([muLaw]), tts: tts([muLaw]) })
      const bytes = new Uint8Array(160)
      hear(frameOf(bytes, muLaw))
      await session.say('Hello').waitForPlayout()
      await session.close()
      for (const frame of [frames['stt']![0]!, frames['line']![0]!]) {
        // Decoded now, and not before.
        frame.encoded!.bytes.fill(0x55)
        expect(frame.samples[0]).not.toBe(frameOf(new Uint8Array(1), muLaw).samples[0])
      }
    }))

  it('[PT1] parts with the same rate share one conversion, and others are not converted', () =>
    inVirtualTime(async (world) => {
      const { line, stt, vad, tts, frames, hear } = recording(
        { hears: pcm(8_000), speaks: pcm(24_000) },
        silence(20, 24_000),
      )
      const models = {
        stt: stt([pcm(16_000)]),
        vad: vad([pcm(16_000), pcm(48_000)]),
        tts: tts([pcm(24_000)]),
      }
      const session = await talk(world, line, models)
      for (let i = 0; i < 5; i++) hear(silence(20, 8_000))
      expect(frames['stt']).toHaveLength(5)
      expect(frames['stt']![4]).toMatchObject({ sampleRate: 16_000 })
      expect(frames['vad']![4]).toBe(frames['stt']![4])
      await session.close()
    }))

  it('[PT1] a line may hear and speak at different rates', () =>
    inVirtualTime(async (world) => {
      const { line, tts, stt, formats, frames } = recording(
        { hears: pcm(48_000), speaks: pcm(24_000) },
        silence(20, 24_000),
      )
      const session = await talk(world, line, {
        stt: stt([pcm(48_000), pcm(16_000)]),
        tts: tts([pcm(16_000), pcm(24_000)]),
      })
      expect(formats).toEqual({ stt: pcm(48_000), tts: pcm(24_000) })
      await session.say('Hello').waitForPlayout()
      expect(frames['line']![0]).toMatchObject({ sampleRate: 24_000 })
      await session.close()
    }))

  it('[PT1] a realtime model hears and speaks in the nearest formats', () =>
    inVirtualTime(async ({ clock, random }) => {
      const realtime = new ScriptedRealtime({
        hears: [pcm(24_000), muLaw],
        speaks: [pcm(24_000), pcm(8_000)],
      })
      const line = new TestLine({ hears: muLaw, speaks: pcm(8_000) })
      const agent = new Agent({ instructions: '' })
      const session = new Session({ agent, models: { realtime }, line, clock, random })
      await session.start()
      expect(realtime.setups[0]).toMatchObject({ hears: muLaw, speaks: pcm(8_000) })
      await session.close()
    }))
})
