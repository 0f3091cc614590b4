import { describe, expect, it } from 'vitest'
import { PlayoutClock, decodeWav, durationOf, wavHeaderLength, type AudioFrame } from '../../audio/index.ts'
import { Scope, type Clock } from '../../scope/index.ts'
import { inVirtualTime, type SimClock } from '../../testing/index.ts'
import { Recorder, type RecorderOptions, type RecordingError, type RecordingSink } from './recorder.ts'

const never = (): Promise<never> => new Promise(() => {})
const sound = (value: number, ms: number): AudioFrame => ({
  samples: new Int16Array(ms * 8).fill(value),
  sampleRate: 8000,
})

/** A file in memory. What `write` and `patch` do first can be set; it is written after that. */
class MemorySink implements RecordingSink {
  bytes = new Uint8Array(0)
  readonly calls: string[] = []
  before: (call: string) => void | Promise<void> = () => {}
  onClose: (signal: AbortSignal) => void | Promise<void> = () => {}

  async write(bytes: Uint8Array): Promise<void> {
    this.calls.push('write')
    await this.before('write')
    const longer = new Uint8Array(this.bytes.length + bytes.length)
    longer.set(this.bytes)
    longer.set(bytes, this.bytes.length)
    this.bytes = longer
  }

  async patch(position: number, bytes: Uint8Array): Promise<void> {
    this.calls.push('patch')
    await this.before('patch')
    this.bytes.set(bytes, position)
  }

  async close(signal: AbortSignal): Promise<void> {
    this.calls.push('close')
    await this.onClose(signal)
  }

  abort(): void {
    this.calls.push('abort')
  }

  /** What is on the file now, in stretches of one value: `[value, milliseconds]`. */
  get sides(): { caller: [number, number][]; agent: [number, number][] } {
    const [caller, agent] = decodeWav(this.bytes).channels.map((samples) => {
      const found: [number, number][] = []
      for (const sample of samples) {
        const last = found.at(-1)
        if (last && last[0] === sample) last[1] += 1 / 8
        else found.push([sample, 1 / 8])
      }
      return found
    })
    return { caller: caller!, agent: agent! }
  }
}

function setUp(clock: Clock, options: Partial<RecorderOptions> = {}) {
  const sink = new MemorySink()
  const errors: RecordingError[] = []
  const recorder = new Recorder({
    sink,
    clock,
    sampleRate: 8000,
    onError: (error) => errors.push(error),
    ...options,
  })
  return { sink, errors, recorder }
}

/** The caller speaks for so long, a frame every 20 ms. */
async function speak(clock: SimClock, recorder: Recorder, ms: number, value = 1): Promise<void> {
  for (let passed = 0; passed < ms; passed += 20) {
    await clock.elapse(20)
    recorder.caller(sound(value, 20))
  }
}

const live = new AbortController().signal

describe('a recording', () => {
  it('has both sides where they were heard, up to the moment of an interruption', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = setUp(clock)
      const playout = new PlayoutClock()
      await speak(clock, recorder, 1_000)
      // All of the answer is made at once, and heard over three seconds; the caller talks over it after one.
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

  it('has what a line went on with after the clear', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = setUp(clock)
      recorder.agent(sound(2, 5_000), 0)
      await clock.elapse(1_000)
      recorder.clear()
      await clock.elapse(1_500)
      recorder.heardAfterClear(1_500)
      await recorder.close(live)
      expect(sink.sides.agent).toEqual([[2, 2_500]])
    }))

  it('has the last words of the caller, and nothing that the agent would have said after closing began', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = setUp(clock)
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

  it('without any sound is a WAV file, too', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = setUp(clock)
      await recorder.close(live)
      expect(sink.bytes).toHaveLength(wavHeaderLength)
      expect(decodeWav(sink.bytes).channels).toEqual([new Int16Array(0), new Int16Array(0)])
    }))

  it('can be read at every moment: its header promises nothing that is not there', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = setUp(clock)
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

  it('in a sink that cannot patch says that it does not know its length', () =>
    inVirtualTime(async ({ clock }) => {
      const memory = new MemorySink()
      const { recorder } = setUp(clock, {
        sink: { write: (bytes) => memory.write(bytes), close() {}, abort() {} },
      })
      await speak(clock, recorder, 4_000)
      await recorder.close(live)
      expect(new DataView(memory.bytes.buffer).getUint32(40, true)).toBe(0xffffffff)
      expect(memory.sides.caller).toEqual([[1, 4_000]])
    }))

  it('is written by and by: an hour waits in no memory', () =>
    inVirtualTime(async ({ clock }) => {
      let written = 0
      const sink = { write: (bytes: Uint8Array) => void (written += bytes.length), close() {}, abort() {} }
      const { recorder } = setUp(clock, { sink })
      await speak(clock, recorder, 60_000)
      expect(written).toBeGreaterThan((60_000 - 4_000) * 8 * 4)
      await clock.elapse(3_540_000)
      await speak(clock, recorder, 20)
      await recorder.close(live)
      expect(written).toBe(wavHeaderLength + 3_600_020 * 8 * 4)
    }))
})

