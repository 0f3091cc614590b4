import { describe, expect, it } from 'vitest'
import { sine } from '../../audio/index.ts'
import { inVirtualTime } from '../../testing/index.ts'
import { limits } from './limits.ts'
import { OpusDecoder, OpusEncoder } from './opus.ts'
import { SoundIn } from './sound-in.ts'
import { SoundOut, type OutgoingPacket } from './sound-out.ts'

type Sent = OutgoingPacket & { readonly at: number }

const tone = (ms: number): Int16Array => sine(440, { sampleRate: 24_000, duration: ms }).samples

describe('sound to a WebRTC client', () => {
  it('[WR4] leaves one packet every 20 ms, however it was queued, and then 100 ms of silence', () =>
    inVirtualTime(async ({ clock }) => {
      const sent: Sent[] = []
      const out = new SoundOut(clock, (packet) => sent.push({ ...packet, at: clock.now() }))
      for (let at = 0; at < 4_800; at += 600) out.push(tone(200).subarray(at, at + 600))
      await clock.elapse(2_000)
      expect(sent.map(({ at }) => at)).toEqual(
        Array.from({ length: 10 + limits.tail }, (_, index) => index * 20),
      )
      expect(sent.map(({ timestamp }) => timestamp)).toEqual(sent.map(({ at }) => at * 48))
      expect(sent.map(({ sequence }) => sequence)).toEqual(sent.map((_, index) => index))
      expect(sent.filter(({ marker }) => marker)).toEqual([sent[0]])
      out.close()
    }))

  it('[WR4] begins at once after a pause, whose length is in the timestamps', () =>
    inVirtualTime(async ({ clock }) => {
      const sent: Sent[] = []
      const out = new SoundOut(clock, (packet) => sent.push({ ...packet, at: clock.now() }))
      out.push(tone(20))
      await clock.elapse(1_007)
      const before = sent.length
      out.push(tone(40))
      await clock.elapse(1_000)
      const [first, second] = sent.slice(before)
      expect([first?.at, first?.marker, second?.at, second?.marker]).toEqual([1_007, true, 1_027, false])
      expect(first!.timestamp).toBe(1_007 * 48)
      expect(first!.sequence).toBe(sent[before - 1]!.sequence + 1)
      out.close()
    }))

  it('[WR4] is not sent while it is silent, though it is queued', () =>
    inVirtualTime(async ({ clock }) => {
      const sent: Sent[] = []
      const out = new SoundOut(clock, (packet) => sent.push({ ...packet, at: clock.now() }))
      for (const samples of [tone(40), new Int16Array(24_000), tone(40)]) out.push(samples)
      await clock.elapse(3_000)
      expect(sent.map(({ at }) => at).filter((at) => at >= 140 && at < 1_040)).toEqual([])
      expect(sent.find(({ at }) => at === 1_040)).toMatchObject({ marker: true, timestamp: 1_040 * 48 })
      out.close()
    }))
})

describe('sound from a WebRTC client', () => {
  /** 50 packets of a tone. */
  const packets = (): { sequence: number; timestamp: number; payload: Buffer }[] => {
    const encoder = new OpusEncoder(24_000)
    const samples = tone(1_000)
    const all = Array.from({ length: 50 }, (_, index) => ({
      sequence: (65_530 + index) % 65_536,
      timestamp: (2 ** 32 - 4_800 + index * 960) % 2 ** 32,
      payload: encoder.encode(samples.subarray(index * 480, (index + 1) * 480)),
    }))
    encoder.delete()
    return all
  }

  it('[WR1] has its length, whether packets are swapped, come twice, are lost, or are nonsense', async () => {
    let heard = 0
    const listen = async (
      change: (sent: ReturnType<typeof packets>) => ReturnType<typeof packets>,
    ): Promise<void> => {
      heard = 0
      await inVirtualTime(async ({ clock }) => {
        const sound = new SoundIn(clock, (samples) => (heard += samples.length / 16))
        for (const packet of change(packets())) {
          sound.push(packet)
          await clock.elapse(20)
        }
        await clock.elapse(1_000)
        sound.close()
      })
    }
    await listen((sent) => sent)
    expect(heard).toBe(1_000)
    await listen((sent) => sent.toSpliced(10, 2, sent[11]!, sent[10]!))
    expect(heard).toBe(1_000)
    await listen((sent) => sent.flatMap((each) => [each, each]))
    expect(heard).toBe(1_000)
    await listen((sent) => sent.toSpliced(20, 2))
    expect(heard).toBe(1_000)
    await listen((sent) =>
      sent.map((each, index) => (index === 30 ? { ...each, payload: Buffer.from([0xff, 1, 2]) } : each)),
    )
    expect(Math.abs(heard - 1_000)).toBeLessThanOrEqual(20)
  })

  it('[LN7] is not decoded beyond what a microphone can send', () =>
    inVirtualTime(async ({ clock }) => {
      let heard = 0
      const sound = new SoundIn(clock, (samples) => (heard += samples.length / 16))
      const { payload } = packets()[0]!
      for (let index = 0; index < 5_000; index++)
        sound.push({ sequence: index, timestamp: index * 960, payload })
      expect(heard).toBe(limits.packets.burst * 20)
      await clock.elapse(1)
      sound.close()
    }))
})

describe('the codecs of a thread', () => {
  it('[WR6] do not disturb each other, though as many exist as a full thread has', () => {
    const encode = (encoder: OpusEncoder, decoder: OpusDecoder, at: number): string => {
      const packet = encoder.encode(tone(1_000).subarray(at * 480, (at + 1) * 480))
      return `${packet.toString('hex')} ${Buffer.from(decoder.decode(packet)!.buffer).toString('hex')}`
    }
    const alone = [new OpusEncoder(24_000), new OpusDecoder(16_000)] as const
    const expected = Array.from({ length: 10 }, (_, at) => encode(...alone, at))
    const many = Array.from(
      { length: limits.perThread },
      () => [new OpusEncoder(24_000), new OpusDecoder(16_000)] as const,
    )
    for (let at = 0; at < 10; at++) for (const pair of many) expect(encode(...pair, at)).toBe(expected[at])
    for (const codec of [...alone, ...many.flat()]) codec.delete()
  })

  it('[LN6] take whatever a client sends as a packet', () => {
    const decoder = new OpusDecoder(16_000)
    for (const bytes of [[], [0xff], [0xff, 0xff], [1, 2, 3]]) {
      const samples = decoder.decode(Uint8Array.from(bytes))
      expect(samples === undefined || samples.length <= 1_920).toBe(true)
    }
    expect(decoder.decode(new Uint8Array(5_000))).toBeUndefined()
    decoder.delete()
  })
})
