import { describe, expect, it } from 'vitest'
import { dtmf, muLaw, type AudioFrame } from '../../../src/audio/index.ts'
import { SessionClosedError, tool, type PressOutcome } from '../../../src/session/index.ts'
import { ScriptedRealtime, callTool, inVirtualTime, type World } from '../../../src/testing/index.ts'
import {
  aCall,
  aLiveCall,
  aPromise,
  expectEnded,
  never,
  said,
  whenSettled,
  type CallOptions,
} from '../fixture.ts'

const played = (keys: string): PressOutcome => ({ how: 'played', confirmed: true, keys })

describe('pressing keys', () => {
  it('[KY1] sends their tones after what the agent is saying, and resolves when they were heard', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const call = await aLiveCall(world)
      const pressed: PressOutcome[] = []
      call.session.on('pressed', ({ outcome }) => pressed.push(outcome))
      const speech = call.session.say('One moment, please.')
      const press = call.session.press('1w2#')
      call.session.say('Done.')
      await speech.waitForPlayout()
      const from = clock.now()
      expect(await press).toEqual(played('1w2#'))
      expect(clock.now() - from).toBe(1_100)
      expect(pressed).toEqual([played('1w2#')])
      await call.caller.hears('Done.')
      expect(call.line.heardKeys).toBe('12#')
      await clock.elapse(1_000)
      expect(said(call.session)).toEqual(['agent: One moment, please.', 'pressed 1w2#', 'agent: Done.'])
      expect(call.log.filter((line) => line.startsWith('agent'))).toEqual([
        'agent played: One moment, please.',
        'agent played: Done.',
      ])
      await call.session.close()
      expect(expectEnded(call)).toMatchObject({ clean: true })
    }))

  it.each([8000, 16_000, 24_000] as const)('[KY1] sends tones that can be read at %d Hz', (sampleRate) =>
    inVirtualTime(async (world) => {
      const speaks = sampleRate === 8000 ? muLaw : ({ encoding: 'pcm', sampleRate } as const)
      const call = await aLiveCall(world, { line: { speaks } })
      await call.session.press('0123456789*#ABCD')
      expect(call.line.heardKeys).toBe('0123456789*#ABCD')
      await call.session.close()
    }),
  )

  it('[KY1] refuses what is not a key, at once', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      await expect(call.session.press('1-800')).rejects.toMatchObject({ code: 'BAD_DTMF_KEY' })
      await expect(call.session.press('1'.repeat(33))).rejects.toMatchObject({ code: 'BAD_DTMF_KEY' })
      expect(call.log).toEqual(['error: press', 'error: press'])
      expect(world.clock.now()).toBe(0)
      await call.session.close()
      expect(call.line.heard).toEqual([])
    }))

  it('[KY1] works in a tool, after the words before it', () =>
    inVirtualTime(async (world) => {
      const outcome = aPromise<PressOutcome>()
      const dial = tool({
        description: 'Press a key',
        run: async (_, { press }) => {
          outcome.resolve(await press('5'))
          return press('five')
        },
      })
      const answers = [['Sales, please.', callTool('dial')], 'Hello?'] as const
      const call = await aLiveCall(world, { agent: { tools: { dial } }, answers })
      call.caller.types('Press five for sales.')
      expect(await outcome.promise).toEqual(played('5'))
      await call.caller.hears('Hello?')
      await world.clock.elapse(1_000)
      expect(said(call.session)).toEqual([
        'user: Press five for sales.',
        'agent: Sales, please.',
        "dial → a telephone has no key 'f': use 0 to 9, *, #, or A to D",
        'pressed 5',
        'agent: Hello?',
      ])
      await call.session.close()
    }))

  it('[KY1] works for a realtime model', () =>
    inVirtualTime(async (world) => {
      const outcome = aPromise<PressOutcome>()
      const dial = tool({
        description: 'Press',
        run: async (_, { press }) => outcome.resolve(await press('5')),
      })
      const realtime = new ScriptedRealtime({ answers: [[callTool('dial')], 'Hello?'] })
      const call = await aLiveCall(world, { agent: { tools: { dial } }, models: { realtime } } as never)
      call.caller.types('Press five for sales.')
      expect(await outcome.promise).toEqual(played('5'))
      expect(call.line.heardKeys).toBe('5')
      await call.session.close()
    }))

  it('[KY2] is not interrupted by the caller, and what the caller says is answered afterwards', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { answers: ['I see.'] })
      const press = call.session.press('1WW2')
      await world.clock.elapse(300)
      await call.caller.says('For sales, press one.')
      await call.caller.pauses(300)
      expect(await press).toEqual(played('1WW2'))
      expect(call.line.heardKeys).toBe('12')
      await call.caller.hears('I see.')
      expect(said(call.session).slice(0, 2)).toEqual(['pressed 1WW2', 'user: For sales, press one.'])
      await call.session.close()
    }))

  it('[KY2] can be interrupted by force, and says how many keys were pressed', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      const press = call.session.press('123')
      await world.clock.elapse(250)
      expect(() => call.session.interrupt()).toThrow(expect.objectContaining({ code: 'UNINTERRUPTIBLE' }))
      call.session.interrupt({ force: true })
      expect(await press).toEqual({ how: 'interrupted', confirmed: true, keys: '12' })
      expect(call.line.heardKeys).toBe('12')
      expect(said(call.session)).toEqual(['pressed 12 —'])
      await call.session.close()
    }))

  it('[KY2] is cut off by a close, and refused while the session is ending or closed', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      const press = call.session.press('12345')
      const queued = call.session.press('6')
      await world.clock.elapse(110)
      const report = await call.session.close()
      expect(await press).toMatchObject({ how: 'interrupted', keys: '1' })
      expect(await queued).toMatchObject({ how: 'interrupted', keys: '' })
      expect(report.transcript).toMatchObject([{ type: 'keys', keys: '1', interrupted: true, agent: 'desk' }])
      expect(expectEnded(call)).toMatchObject({ clean: true })
      expect(await call.session.press('1')).toEqual({
        how: 'failed',
        confirmed: true,
        keys: '',
        error: expect.any(SessionClosedError),
      })
      const ending = await aLiveCall(world)
      ending.session.say('Goodbye.')
      const drained = ending.session.drain()
      expect(await ending.session.press('1')).toMatchObject({ error: { code: 'SESSION_ENDING' } })
      await drained
    }))

  it('[KY2] has the keys that were assumed to be heard if the line does not confirm', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { line: { confirms: false } })
      const press = call.session.press('12345')
      await world.clock.elapse(450)
      call.session.interrupt({ force: true })
      expect(await press).toEqual({ how: 'interrupted', confirmed: false, keys: '123' })
      await call.session.close()
    }))
})

