import { describe, expect, it } from 'vitest'
import { durationOf, silence, sine, type AudioFrame } from '../audio/index.ts'
import type { Scope } from '../scope/index.ts'
import { ScriptedVad, inVirtualTime, partContext, type World } from '../testing/index.ts'
import { noSttEvents, type SttEvents, batchStt, type BatchSttOptions, type SttStream } from './index.ts'

const RATE = 16_000
const loud = sine(300, { sampleRate: RATE, duration: 20 })
const quiet = silence(20, RATE)

interface Open {
  readonly stream: SttStream
  readonly scope: Scope<string>
  readonly vad: ScriptedVad
  readonly log: string[]
  /** How long each transcribed segment was. */
  readonly durations: number[]
  readonly push: (frame: AudioFrame, ms: number) => void
}

/** Unless the test brings its own, the transcriber takes 100 ms and returns the number of segments so far. */
async function open(world: World, options: Partial<BatchSttOptions> = {}): Promise<Open> {
  const log: string[] = []
  const durations: number[] = []
  const note = (what: string): void => void log.push(`${world.clock.now()} ${what}`)
  const {
    transcribe = async (_, signal) => {
      await world.clock.elapse(100)
      signal.throwIfAborted()
      return ` ${durations.length} segments `
    },
  } = options
  const context = partContext(world)
  const vad = new ScriptedVad()
  const stt = batchStt({
    name: 'batch',
    sampleRate: RATE,
    vad,
    ...options,
    transcribe: (frames, signal) => {
      durations.push(frames.reduce((sum, frame) => sum + durationOf(frame), 0))
      return transcribe(frames, signal)
    },
  })
  const events: SttEvents = {
    ...noSttEvents,
    interim: (text) => note(`interim ${text}`),
    final: (text) => note(`final ${text}`),
    endOfTurn: () => note('end of turn'),
    failed: (error) => note(`failed ${(error as Error).message}`),
  }
  const stream = await stt.open(context, events, { format: stt.hears[0]!, keyTerms: [] })
  const push = (frame: AudioFrame, ms: number): void => {
    for (let i = 0; i < ms; i += 20) stream.push(frame)
  }
  return { stream, scope: context.scope, vad, log, durations, push }
}

describe('a batch STT', () => {
  it('transcribes each segment of speech when it ends, with its pre-roll', () =>
    inVirtualTime(async (world) => {
      const { scope, log, durations, push } = await open(world)
      push(quiet, 3_000)
      push(loud, 500)
      push(quiet, 180)
      expect(durations).toEqual([])
      push(quiet, 20)
      expect(durations).toEqual([300 + 500 + 200])
      await world.clock.elapse(150)
      expect(log).toEqual(['100 final 1 segments'])
      expect(world.clock.timers.list()).toEqual([])
      await scope.close()
    }))

  it('transcribes the speech so far on flush(), and nothing without speech', () =>
    inVirtualTime(async (world) => {
      const { stream, scope, durations, push } = await open(world)
      push(quiet, 1_000)
      stream.flush()
      expect(durations).toEqual([])
      push(loud, 400)
      stream.flush()
      expect(durations).toEqual([700])
      // The VAD has not reported the end of speech yet. The silence meanwhile is not speech.
      push(quiet, 200)
      expect(durations).toHaveLength(1)
      push(loud, 400)
      stream.detach()
      push(loud, 400)
      expect(durations).toEqual([700, 600])
      await world.clock.elapse(200)
      await scope.close()
    }))

  it('skips segments that are too short and splits those that are too long', () =>
    inVirtualTime(async (world) => {
      const { scope, durations, push } = await open(world, { preRoll: 0, maxSpeech: 1_000 })
      push(loud, 100)
      push(quiet, 300)
      expect(durations).toEqual([])
      push(loud, 2_500)
      push(quiet, 200)
      expect(durations).toEqual([1_000, 1_000, 700])
      await world.clock.elapse(200)
      await scope.close()
    }))

  it('emits transcripts in order, whichever arrives first, and no empty ones', () =>
    inVirtualTime(async (world) => {
      const answers = [
        { text: 'one', takes: 500 },
        { text: ' ', takes: 10 },
        { text: 'three', takes: 10 },
      ]
      const { scope, log, push } = await open(world, {
        transcribe: async () => {
          const { text, takes } = answers.shift()!
          await world.clock.elapse(takes)
          return text
        },
      })
      for (let i = 0; i < 3; i++) {
        push(loud, 300)
        push(quiet, 300)
      }
      await world.clock.elapse(1_000)
      expect(log).toEqual(['500 final one', '500 final three'])
      await scope.close()
    }))

  it('retries a transcription that fails or takes too long, and then fails', () =>
    inVirtualTime(async (world) => {
      let tries = 0
      const { stream, scope, log, push } = await open(world, {
        timeout: 1_000,
        transcribe: async (_, signal) => {
          if (++tries % 2 === 1) throw new Error('busy')
          if (tries === 2) return 'got it'
          await new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
          })
          return 'never'
        },
      })
      push(loud, 300)
      stream.flush()
      await world.clock.elapse(100)
      expect(log).toEqual(['0 final got it'])
      push(loud, 300)
      stream.flush()
      await world.clock.elapse(2_000)
      expect(log[1]).toMatch(/^1100 failed .*took longer than 1000 ms/)
      push(loud, 300)
      stream.flush()
      expect(tries).toBe(4)
      await scope.close()
      expect(log).toHaveLength(2)
    }))

  it('fails when it cannot keep up, and when its VAD fails', () =>
    inVirtualTime(async (world) => {
      const slow = await open(world, { maxWaiting: 2, transcribe: () => new Promise(() => {}) })
      for (let i = 0; i < 4; i++) {
        slow.push(loud, 300)
        slow.stream.flush()
      }
      expect(slow.log).toEqual(["0 failed 'batch' cannot keep up (limit maxWaiting = 2)"])
      await slow.scope.close()
      const broken = await open(world)
      broken.vad.fails(new Error('worker ended'))
      expect(broken.log).toEqual(['0 failed worker ended'])
      await broken.scope.close()
    }))

  it('transcribes the last words while its scope is closing, until it is closed itself', () =>
    inVirtualTime(async (world) => {
      const { stream, scope, log, push } = await open(world)
      scope.spawn('last words', () => world.clock.elapse(150))
      push(loud, 300)
      const closed = scope.close()
      stream.detach()
      const report = await closed
      expect(log).toEqual(['100 final 1 segments'])
      expect(report.clean).toBe(true)
    }))

  it('aborts a transcription that hangs when it is closed', () =>
    inVirtualTime(async (world) => {
      const { stream, scope, log, push } = await open(world, { transcribe: () => new Promise(() => {}) })
      push(loud, 300)
      stream.flush()
      const report = await scope.close()
      expect(report).toMatchObject({ clean: true, took: 0 })
      expect(world.clock.timers.list()).toEqual([])
      push(loud, 300)
      stream.flush()
      await world.clock.elapse(60_000)
      expect(log).toEqual([])
    }))
})