describe('a sink that fails', () => {
  it('does not disturb the call: it is told once, and the file is as good as it can be', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = setUp(clock)
      await speak(clock, recorder, 4_000)
      const full = new Error('ENOSPC: no space left on device')
      sink.before = (call) => (call === 'write' ? Promise.reject(full) : undefined)
      await speak(clock, recorder, 4_000)
      recorder.agent(sound(2, 20), clock.now())
      recorder.clear()
      expect(errors).toMatchObject([{ code: 'RECORDING_FAILED', cause: full }])
      expect(errors[0]!.message).toContain('no space left')
      await expect(recorder.close(live)).rejects.toBe(errors[0])
      expect(errors).toHaveLength(1)
      expect(sink.calls.slice(-2)).toEqual(['patch', 'close'])
      expect(sink.sides.caller).toEqual([[1, 2_000]])
    }))

  it('is in the report of its scope', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = setUp(clock)
      sink.before = () => {
        throw new Error('EIO')
      }
      const scope = new Scope('session', { clock })
      scope.own('recorder', recorder)
      const report = await scope.close()
      expect(report.steps).toMatchObject([
        { name: 'recorder', outcome: 'failed', error: { code: 'RECORDING_FAILED' } },
      ])
      expect(sink.calls.at(-1)).toBe('abort')
    }))

  it('only when it is closed is told, too', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = setUp(clock)
      sink.onClose = () => Promise.reject(new Error('EIO'))
      await expect(recorder.close(live)).rejects.toMatchObject({ code: 'RECORDING_FAILED' })
      expect(errors).toHaveLength(1)
    }))

  it('does not disturb the call even if the listener for errors does', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = setUp(clock, {
        onError: () => {
          throw new Error('broken listener')
        },
      })
      sink.before = () => Promise.reject(new Error('EIO'))
      await speak(clock, recorder, 4_000)
      await expect(recorder.close(live)).rejects.toMatchObject({ code: 'RECORDING_FAILED' })
    }))

  it('and cannot be aborted throws nothing at whoever aborts', () =>
    inVirtualTime(({ clock }) => {
      const { sink, errors, recorder } = setUp(clock)
      sink.abort = () => {
        throw new Error('EBADF')
      }
      recorder.abort()
      expect(errors).toMatchObject([{ code: 'RECORDING_FAILED' }])
    }))
})

