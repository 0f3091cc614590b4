import { describe, expect, it } from 'vitest'
import { encodeWav, sine, type AudioFrame } from '../../../src/audio/index.ts'
import { tool, type SoundsOptions } from '../../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../../src/testing/index.ts'
import {
  aCall,
  aLiveCall,
  expectEnded,
  greeting,
  said,
  whenSettled,
  type Call,
  type CallOptions,
} from '../fixture.ts'

/** A second of a constant value, which is easy to find in what was heard. */
const constant = (value: number): AudioFrame => ({
  samples: new Int16Array(16_000).fill(value),
  sampleRate: 16_000,
})
const background = { sound: constant(200), volume: 0.5 }
const thinking = { sound: constant(3_000), volume: 1 }

/** What the caller has heard, as [from, to, value] for each stretch of one sound; `voice` if it is none of ours. */
function stretches({
  line,
}: Pick<Call, 'line'>): (readonly [from: number, to: number, what: number | 'voice'])[] {
  const found: [number, number, number | 'voice'][] = []
  for (const { frame, at, heard } of line.heard) {
    const [first = 0] = frame.samples
    const isOurs = first > 0 && first < 10_000 && frame.samples.every((sample) => sample === first)
    const what = isOurs ? first : 'voice'
    const last = found.at(-1)
    if (last && last[1] === at && last[2] === what) last[1] = at + heard
    else found.push([at, at + heard, what])
  }
  return found
}

const aSoundCall = (world: World, sounds: SoundsOptions, options: CallOptions = {}): Promise<Call> =>
  aLiveCall(world, { sounds, ...options })

