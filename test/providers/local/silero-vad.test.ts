import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { concat, level, Resampler, silence, sine, type AudioFrame } from '../../../src/audio/index.ts'
import type { VadEvents } from '../../../src/parts/index.ts'
import { SileroVad, openJudge, type SpeechJudge } from '../../../src/providers/local/silero-vad.ts'
import { systemClock, systemRandom } from '../../../src/scope/index.ts'
import { conformance, inVirtualTime, partContext, vadConformance } from '../../../src/testing/index.ts'
import { clip, clips, framesOf } from '../../fixtures/speech.ts'

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`../../../node_modules/@ricky0123/vad-web/dist/${name}`, import.meta.url))
const model = fileOf('silero_vad_v5.onnx')

const speech = (ms: number): AudioFrame[] =>
  framesOf(clip('what are your opening hours').samples).slice(0, ms / 20)

// The stream alone, in virtual time: what is loud is speech. The model is tested below, with all the time that it needs.
conformance({ describe, it }, 'the Silero VAD without its model', vadConformance, () => {
  const dying = new Set<(error: Error) => void>()
  let refused = false
  const open = async (): Promise<SpeechJudge> => {
    if (refused) throw new Error('no model')
    return {
      judge: async (samples) => (level(samples) > -50 ? 1 : 0),
      onDeath: (listener) => void dying.add(listener),
    }
  }
  return {
    vad: new SileroVad({ model }, open),
    speech,
    refuses: () => {
      refused = true
    },
    breaks: () => {
      for (const die of dying) die(new Error('it died'))
    },
  }
})

/** What the model hears in these sounds, with half a second of silence around each. */
async function heard(
  sounds: readonly Int16Array[],
  { file = model, sampleRate = 16_000 }: { file?: string; sampleRate?: 8_000 | 16_000 } = {},
) {
  const context = partContext({ clock: systemClock, random: systemRandom })
  const log: string[] = []
  const times: number[] = []
  let pushed = 0
  const note = (what: string, ago: number): void => {
    log.push(what)
    times.push(Math.round(pushed - ago))
  }
  const events: VadEvents = {
    started: (ago) => note('started', ago),
    stopped: (ago) => note('stopped', ago),
    failed: (error) => log.push(String(error)),
  }
  let judging: Promise<unknown> = Promise.resolve()
  const vad = new SileroVad({ model: file, threshold: 0.5 }, async (...args) => {
    const thread = await openJudge(...args)
    const judge: SpeechJudge['judge'] = (samples) => {
      const judged = thread.judge(samples)
      judging = judged
      return judged
    }
    return { judge, onDeath: (listener) => thread.onDeath(listener) }
  })
  const stream = await vad.open(context, events, { format: { encoding: 'pcm', sampleRate } })
  const quiet = silence(500, sampleRate)
  const frames = sounds.flatMap((samples) => [quiet, { samples, sampleRate }, quiet])
  const all = concat(frames, sampleRate).samples
  const size = sampleRate / 50
  for (let at = 0; at < all.length; at += size) {
    stream.push({ samples: all.slice(at, at + size), sampleRate })
    pushed += 20
    // The thread gets as much time as it needs.
    await judging
  }
  await context.scope.close()
  return { log, times }
}