describe('a sink that hangs', () => {
  it('[SC6] is given up in bounded time: abort() is synchronous, and nothing is written after it', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = setUp(clock)
      const scope = new Scope('session', { clock, closeTimeout: 1_000 })
      scope.own('recorder', recorder, { cap: 300 })
      let answer = (): void => {}
      sink.before = () =>
        new Promise((resolve) => {
          answer = resolve
        })
      await speak(clock, recorder, 4_000)
      const report = await scope.close()
      expect(report.steps).toMatchObject([{ name: 'recorder', outcome: 'timed-out', took: 300 }])
      expect(sink.calls).toEqual(['write', 'abort'])
      answer()
      recorder.abort()
      await clock.elapse(1_000)
      expect(sink.calls).toEqual(['write', 'abort'])
    }))

  it('and answers after the abort is not asked for more, and what it says is not told', () =>
    inVirtualTime(async ({ clock }) => {
      for (const hangs of ['write', 'patch']) {
        const { sink, errors, recorder } = setUp(clock)
        let answer: (error: Error | undefined) => void = () => {}
        sink.before = (step) =>
          step === hangs
            ? new Promise((resolve, reject) => {
                answer = (error) => (error ? reject(error) : resolve())
              })
            : undefined
        const closed = recorder.close(live)
        await clock.elapse(100)
        const before = [...sink.calls]
        recorder.abort()
        answer(hangs === 'write' ? new Error('EIO') : undefined)
        await closed
        expect(sink.calls).toEqual([...before, 'abort'])
        expect(errors).toEqual([])
      }
    }))

  it('when it is closed ends with the signal, without a scope too', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = setUp(clock)
      sink.onClose = never
      const control = new AbortController()
      const closed = recorder.close(control.signal)
      clock.happen(100, 'out of time', () => control.abort(new Error('out of time')))
      await expect(closed).rejects.toThrow('out of time')
      expect(sink.calls.at(-1)).toBe('abort')
      expect(errors).toEqual([])
    }))

  it('is not even asked when the signal has aborted before', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = setUp(clock)
      await expect(recorder.close(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
      expect(sink.calls).toEqual(['abort'])
    }))

  it('loses the oldest sound when too much waits; what is written stands where it was heard', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = setUp(clock, { maxBacklog: 5_000 })
      let answer: (() => void) | undefined
      sink.before = () =>
        new Promise((resolve) => {
          answer = resolve
        })
      await speak(clock, recorder, 20_000)
      expect(errors).toMatchObject([{ code: 'RECORDING_BEHIND' }])
      expect(errors[0]!.message).toContain('maxBacklog = 5000')
      sink.before = () => {}
      answer?.()
      await clock.elapse(1)
      await recorder.close(live)
      // The part that was under way, then what was lost, then what waited: 5 s and the 2 s that may still change.
      expect(sink.sides.caller).toEqual([
        [1, 1_000],
        [0, 12_000],
        [1, 7_000],
      ])
    }))

  it('time in which nobody speaks is no sound that waits', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = setUp(clock, { maxBacklog: 5_000 })
      sink.before = () => clock.elapse(10)
      await speak(clock, recorder, 3_000)
      clock.jump(60_000)
      await speak(clock, recorder, 3_000, 2)
      await recorder.close(live)
      expect(errors).toEqual([])
      expect(sink.sides.caller).toEqual([
        [1, 3_000],
        [0, 60_000],
        [2, 3_000],
      ])
    }))
})

describe('too much', () => {
  it('of the caller is told once', () =>
    inVirtualTime(async ({ clock }) => {
      const { errors, recorder } = setUp(clock)
      for (let i = 0; i < 500; i++) recorder.caller(sound(1, 20))
      expect(errors).toMatchObject([{ code: 'RECORDING_OVERRUN' }])
      await recorder.close(live)
    }))

  it('of the agent is told once, and left out', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = setUp(clock, { maxAhead: 1_000 })
      for (let i = 0; i < 30; i++) recorder.agent(sound(2, 100), i * 100)
      await clock.elapse(3_000)
      await recorder.close(live)
      expect(errors).toMatchObject([{ code: 'RECORDING_OVERRUN' }])
      expect(errors[0]!.message).toContain('maxAhead = 1000')
      expect(sink.sides.agent).toEqual([[2, 1_000]])
    }))

  it('sound of the agent that is heard at no moment is left out', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = setUp(clock)
      for (const at of [NaN, -Infinity, Infinity]) recorder.agent(sound(2, 100), at)
      await clock.elapse(1_000)
      await recorder.close(live)
      expect(sink.sides.agent).toEqual([])
      expect(errors).toEqual([])
    }))

  it('for a WAV file ends the recording, and it is told', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = setUp(clock, { maxBytes: 3_000 * 8 * 4 })
      await speak(clock, recorder, 10_000)
      expect(errors).toMatchObject([{ code: 'RECORDING_FULL' }])
      await expect(recorder.close(live)).rejects.toBe(errors[0])
      expect(sink.sides.caller).toEqual([[1, 3_000]])
    }))
})

describe('after the end', () => {
  it('nothing changes any more, and ending it again does nothing', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = setUp(clock)
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