describe('a background sound', () => {
  it('[SND1] is heard all the time, also under the voice', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const call = await aSoundCall(world, { background })
      await clock.elapse(1_050)
      const from = clock.now()
      const speech = call.session.say(greeting)
      expect(await speech.waitForPlayout()).toEqual({ how: 'played', confirmed: true, heard: greeting })
      await clock.elapse(1_000)
      expect(stretches(call)).toEqual([
        [0, from, 100],
        [from, from + 2_000, 'voice'],
        [from + 2_000, clock.now(), 100],
      ])
      await call.session.close()
      expect(expectEnded(call)).toMatchObject({ clean: true })
    }))

  it('[SND1] is added to the voice', () =>
    inVirtualTime(async (world) => {
      const voices: number[][] = []
      for (const sounds of [{}, { background }]) {
        const call = await aSoundCall(world, sounds)
        await call.session.say('Yes?').waitForPlayout()
        voices.push(call.line.heard.map(({ frame }) => frame.samples[50]!))
        await call.session.close()
      }
      expect(voices[0]!.length).toBeGreaterThan(5)
      expect(voices[1]!.slice(0, voices[0]!.length)).toEqual(voices[0]!.map((sample) => sample + 100))
    }))

  it('[SND1] is silent while the caller is with somebody else', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const ring = (): Promise<'busy'> =>
        new Promise((resolve) => clock.after(5_000, 'it rings', () => resolve('busy')))
      const call = await aSoundCall(world, { background }, { line: { transfer: ring } })
      await clock.elapse(1_000)
      expect(await call.session.transfer({ to: '+4930123456' })).toBe('busy')
      const back = clock.now()
      await clock.elapse(1_000)
      expect(stretches(call)).toEqual([
        [0, 1_000, 100],
        [back, clock.now(), 100],
      ])
      expect(back).toBe(6_000)
      await call.session.close()
      expectEnded(call)
    }))

  it('[SND1] has no gap behind the voice, also on a line with a delay', () =>
    inVirtualTime(async (world) => {
      const call = await aSoundCall(world, { background }, { line: { latency: 150 } })
      await call.session.say(greeting).waitForPlayout()
      await world.clock.elapse(1_000)
      expect(stretches(call)).toEqual([
        [150, 2_150, 'voice'],
        [2_150, world.clock.now(), 100],
      ])
      await call.session.close()
    }))

  it('[SND2] delays no speech, and counts neither as heard nor as words', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const times: number[][] = []
      for (const sounds of [{}, { background, thinking }]) {
        const call = await aSoundCall(world, sounds)
        await clock.elapse(1_230)
        const from = clock.now()
        const started: number[] = []
        call.session.on('speaking', () => started.push(clock.now() - from))
        const speech = call.session.say(greeting)
        await clock.elapse(1_000)
        call.session.interrupt()
        const outcome = await speech.waitForPlayout()
        expect(outcome).toMatchObject({ how: 'interrupted', confirmed: true })
        const again = await whenSettled(clock, call.session.say('Yes?').waitForPlayout())
        times.push([...started, outcome.heard.length, again - from, call.line.heard.length > 0 ? 1 : 0])
        expect(said(call.session)).toEqual([`agent: ${outcome.heard} —`, 'agent: Yes?'])
        await call.session.close()
        expect(expectEnded(call)).toMatchObject({ clean: true })
      }
      expect(times[1]).toEqual(times[0])
    }))

  it('[SND2] does not change what was heard if the line cannot say, or does not confirm', () =>
    inVirtualTime(async (world) => {
      for (const line of [{ knows: false }, { confirms: false }, { latency: 150 }]) {
        const heard: string[] = []
        for (const sounds of [{}, { background }]) {
          const call = await aSoundCall(world, sounds, { line })
          await world.clock.elapse(500)
          const speech = call.session.say(greeting)
          await world.clock.elapse(1_200)
          call.session.interrupt()
          heard.push((await speech.waitForPlayout()).heard)
          await call.session.close()
        }
        expect(heard[1]).toBe(heard[0])
      }
    }))

  it('[SND2] is heard while a speech is paused, and the speech is resumed where it was', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      for (const end of ['played', 'interrupted'] as const)
        for (const tts of [{}, { speed: 1.5 }]) {
          const outcomes: unknown[] = []
          for (const sounds of [{}, { background, thinking }]) {
            const turns = { falseInterruption: { timeout: 500 } }
            const call = await aSoundCall(world, sounds, { turns, tts })
            const from = clock.now()
            const speech = call.session.say(greeting)
            await clock.elapse(900)
            call.vad.starts()
            await clock.elapse(300)
            call.vad.stops()
            if ('background' in sounds)
              expect(stretches(call)).toContainEqual([from + 900, from + 1_200, 100])
            await clock.elapse(900)
            if (end === 'interrupted') call.session.interrupt()
            outcomes.push(await speech.waitForPlayout(), clock.now() - from)
            await call.session.close()
            expectEnded(call)
          }
          expect(outcomes[0]).toMatchObject({ how: end })
          expect(outcomes.slice(2)).toEqual(outcomes.slice(0, 2))
        }
    }))

  it('[SND3] ends at once with a close, whenever it comes', () =>
    inVirtualTime(async (world) => {
      for (const ms of [0, 50, 700, 1_100, 2_500]) {
        const call = await aSoundCall(world, { background, thinking })
        call.session.say(greeting)
        await world.clock.elapse(ms)
        const { connection } = call.line
        let played = 0
        connection.play = () => void played++
        const report = await call.session.close()
        expect(played).toBe(0)
        await world.clock.elapse(1_000)
        expect(report).toMatchObject({ clean: true, took: 0 })
        expectEnded(call)
      }
    }))

  it('[SND3] is no progress: a graceful end that is stuck is cut in time', () =>
    inVirtualTime(async (world) => {
      const call = await aSoundCall(
        world,
        { background, thinking },
        { answerTimeout: 600_000, stallTimeout: 2_000, answers: ['Yes.'], llm: { firstAfter: 500_000 } },
      )
      call.caller.types('Hello?')
      await world.clock.elapse(1_500)
      const from = world.clock.now()
      const report = await call.session.drain()
      expect(world.clock.now() - from).toBeLessThanOrEqual(2_500)
      expect(report.errors).toMatchObject([
        { where: 'ending', error: { message: expect.stringContaining('stallTimeout') } },
      ])
    }))

  it('[SND3] is silent while keys are pressed', () =>
    inVirtualTime(async (world) => {
      const call = await aSoundCall(world, { background: { sound: constant(20_000), volume: 1 } })
      await world.clock.elapse(300)
      await call.session.press('12')
      expect(call.line.heardKeys).toBe('12')
      await call.session.close()
      const pressing = world.clock.now()
      const carrier = await aSoundCall(
        world,
        { background },
        { line: { press: () => world.clock.elapse(1_000) } },
      )
      await carrier.session.press('1')
      await world.clock.elapse(100)
      expect(stretches(carrier)).toEqual([[pressing + 1_000, pressing + 1_100, 100]])
      await carrier.session.close()
    }))

  it('[SND3] costs nothing if it is not set', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      expect(call.clockTimers()).toEqual([])
      await call.session.close()
      expect(call.line.heard).toEqual([])
    }))

  it('may be a WAV file of another rate', () =>
    inVirtualTime(async (world) => {
      const { samples } = sine(400, { sampleRate: 8_000, duration: 500 })
      const call = await aSoundCall(world, { background: { sound: encodeWav([samples], 8_000) } })
      await world.clock.elapse(1_000)
      expect(stretches(call)).toEqual([[0, 1_000, 'voice']])
      const peak = Math.max(...call.line.heard.flatMap(({ frame }) => [...frame.samples]))
      expect(peak / 32_767).toBeCloseTo(0.5 * 0.3, 2)
      await call.session.close()
    }))
})

