import { describe, expect, it } from 'vitest'
import { silence, sine, type AudioFrame } from '../audio/index.ts'
import type { VadEvents } from '../parts/index.ts'
import { ScriptedVad, inVirtualTime, partContext } from './index.ts'

const RATE = 16_000
const loud = sine(300, { sampleRate: RATE, duration: 20 })
const quiet = silence(20, RATE)

function listener(): { log: string[]; events: VadEvents } {
  const log: string[] = []
  return {
    log,
    events: {
      started: (ago) => void log.push(`started ${ago}`),
      stopped: (ago) => void log.push(`stopped ${ago}`),
      failed: (error) => void log.push(`failed ${String(error)}`),
    },
  }
}

describe('a scripted VAD', () => {
  it('detects speech by its level, and reports how long ago it started or stopped', () =>
    inVirtualTime(async (world) => {
      const { scope, ...context } = partContext(world)
      const { log, events } = listener()
      const stream = await new ScriptedVad().open({ scope, ...context }, events)
      const push = (frame: AudioFrame, times: number): void => {
        for (let i = 0; i < times; i++) stream.push(frame)
      }
      push(quiet, 10)
      push(loud, 2)
      expect(log).toEqual([])
      push(quiet, 1)
      push(loud, 3)
      expect(log).toEqual(['started 60'])
      push(quiet, 9)
      push(loud, 1)
      push(quiet, 9)
      expect(log).toHaveLength(1)
      push(quiet, 1)
      expect(log).toEqual(['started 60', 'stopped 200'])
      await scope.close()
    }))

  it('emits starts and stops on demand, alternately, and nothing after it failed or ended', () =>
    inVirtualTime(async (world) => {
      const { log, events } = listener()
      const vad = new ScriptedVad({ energy: false })
      const first = partContext(world)
      const stream = await vad.open(first, events)
      for (let i = 0; i < 10; i++) stream.push(loud)
      vad.stops()
      vad.starts(30)
      vad.starts()
      vad.stops(5)
      vad.fails('worker gone')
      vad.fails('again')
      vad.starts()
      expect(log).toEqual(['started 30', 'stopped 5', 'failed worker gone'])
      await first.scope.close()
      const second = partContext(world)
      await vad.open(second, events)
      await second.scope.close()
      vad.starts()
      expect(log).toHaveLength(3)
      expect(vad.counts).toMatchObject({ asked: 2, opened: 2, closed: 2, aborted: 0, live: 0 })
    }))
})
