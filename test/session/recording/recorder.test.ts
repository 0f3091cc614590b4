import { describe, expect, it } from 'vitest'
import { PlayoutClock, decodeWav, durationOf, wavHeaderLength } from '../../../src/audio/index.ts'
import { Scope } from '../../../src/scope/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { MemorySink, aRecorder, live, sound, speak } from './memory-sink.ts'

describe('a recording', () => {
  it('has both sides when they were heard, up to an interruption', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = aRecorder(clock)
      const playout = new PlayoutClock()
      await speak(clock, recorder, 1_000)
      // The whole answer is made at once and heard over three seconds. The caller interrupts it after one second.
      for (let i = 0; i < 30; i++) {
        const frame = sound(2, 100)
        recorder.agent(frame, playout.play(durationOf(frame), clock.now()))
      }
      await clock.elapse(1_000)
      await speak(clock, recorder, 200, 3)
      recorder.clear()
      playout.clear(clock.now())
      await clock.elapse(500)
      recorder.agent(sound(4, 300), playout.play(300, clock.now()))
      await clock.elapse(1_000)
      await recorder.close(live)
      expect(sink.sides).toEqual({
        caller: [
          [1, 1_000],
          [0, 1_000],
          [3, 200],
          [0, 800],
        ],
        agent: [
          [0, 1_000],
          [2, 1_200],
          [0, 500],
          [4, 300],
        ],
      })
      expect(errors).toEqual([])
      expect(sink.calls.at(-1)).toBe('close')
    }))

  it('includes sound that was still heard after a clear', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = aRecorder(clock)
      recorder.agent(sound(2, 5_000), 0)
      await clock.elapse(1_000)
      recorder.clear()
      await clock.elapse(1_500)
      recorder.heardAfterClear(1_500)
      await recorder.close(live)
      expect(sink.sides.agent).toEqual([[2, 2_500]])
    }))

  it("includes the caller's last words, but no sound of the agent after closing began", () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = aRecorder(clock)
      const scope = new Scope('session', { clock })
      scope.own('recorder', recorder)
      recorder.agent(sound(2, 5_000), 0)
      scope.spawn('last words', async ({ onCancel }) => {
        await new Promise<void>((resolve) => {
          onCancel(() => resolve())
        })
        recorder.agent(sound(9, 100), clock.now())
        await speak(clock, recorder, 400)
      })
      await clock.elapse(1_000)
      const report = await scope.close()
      expect(report.steps).toMatchObject([{ name: 'recorder', outcome: 'done' }])
      expect(sink.sides).toEqual({
        caller: [
          [0, 1_000],
          [1, 400],
        ],
        agent: [
          [2, 1_000],
          [0, 400],
        ],
      })
    }))

  it('without any sound is still a WAV file', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = aRecorder(clock)
      await recorder.close(live)
      expect(sink.bytes).toHaveLength(wavHeaderLength)
      expect(decodeWav(sink.bytes).channels).toEqual([new Int16Array(0), new Int16Array(0)])
    }))

  it('is readable at any time: its header never promises more sound than there is', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = aRecorder(clock)
      const lengths: number[] = []
      sink.before = () => {
        if (sink.bytes.length === 0) return
        const said = new DataView(sink.bytes.buffer).getUint32(40, true)
        const there = sink.bytes.length - wavHeaderLength
        expect(said === 0xffffffff || said <= there).toBe(true)
        lengths.push(decodeWav(sink.bytes).channels[0]!.length / 8)
      }
      await speak(clock, recorder, 10_000)
      expect(Math.max(...lengths)).toBeGreaterThanOrEqual(6_000)
      expect(new DataView(sink.bytes.buffer).getUint32(40, true)).toBe(sink.bytes.length - wavHeaderLength)
      await recorder.close(live)
      expect(sink.sides.caller).toEqual([[1, 10_000]])
    }))

  it('has an unknown length in its header if the sink cannot patch', () =>
    inVirtualTime(async ({ clock }) => {
      const memory = new MemorySink()
      const { recorder } = aRecorder(clock, {
        sink: { write: (bytes) => memory.write(bytes), close() {}, abort() {} },
      })
      await speak(clock, recorder, 4_000)
      await recorder.close(live)
      expect(new DataView(memory.bytes.buffer).getUint32(40, true)).toBe(0xffffffff)
      expect(memory.sides.caller).toEqual([[1, 4_000]])
    }))

  it('is written continuously, so that an hour does not pile up in memory', () =>
    inVirtualTime(async ({ clock }) => {
      let written = 0
      const sink = { write: (bytes: Uint8Array) => void (written += bytes.length), close() {}, abort() {} }
      const { recorder } = aRecorder(clock, { sink })
      await speak(clock, recorder, 60_000)
      expect(written).toBeGreaterThan((60_000 - 4_000) * 8 * 4)
      await clock.elapse(3_540_000)
      await speak(clock, recorder, 20)
      await recorder.close(live)
      expect(written).toBe(wavHeaderLength + 3_600_020 * 8 * 4)
    }))
})

describe('the limits of a recorder', () => {
  it('report sound of the caller that arrives faster than real time once', () =>
    inVirtualTime(async ({ clock }) => {
      const { errors, recorder } = aRecorder(clock)
      for (let i = 0; i < 500; i++) recorder.caller(sound(1, 20))
      expect(errors).toMatchObject([{ code: 'RECORDING_OVERRUN' }])
      await recorder.close(live)
    }))

  it('leave out sound of the agent beyond maxAhead, and report that once', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = aRecorder(clock, { maxAhead: 1_000 })
      for (let i = 0; i < 30; i++) recorder.agent(sound(2, 100), i * 100)
      await clock.elapse(3_000)
      await recorder.close(live)
      expect(errors).toMatchObject([{ code: 'RECORDING_OVERRUN' }])
      expect(errors[0]!.message).toContain('maxAhead = 1000')
      expect(sink.sides.agent).toEqual([[2, 1_000]])
    }))

  it('leave out sound of the agent without a valid time', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = aRecorder(clock)
      for (const at of [NaN, -Infinity, Infinity]) recorder.agent(sound(2, 100), at)
      await clock.elapse(1_000)
      await recorder.close(live)
      expect(sink.sides.agent).toEqual([])
      expect(errors).toEqual([])
    }))

  it('end the recording at maxBytes, and report that', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = aRecorder(clock, { maxBytes: 3_000 * 8 * 4 })
      await speak(clock, recorder, 10_000)
      expect(errors).toMatchObject([{ code: 'RECORDING_FULL' }])
      await expect(recorder.close(live)).rejects.toBe(errors[0])
      expect(sink.sides.caller).toEqual([[1, 3_000]])
    }))
})

describe('a closed recorder', () => {
  it('records nothing, and can be closed and aborted again without effect', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = aRecorder(clock)
      await speak(clock, recorder, 100)
      await recorder.close(live)
      const { length } = sink.calls
      await speak(clock, recorder, 5_000)
      recorder.agent(sound(2, 20), clock.now())
      recorder.clear()
      recorder.heardAfterClear(10)
      recorder.closing()
      await recorder.close(live)
      recorder.abort()
      expect(sink.calls).toHaveLength(length)
      expect(sink.sides.caller).toEqual([[1, 100]])
    }))
})