describe('a thinking sound', () => {
  it('[SND1] begins when the agent has been silent for a while, and ends with the answer', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const call = await aSoundCall(
        world,
        { thinking: { ...thinking, after: 600 } },
        {
          answers: ['Yes.'],
          llm: { firstAfter: 1_500 },
        },
      )
      call.caller.types('Hello?')
      await call.caller.hears('Yes.')
      await clock.elapse(500)
      const [first, second, third] = stretches(call)
      expect(first![2]).toBe(3_000)
      expect(first![0]).toBe(600)
      expect(second).toEqual([first![1], expect.any(Number), 'voice'])
      expect(third).toBeUndefined()
      expect(call.line.heardText).toContain('Yes.')
      await call.session.close()
      expect(expectEnded(call)).toMatchObject({ clean: true })
    }))

  it('[SND1] is heard while a tool runs, after the words before it', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const find = tool({ description: 'Find', run: () => clock.elapse(5_000) })
      const call = await aSoundCall(
        world,
        { thinking },
        {
          agent: { tools: { find } },
          answers: [[greeting, callTool('find')], 'Found.'],
        },
      )
      call.caller.types('Look!')
      await call.caller.hears('Found.')
      const heard = stretches(call)
      expect(heard.map(([, , what]) => what)).toEqual(['voice', 3_000, 'voice'])
      const [words, sound, answer] = heard
      expect(sound![0] - words![1]).toBe(1_000)
      expect(answer![0]).toBe(sound![1])
      await call.session.close()
    }))

  it('[SND1] stops while the caller speaks, and when the reply is interrupted', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const call = await aSoundCall(world, { thinking }, { answers: ['No.'], llm: { firstAfter: 5_000 } })
      call.caller.types('Hello?')
      await clock.elapse(2_000)
      call.stt.interim('wait')
      await clock.elapse(900)
      expect(stretches(call)).toEqual([[1_000, 2_000, 3_000]])
      await clock.elapse(300)
      call.session.interrupt()
      await clock.elapse(1_000)
      expect(stretches(call)).toEqual([
        [1_000, 2_000, 3_000],
        [3_000, 3_200, 3_000],
      ])
      await call.session.close()
      expect(call.clockTimers()).toEqual([])
    }))

  it('[SND1] is not heard if the answer comes soon', () =>
    inVirtualTime(async (world) => {
      const call = await aSoundCall(world, { thinking }, { answers: ['Yes.'] })
      call.caller.types('Hello?')
      await call.caller.hears('Yes.')
      await world.clock.elapse(3_000)
      expect(stretches(call).map(([, , what]) => what)).toEqual(['voice'])
      await call.session.close()
    }))
})

describe('the options of sounds', () => {
  it.each([
    [
      { background: { sound: 'noise.wav' } as never },
      /a sound must be an AudioFrame, or the bytes of a WAV file/,
    ],
    [{ background: { sound: constant(1), volume: 2 } }, /background: volume must be from 0 to 1; it is 2/],
    [{ thinking: { sound: constant(1), after: -1 } }, /thinking: after must be a finite number/],
    [{ background: { sound: constant(1), after: 3 } as never }, /after/],
    [{ backgruond: background } as never, /backgruond/],
    [{ background: { sound: { samples: new Int16Array(), sampleRate: 8_000 } as const } }, /it has 0 ms/],
    [
      { background: { sound: { samples: new Int16Array(8_000 * 301), sampleRate: 8_000 } as const } },
      /up to 300000 ms/,
    ],
    [{ background: { sound: new Uint8Array(10) } }, /WAV/],
  ])('[FA7] are checked when the session is made: %#', (sounds: SoundsOptions, message) =>
    inVirtualTime(async (world) => {
      expect(() => aCall(world, { sounds })).toThrow(message)
    }),
  )
})
