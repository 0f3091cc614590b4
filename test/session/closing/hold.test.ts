import { describe, expect, it } from 'vitest'
import { durationOf, rms, type AudioFrame } from '../../../src/audio/index.ts'
import { askForKeys, tool } from '../../../src/session/index.ts'
import { holdMusic } from '../../../src/session/speaking/hold-music.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { aLiveCall, expectEnded, never, said, type Call } from '../fixture.ts'

/** A second of a constant value, which is easy to find in what was heard. */
const constant = (value: number): AudioFrame => ({
  samples: new Int16Array(16_000).fill(value),
  sampleRate: 16_000,
})

/** Whether the caller has heard something from a moment on, and whether it was the constant. */
const heardSince = ({ line }: Pick<Call, 'line'>, since: number): { all: number; constant: number } => {
  const frames = line.heard.filter(({ at }) => at >= since)
  const ms = (those: typeof frames): number => those.reduce((sum, { heard }) => sum + heard, 0)
  return {
    all: ms(frames),
    constant: ms(frames.filter(({ frame }) => frame.samples.every((each) => each === 600))),
  }
}

const sound = { sound: constant(600), volume: 1 }

describe('a caller on hold', () => {
  it('[HD1] hears the words, then the sound until the end of the hold, and then nothing', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const call = await aLiveCall(world)
      const events: boolean[] = []
      call.session.on('hold', ({ held }) => events.push(held))
      const hold = call.session.hold({ ...sound, say: 'One moment.' })
      await call.caller.hears('One moment.')
      const from = clock.now()
      await clock.elapse(5_000)
      hold.resume()
      const until = clock.now()
      await clock.elapse(2_000)
      expect(heardSince(call, from).constant).toBeGreaterThan(4_800)
      expect(heardSince(call, until).all).toBe(0)
      hold.resume()
      expect(events).toEqual([true, false])
      expect(said(call.session)).toEqual(['agent: One moment.'])
      await call.session.close()
      expect(expectEnded(call)).toMatchObject({ clean: true })
    }))

  it('[HD1] is not heard: no turn begins, keys and texts are ignored, and nobody counts as idle', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const call = await aLiveCall(world, {
        answers: ['Yes?'],
        idleTimeout: 6_000,
        turns: { dtmf: { as: 'text', timeout: 500 } },
      })
      const warnings: string[] = []
      call.session.on('warning', ({ reason }) => warnings.push(reason))
      // The caller has been warned already: only the end is due.
      await clock.elapse(4_000)
      expect(warnings).toEqual(['idle'])
      const hold = call.session.hold(sound)
      await call.caller.says('Hello? Is anybody there?')
      call.caller.types('Hello?')
      call.caller.presses('1')
      await clock.elapse(20_000)
      expect(call.log).toEqual([])
      hold.resume()
      await clock.elapse(2_000)
      expect([warnings, call.session.state]).toEqual([['idle'], 'live'])
      await call.caller.says('Hello?')
      await call.caller.pauses(2_000)
      await call.caller.hears('Yes?')
      expect(call.log[0]).toBe('user: Hello?')
      await call.session.close()
      expectEnded(call)
    }))

  it('[HD1] is silent anew after the hold, and is not idle at once', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const call = await aLiveCall(world, { idleTimeout: 10_000 })
      const warnings: string[] = []
      call.session.on('warning', ({ reason }) => warnings.push(reason))
      await clock.elapse(2_000)
      const hold = call.session.hold(sound)
      await clock.elapse(20_000)
      hold.resume()
      await clock.elapse(4_000)
      expect(warnings).toEqual([])
      await clock.elapse(2_000)
      expect(warnings).toEqual(['idle'])
      await call.session.close()
      expectEnded(call)
    }))

  it('[HD1] enters no keys, although somebody has asked for some', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const identify = tool({
        description: 'Finds out who is calling',
        timeout: 120_000,
        run: (_, { run }) => run(askForKeys({ say: 'Your number?', digits: 2, timeout: 60_000 })),
      })
      const call = await aLiveCall(world, {
        answers: [[callTool('identify')], 'Thank you.'],
        agent: { tools: { identify } },
      })
      call.caller.types('Hello?')
      await call.caller.hears('Your number?')
      const hold = call.session.hold(sound)
      call.caller.presses('9')
      await clock.elapse(1_000)
      hold.resume()
      call.caller.presses('1')
      call.caller.presses('2')
      await call.caller.hears('Thank you.')
      expect(said(call.session)).toContain('identify → 12')
      await call.session.close()
      expectEnded(call)
    }))

  it('[HD2] is with the agent again after a transfer that has failed', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { answers: ['Yes?'], line: { transfer: () => 'busy' } })
      call.session.hold(sound)
      await world.clock.elapse(1_000)
      expect(await call.session.transfer({ to: '+4930123456' })).toBe('busy')
      call.caller.types('Hello?')
      await call.caller.hears('Yes?')
      await call.session.close()
      expectEnded(call)
    }))

  it('[HD1] hears the agent in between, and the sound again behind its words', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const call = await aLiveCall(world)
      const hold = call.session.hold(sound)
      await clock.elapse(1_000)
      expect(await call.session.say('I am still looking.').waitForPlayout()).toMatchObject({
        how: 'played',
        heard: 'I am still looking.',
      })
      const from = clock.now()
      await clock.elapse(1_000)
      expect(heardSince(call, from).constant).toBeGreaterThan(800)
      hold.resume()
      await call.session.close()
      expectEnded(call)
    }))

  it('[HD2] of a tool is heard again when the tool has ended, however it ends', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      for (const end of ['returns', 'throws', 'hangs'] as const) {
        const look = tool({
          description: 'Looks it up',
          timeout: 5_000,
          run: async (_, { hold }) => {
            hold({ ...sound, say: 'One moment.' })
            await clock.elapse(2_000)
            if (end === 'throws') throw new Error('the database is away')
            return end === 'hangs' ? never() : 'at ten'
          },
        })
        const call = await aLiveCall(world, {
          answers: [[callTool('look')], 'At ten.', 'You are welcome.'],
          agent: { tools: { look } },
        })
        call.caller.types('When?')
        await call.caller.hears('At ten.')
        await call.caller.says('Thank you.')
        await call.caller.pauses(2_000)
        await call.caller.hears('You are welcome.')
        await call.session.close()
        expectEnded(call)
      }
    }))

  it('[HD2] is heard again after a time limit, and once every hold has ended', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const call = await aLiveCall(world, { answers: ['Yes?'] })
      call.session.hold({ ...sound, timeout: 3_000 })
      const other = call.session.hold({ volume: 0 })
      await clock.elapse(4_000)
      call.caller.types('Hello?')
      await clock.elapse(1_000)
      expect(call.log).toEqual([])
      other.resume()
      call.caller.types('Hello?')
      await call.caller.hears('Yes?')
      await call.session.close()
      expectEnded(call)
    }))

  it('[HD2] hears nothing more once the session closes, and a hold of a closed session does nothing', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const call = await aLiveCall(world)
      const hold = call.session.hold(sound)
      await clock.elapse(1_000)
      const report = await call.session.close()
      expect(report.clean).toBe(true)
      hold.resume()
      call.session.hold().resume()
      expectEnded(call)
      expect(call.clockTimers()).toEqual([])
    }))

  it('[HD1] hears music if the sound cannot be played, and the mistake is reported', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const call = await aLiveCall(world)
      const hold = call.session.hold({ sound: new Uint8Array(4), volume: 7, pause: 1 } as object)
      await clock.elapse(3_000)
      expect(heardSince(call, 0).all).toBeGreaterThan(2_500)
      expect(call.log).toEqual(['error: hold', 'error: hold'])
      hold.resume()
      await call.session.close()
      expectEnded(call)
    }))
})

describe('the music', () => {
  it('[HD1] is quiet, and is never silent for long', () => {
    const music = holdMusic()
    expect(durationOf(music)).toBe(16_000)
    for (let at = 0; at + 4_000 <= music.samples.length; at += 4_000) {
      const part = rms(music.samples.slice(at, at + 4_000))
      expect(part).toBeGreaterThan(0.01)
      expect(part).toBeLessThan(0.2)
    }
    expect(music.samples.every((sample) => Math.abs(sample) < 12_000)).toBe(true)
    expect(holdMusic()).toBe(music)
  })
})