describe('the Silero VAD', () => {
  it.each([
    ['at 16 kHz', model, 16_000],
    ['at 8 kHz', model, 8_000],
    ['with version 6 of the model', fileOf('silero_vad_v6.onnx'), 16_000],
  ] as const)('hears every recorded voice, %s', async (_, file, sampleRate) => {
    const sounds = clips.slice(0, 3).map(({ samples }) => {
      if (sampleRate === 16_000) return samples
      return Int16Array.from(new Resampler({ from: 16_000, to: 8_000 }).push(samples))
    })
    const { log, times } = await heard(sounds, { file, sampleRate })
    expect(log).toEqual(sounds.flatMap(() => ['started', 'stopped']))
    // The recordings begin with little silence.
    expect(Math.abs(times[0]! - 500)).toBeLessThan(250)
  })

  it('remembers nothing of the call before, whose thread it uses', async () => {
    const judgements = async (): Promise<number[]> => {
      const { scope } = partContext({ clock: systemClock, random: systemRandom })
      const vad = await openJudge(scope, 'vad', { model, sampleRate: 16_000 })
      const { samples } = clips[0]!
      const probabilities: number[] = []
      for (let at = 0; at < 5_120; at += 512) probabilities.push(await vad.judge(samples.slice(at, at + 512)))
      await scope.close()
      return probabilities
    }
    const first = await judgements()
    expect(new Set(first).size).toBeGreaterThan(5)
    expect(await judgements()).toEqual(first)
  })

  it('hears no speech in tones, clicks and noise', async () => {
    const noise = new Int16Array(16_000)
    let seed = 1
    for (let index = 0; index < noise.length; index++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      noise[index] = (seed / 0x7fffffff - 0.5) * 8_000
    }
    const clicks = new Int16Array(16_000).map((_, index) => (index % 4_000 < 40 ? 20_000 : 0))
    const tone = sine(440, { sampleRate: 16_000, duration: 1_000 }).samples
    expect((await heard([noise, clicks, tone])).log).toEqual([])
  })

  it.each([
    ['another model', fileOf('silero_vad_legacy.onnx'), /inputs .*c, h, input, sr/],
    ['no model at all', fileURLToPath(import.meta.url), 'is not a Silero VAD model'],
  ])('cannot be opened with %s', async (_, file, message) => {
    const context = partContext({ clock: systemClock, random: systemRandom })
    const events = { started() {}, stopped() {}, failed() {} }
    const opening = new SileroVad({ model: file }).open(context, events)
    await expect(opening).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      message: expect.stringMatching(message),
    })
    await context.scope.close()
  })

  it('refuses a file that does not exist, and invalid options', () => {
    expect(() => new SileroVad({ model: 'nowhere.onnx' })).toThrow('there is no model file nowhere.onnx')
    for (const option of ['threshold', 'minSpeech', 'hangover'])
      expect(() => new SileroVad({ model, [option]: 0 })).toThrow(option)
  })

  it('drops the oldest sound when its model does not keep up', () =>
    inVirtualTime(async (world) => {
      let judged = 0
      let answer: ((probability: number) => void) | undefined
      const judge = (): Promise<number> => {
        judged++
        return new Promise((resolve) => (answer = resolve))
      }
      const context = partContext(world)
      const log: string[] = []
      const events: VadEvents = {
        started: (ago) => log.push(`started ${ago}`),
        stopped: (ago) => log.push(`stopped ${ago}`),
        failed: (error) => log.push(String(error)),
      }
      const vad = new SileroVad({ model }, async () => ({ judge, onDeath() {} }))
      const stream = await vad.open(context, events)
      // Ten seconds.
      for (let window = 0; window < 312; window++) stream.push(silence(32, 16_000))
      for (let turn = 0; turn < 400; turn++) {
        answer?.(1)
        await world.clock.elapse(1)
      }
      expect(judged).toBe(33)
      // The second window that was judged is the first of the last 32.
      expect(log).toEqual([`started ${64 + 31 * 32}`])
      await context.scope.close()
    }))

  it('fails once when its model fails', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const log: unknown[] = []
      const events: VadEvents = { started() {}, stopped() {}, failed: (error) => log.push(error) }
      const judge = (): Promise<number> => Promise.reject(new Error('no memory'))
      const stream = await new SileroVad({ model }, async () => ({ judge, onDeath() {} })).open(
        context,
        events,
      )
      for (let window = 0; window < 10; window++) stream.push(silence(32, 16_000))
      await world.clock.elapse(100)
      stream.push(silence(32, 16_000))
      await world.clock.elapse(100)
      expect(log).toMatchObject([{ message: 'no memory' }])
      await context.scope.close()
    }))
})
