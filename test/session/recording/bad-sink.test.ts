import { describe, expect, it } from 'vitest'
import { Scope } from '../../../src/scope/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { never } from '../fixture.ts'
import { aRecorder, live, sound, speak } from './memory-sink.ts'

describe('a recorder whose sink fails', () => {
  it('reports the error once, and closes the file with the sound written before it', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = aRecorder(clock)
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

  it('is listed as failed in the report of its scope', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = aRecorder(clock)
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

  it('reports an error that occurs when the sink is closed', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = aRecorder(clock)
      sink.onClose = () => Promise.reject(new Error('EIO'))
      await expect(recorder.close(live)).rejects.toMatchObject({ code: 'RECORDING_FAILED' })
      expect(errors).toHaveLength(1)
    }))

  it('does not throw even if its error listener throws', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = aRecorder(clock, {
        onError: () => {
          throw new Error('broken listener')
        },
      })
      sink.before = () => Promise.reject(new Error('EIO'))
      await speak(clock, recorder, 4_000)
      await expect(recorder.close(live)).rejects.toMatchObject({ code: 'RECORDING_FAILED' })
    }))

  it('does not throw from `abort` if the sink does', () =>
    inVirtualTime(({ clock }) => {
      const { sink, errors, recorder } = aRecorder(clock)
      sink.abort = () => {
        throw new Error('EBADF')
      }
      recorder.abort()
      expect(errors).toMatchObject([{ code: 'RECORDING_FAILED' }])
    }))
})

describe('a recorder whose sink hangs', () => {
  it('[SC6] is aborted in bounded time, and writes nothing afterwards', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = aRecorder(clock)
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

  it('ignores results and errors of the sink that arrive after the abort', () =>
    inVirtualTime(async ({ clock }) => {
      for (const hangs of ['write', 'patch']) {
        const { sink, errors, recorder } = aRecorder(clock)
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

  it('rejects `close` when the signal aborts, without a scope as well', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = aRecorder(clock)
      sink.onClose = never
      const control = new AbortController()
      const closed = recorder.close(control.signal)
      clock.happen(100, 'out of time', () => control.abort(new Error('out of time')))
      await expect(closed).rejects.toThrow('out of time')
      expect(sink.calls.at(-1)).toBe('abort')
      expect(errors).toEqual([])
    }))

  it('aborts the sink at once if the signal has aborted before', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, recorder } = aRecorder(clock)
      await expect(recorder.close(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
      expect(sink.calls).toEqual(['abort'])
    }))

  it('drops the oldest sound beyond maxBacklog, and keeps the rest when it was heard', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = aRecorder(clock, { maxBacklog: 5_000 })
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
      // The chunk that was being written, the lost sound, and the backlog: 5 s, and 2 s that could still change.
      expect(sink.sides.caller).toEqual([
        [1, 1_000],
        [0, 12_000],
        [1, 7_000],
      ])
    }))

  it('does not count silence towards maxBacklog', () =>
    inVirtualTime(async ({ clock }) => {
      const { sink, errors, recorder } = aRecorder(clock, { maxBacklog: 5_000 })
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