describe('a line that presses keys itself', () => {
  it('[KY4] is used instead of tones, once the agent is silent, and nothing else sounds meanwhile', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const asked: string[] = []
      const press = async (keys: string): Promise<void> => {
        asked.push(`${clock.now()} ${keys}`)
        await clock.elapse(700)
      }
      const call = await aLiveCall(world, { line: { press } })
      const speech = call.session.say('One moment, please.')
      const pressed = call.session.press('1w2')
      const after = call.session.say('Done.')
      expect(asked).toEqual([])
      await speech.waitForPlayout()
      const from = clock.now()
      expect(await pressed).toEqual(played('1w2'))
      expect(await whenSettled(clock, after.waitForPlayout())).toBe(from + 700 + 260)
      expect(asked).toEqual([`${from} 1w2`])
      expect(call.line.heardKeys).toBe('')
      expect(said(call.session)).toEqual(['agent: One moment, please.', 'pressed 1w2', 'agent: Done.'])
      await call.session.close()
      expect(expectEnded(call)).toMatchObject({ clean: true })
    }))

  it('[KY4] that fails makes the outcome failed, and no tones are sent', () =>
    inVirtualTime(async (world) => {
      const press = async (): Promise<void> => {
        throw new Error('21220: the call is not in progress')
      }
      const call = await aLiveCall(world, { line: { press } })
      expect(await call.session.press('1')).toMatchObject({
        how: 'failed',
        keys: '',
        error: { message: '21220: the call is not in progress' },
      })
      expect(call.log).toEqual(['error: press'])
      expect(said(call.session)).toEqual([])
      expect(await call.session.say('Hello?').waitForPlayout()).toMatchObject({ how: 'played' })
      await call.session.close()
      expect(call.line.heardKeys).toBe('')
    }))

  it('[KY4] that never answers delays what comes next by the length of the keys and `stallTimeout` at most', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { line: { press: never }, stallTimeout: 3_000 })
      const outcome = call.session.press('WWWWW1')
      expect(await whenSettled(world.clock, outcome)).toBe(5_200 + 3_000)
      expect(await outcome).toMatchObject({ how: 'failed', error: { code: 'SPEECH_STALLED' } })
      await call.session.close()
    }))

  it('[KY4] does not hold up a close', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { line: { press: never } })
      const outcome = call.session.press('1')
      await world.clock.elapse(100)
      await call.session.close()
      expect(await outcome).toMatchObject({ how: 'interrupted', keys: '' })
      expect(expectEnded(call)).toMatchObject({ clean: true, took: 0 })
    }))
})

describe('the echo of a key', () => {
  const echo = dtmf('5', { sampleRate: 16_000, duration: 100, peak: -25 })

  /** A live call, and how many frames with sound its VAD has heard. */
  async function aHeardCall(world: World, options?: CallOptions) {
    const call = aCall(world, options)
    const frames: AudioFrame[] = []
    const open = call.vad.open.bind(call.vad)
    call.vad.open = async (...setup) => {
      const stream = await open(...setup)
      const push = stream.push.bind(stream)
      stream.push = (frame) => {
        frames.push(frame)
        push(frame)
      }
      return stream
    }
    await call.session.start()
    const sounding = (): number => frames.filter(({ samples }) => samples.some((each) => each !== 0)).length
    return { ...call, frames, sounding }
  }

  it('[KY3] is not heard by the models while the key sounds, and for half a second afterwards', () =>
    inVirtualTime(async (world) => {
      const call = await aHeardCall(world)
      const press = call.session.press('5')
      await call.caller.says([echo])
      await press
      await call.caller.says([echo])
      expect(call.frames).toHaveLength(10)
      expect(call.sounding()).toBe(0)
      await world.clock.elapse(500)
      await call.caller.says([echo])
      expect(call.sounding()).toBe(5)
      await call.session.close()
    }))

  it('[KY3] does not make the models deaf to anything else', () =>
    inVirtualTime(async (world) => {
      const call = await aHeardCall(world, { answers: ['Yes.'] })
      const press = call.session.press('5WW')
      await call.caller.says([dtmf('7', { sampleRate: 16_000, duration: 100 })])
      expect(call.sounding()).toBe(5)
      await call.caller.says('Sales.')
      await call.caller.pauses(300)
      await press
      await call.caller.hears('Yes.')
      expect(said(call.session)).toContain('user: Sales.')
      await call.session.close()
    }))
})
