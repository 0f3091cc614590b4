import { describe, expect, it } from 'vitest'
import { durationOf, silence, sine, type AudioFrame } from '../audio/index.ts'
import type { Scope } from '../scope/index.ts'
import { ScriptedVad, inVirtualTime, partContext, type World } from '../testing/index.ts'
import { batchStt, type BatchSttOptions, type SttStream } from './index.ts'

const RATE = 16_000
const loud = sine(300, { sampleRate: RATE, duration: 20 })
const quiet = silence(20, RATE)

interface Open {
  readonly stream: SttStream
  readonly scope: Scope<string>
  readonly vad: ScriptedVad
  readonly told: string[]
  /** How long each stretch was that had to be transcribed. */
  readonly asked: number[]
  readonly push: (frame: AudioFrame, ms: number) => void
}

/** The transcriber says how long the sound was, after 100 ms unless the test brings its own. */
async function open(world: World, options: Partial<BatchSttOptions> = {}): Promise<Open> {
  const told: string[] = []
  const asked: number[] = []
  const note = (what: string): void => void told.push(`${world.clock.now()} ${what}`)
  const {
    transcribe = async (_, signal) => {
      await world.clock.elapse(100)
      signal.throwIfAborted()
      return ` ${asked.length} stretches `
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
      asked.push(frames.reduce((sum, frame) => sum + durationOf(frame), 0))
      return transcribe(frames, signal)
    },
  })
  const stream = await stt.open(context, {
    interim: (text) => note(`interim ${text}`),
    final: (text) => note(`final ${text}`),
    endOfTurn: () => note('end of turn'),
    failed: (error) => note(`failed ${(error as Error).message}`),
  })
  const push = (frame: AudioFrame, ms: number): void => {
    for (let i = 0; i < ms; i += 20) stream.push(frame)
  }
  return { stream, scope: context.scope, vad, told, asked, push }
}

describe('a batch transcriber behind a VAD', () => {
  it('transcribes each stretch of speech when it ends, with the moments before it', () =>
    inVirtualTime(async (world) => {
      const { scope, told, asked, push } = await open(world)
      push(quiet, 3_000)
      push(loud, 500)
      push(quiet, 180)
      expect(asked).toEqual([])
      push(quiet, 20)
      expect(asked).toEqual([300 + 500 + 200])
      await world.clock.elapse(150)
      expect(told).toEqual(['100 final 1 stretches'])
      expect(world.clock.timers.list()).toEqual([])
      await scope.close()
    }))

  it('transcribes what there is when the user has stopped, and nothing when nobody spoke', () =>
    inVirtualTime(async (world) => {
      const { stream, scope, asked, push } = await open(world)
      push(quiet, 1_000)
      stream.flush()
      expect(asked).toEqual([])
      push(loud, 400)
      stream.flush()
      expect(asked).toEqual([700])
      // The VAD is not yet sure that it is over: the silence it still hears is no speech.
      push(quiet, 200)
      expect(asked).toHaveLength(1)
      push(loud, 400)
      stream.detach()
      push(loud, 400)
      expect(asked).toEqual([700, 600])
      await world.clock.elapse(200)
      await scope.close()
    }))

  it('leaves out what is too short to be speech, and cuts what is too long', () =>
    inVirtualTime(async (world) => {
      const { scope, asked, push } = await open(world, { preRoll: 0, maxSpeech: 1_000 })
      push(loud, 100)
      push(quiet, 300)
      expect(asked).toEqual([])
      push(loud, 2_500)
      push(quiet, 200)
      expect(asked).toEqual([1_000, 1_000, 700])
      await world.clock.elapse(200)
      await scope.close()
    }))

  it('tells the texts in order, whichever comes first, and no empty one', () =>
    inVirtualTime(async (world) => {
      const answers = [
        { text: 'one', takes: 500 },
        { text: ' ', takes: 10 },
        { text: 'three', takes: 10 },
      ]
      const { scope, told, push } = await open(world, {
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
      expect(told).toEqual(['500 final one', '500 final three'])
      await scope.close()
    }))

  it('tries again when a transcription fails or takes too long, and then the stream has failed', () =>
    inVirtualTime(async (world) => {
      let tries = 0
      const { stream, scope, told, push } = await open(world, {
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
      expect(told).toEqual(['0 final got it'])
      push(loud, 300)
      stream.flush()
      await world.clock.elapse(2_000)
      expect(told[1]).toMatch(/^1100 failed .*took longer than 1000 ms/)
      push(loud, 300)
      stream.flush()
      expect(tries).toBe(4)
      await scope.close()
      expect(told).toHaveLength(2)
    }))

  it('fails when it cannot keep up, and when its VAD is gone', () =>
    inVirtualTime(async (world) => {
      const slow = await open(world, { maxWaiting: 2, transcribe: () => new Promise(() => {}) })
      for (let i = 0; i < 4; i++) {
        slow.push(loud, 300)
        slow.stream.flush()
      }
      expect(slow.told).toEqual(["0 failed 'batch' cannot keep up (limit maxWaiting = 2)"])
      await slow.scope.close()
      const deaf = await open(world)
      deaf.vad.fails(new Error('worker gone'))
      expect(deaf.told).toEqual(['0 failed worker gone'])
      await deaf.scope.close()
    }))

  it('still transcribes the last words while its scope waits to end it, and nothing after that', () =>
    inVirtualTime(async (world) => {
      const { stream, scope, told, push } = await open(world)
      scope.spawn('last words', () => world.clock.elapse(150))
      push(loud, 300)
      const closed = scope.close()
      stream.detach()
      const report = await closed
      expect(told).toEqual(['100 final 1 stretches'])
      expect(report.clean).toBe(true)
    }))

  it('stops what hangs when it is ended', () =>
    inVirtualTime(async (world) => {
      const { stream, scope, told, push } = await open(world, { transcribe: () => new Promise(() => {}) })
      push(loud, 300)
      stream.flush()
      const report = await scope.close()
      expect(report).toMatchObject({ clean: true, took: 0 })
      expect(world.clock.timers.list()).toEqual([])
      push(loud, 300)
      stream.flush()
      await world.clock.elapse(60_000)
      expect(told).toEqual([])
    }))
})
