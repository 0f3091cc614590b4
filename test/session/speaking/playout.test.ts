import { describe, expect, it } from 'vitest'
import type { LineEvents } from '../../../src/parts/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, aLiveCall, greeting, said, whenSettled } from '../fixture.ts'

describe('a line that stays audible after clear()', () => {
  const avatar = { line: { avatar: { lag: 800 } } }

  it('[SP2] delays the end of a speech until it is really silent', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await aLiveCall(world, avatar)
      const speech = session.say(greeting)
      await clock.elapse(500)
      speech.interrupt()
      expect([speech.interrupted, speech.outcome]).toEqual([true, undefined])
      await clock.elapse(799)
      expect(speech.outcome).toBeUndefined()
      const at = await whenSettled(clock, speech.waitForPlayout())
      expect(at).toBe(1_300)
      expect(speech.outcome).toEqual({
        how: 'interrupted',
        confirmed: true,
        heard: 'Good morning, this is Bri',
      })
      expect(line.heardText).toBe(greeting.slice(0, 26))
      expect(said(session)).toEqual(['agent: Good morning, this is Bri —'])
      await session.close()
    }))

  it('[SP2] [SP3] leads to the right heard text even if it does not report how much was heard', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aLiveCall(world, { line: { avatar: { lag: 800 }, knows: false } })
      const speech = session.say(greeting)
      await clock.elapse(500)
      speech.interrupt()
      expect(await speech.waitForPlayout()).toEqual({
        how: 'interrupted',
        confirmed: true,
        heard: 'Good morning, this is Bri',
      })
      await session.close()
    }))

  it('[SP2] lets the next speech be interrupted, although the end of the first one falls into it', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, clock } = await aLiveCall(world, { ...avatar, answers: ['Fine.'] })
      const first = session.say(greeting)
      await clock.elapse(500)
      first.interrupt()
      const second = session.say('This is what I wanted to say, and it is long enough for anybody.')
      await first.waitForPlayout()
      expect(second.outcome).toBeUndefined()
      await clock.elapse(100)
      await caller.says('Stop it please')
      expect(second.interrupted).toBe(true)
      await caller.pauses(1_500)
      await caller.hears('Fine.')
      expect(line.heardText).toMatch(/^Good morning, this is BrigThis is what.*Fine\.$/)
      await session.close()
    }))

  it('[SP6] lets the model know what was heard so far when it answers an interruption', () =>
    inVirtualTime(async (world) => {
      const { session, caller, llm, clock } = await aLiveCall(world, { ...avatar, answers: ['Fine.'] })
      session.say(greeting)
      await clock.elapse(1_000)
      caller.types('Stop!')
      await clock.elapse(10)
      expect(llm.requests[0]?.messages).toEqual([
        { role: 'agent', text: 'Good morning, this' },
        { role: 'user', text: 'Stop!' },
      ])
      await clock.elapse(3_000)
      expect(said(session)).toEqual([
        'agent: Good morning, this is Bright Dental —',
        'user: Stop!',
        'agent: Fine.',
      ])
      await session.close()
    }))
})

describe('waitForPlayout()', () => {
  it('[SP3] resolves when the last word was heard', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aLiveCall(world, { line: { latency: 300 } })
      const speech = session.say(greeting)
      expect(await whenSettled(clock, speech.waitForPlayout())).toBe(2_300)
      expect(speech.outcome).toEqual({ how: 'played', confirmed: true, heard: greeting })
      expect(await speech.waitForPlayout()).toBe(speech.outcome)
      await session.close()
    }))

  it('[SP3] resolves playoutTimeout after the expected end if the line never confirms', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aLiveCall(world, { line: { confirms: false }, playoutTimeout: 700 })
      const speech = session.say(greeting)
      expect(await whenSettled(clock, speech.waitForPlayout())).toBe(2_700)
      expect(speech.outcome).toEqual({ how: 'played', confirmed: false, heard: greeting })
      await session.close()
    }))

  it('[SP3] resolves playoutTimeout after clear() if an interruption is never confirmed', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aLiveCall(world, { line: { confirms: false }, playoutTimeout: 700 })
      const speech = session.say(greeting)
      await clock.elapse(500)
      speech.interrupt()
      expect(await whenSettled(clock, speech.waitForPlayout())).toBe(1_200)
      expect(speech.outcome).toEqual({ how: 'interrupted', confirmed: false, heard: 'Good morn' })
      await session.close()
    }))

  it('[SP3] resolves as failed if the voice fails, with the words that were heard', () =>
    inVirtualTime(async (world) => {
      const error = new Error('the voice failed')
      const { session, line, log, clock } = await aLiveCall(world, { tts: { failAfter: 700, error } })
      const speech = session.say(greeting)
      const next = session.say('Sorry.')
      expect(await whenSettled(clock, speech.waitForPlayout())).toBe(700)
      expect(speech.outcome).toEqual({ how: 'failed', confirmed: true, heard: 'Good morning,', error })
      expect(await next.waitForPlayout()).toMatchObject({ how: 'played' })
      expect(line.heardText).toBe('Good morning, Sorry.')
      expect(said(session)).toEqual(['agent: Good morning,', 'agent: Sorry.'])
      expect(log).toContain('error: tts')
      await session.close()
    }))

  it('[SP3] resolves at once for an empty text, and if the voice fails before its first sound', () =>
    inVirtualTime(async (world) => {
      const { session } = await aLiveCall(world, { tts: { failAfter: 0 } })
      const empty = await session.say('').waitForPlayout()
      expect(empty).toEqual({ how: 'played', confirmed: true, heard: '' })
      expect(await session.say('Hello').waitForPlayout()).toMatchObject({ how: 'failed', heard: '' })
      expect(said(session)).toEqual([])
      await session.close()
    }))

  it('[SP3] resolves as interrupted if the line lost the caller before all of the speech was heard', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = aCall(world)
      let lineEvents: LineEvents | undefined
      const open = line.open.bind(line)
      line.open = (context, events) => open(context, (lineEvents = events))
      await session.start()
      const speech = session.say(greeting)
      await clock.elapse(500)
      lineEvents?.marked(1, 500)
      expect(await speech.waitForPlayout()).toEqual({
        how: 'interrupted',
        confirmed: true,
        heard: 'Good morn',
      })
      await session.close()
      expect(said(session)).toEqual(['agent: Good morn —'])
    }))

  it('[SP3] [CL10] resolves when the session closes, for speech that is current, stopping or queued', () =>
    inVirtualTime(async (world) => {
      const { session, clock, line } = await aLiveCall(world, { line: { avatar: { lag: 800 } } })
      const stopping = session.say(greeting)
      await clock.elapse(500)
      stopping.interrupt()
      const sounding = session.say(greeting)
      const waiting = session.say('Later.')
      await clock.elapse(100)
      const closed = session.close()
      expect([stopping, sounding, waiting].map(({ outcome }) => outcome)).toEqual([
        { how: 'interrupted', confirmed: false, heard: 'Good morn' },
        { how: 'interrupted', confirmed: false, heard: expect.any(String) as string },
        { how: 'interrupted', confirmed: true, heard: '' },
      ])
      expect([sounding.interrupted, waiting.interrupted]).toEqual([true, true])
      expect(line.connection.log.at(-1)).toMatchObject({ what: 'clear' })
      expect((await closed).clean).toBe(true)
    }))
})

describe('a voice that stalls', () => {
  it('[SP5] fails after stallTimeout, and the next speech follows', () =>
    inVirtualTime(async (world) => {
      const { session, clock, errors, log } = await aLiveCall(world, {
        stallTimeout: 3_000,
        tts: { stallAfter: 500, ignoresSignal: true },
      })
      const first = session.say(greeting)
      const second = session.say('Hello.')
      expect(await first.waitForPlayout()).toMatchObject({
        how: 'failed',
        confirmed: true,
        error: { code: 'SPEECH_STALLED' },
      })
      expect(clock.now()).toBe(3_500)
      await second.waitForPlayout()
      expect(log).toEqual(['agent failed: Good morn', 'error: tts', 'agent played: Hello.'])
      expect(errors).toHaveLength(1)
      await session.close()
    }))

  it('is not one whose speech is queued or playing for longer than stallTimeout', () =>
    inVirtualTime(async (world) => {
      const { session } = await aLiveCall(world, { stallTimeout: 500 })
      const speeches = [session.say(greeting), session.say(greeting)]
      for (const speech of speeches)
        expect(await speech.waitForPlayout()).toMatchObject({ how: 'played', heard: greeting })
      await session.close()
    }))
})

describe('a line that never confirms', () => {
  it('[SP5] delays the next speech only once', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await aLiveCall(world, { line: { confirms: false } })
      const speeches = [session.say(greeting), session.say('Two.'), session.say('Three.')]
      const times = await Promise.all(speeches.map((speech) => whenSettled(clock, speech.waitForPlayout())))
      expect(times).toEqual([4_000, 4_200, 4_500])
      expect(speeches.map(({ outcome }) => outcome?.confirmed)).toEqual([false, false, false])
      expect(line.heardText).toBe(`${greeting}Two.Three.`)
      await session.close()
    }))

  it('[SP5] delays the next speech only once after an interruption as well', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await aLiveCall(world, { line: { confirms: false } })
      const first = session.say(greeting)
      await clock.elapse(500)
      first.interrupt()
      const second = session.say('Two.')
      expect(await whenSettled(clock, second.waitForPlayout())).toBe(2_700)
      expect(line.heardText).toBe('Good morniTwo.')
      await session.close()
    }))

  it('[SP5] is waited for again after a late confirmation', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aLiveCall(world, { line: { latency: 500 }, playoutTimeout: 400 })
      const first = session.say('One.')
      expect(await whenSettled(clock, first.waitForPlayout())).toBe(600)
      expect(first.outcome).toMatchObject({ confirmed: false })
      // The late confirmation arrives.
      await clock.elapse(400)
      const second = session.say('Two.')
      expect(await whenSettled(clock, second.waitForPlayout())).toBe(1_600)
      await session.close()
    }))
})

describe('the heard words of a speech', () => {
  it('[SP6] grow while the caller hears them, are in the history, and end with the outcome', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aLiveCall(world)
      const speech = session.say(greeting)
      expect(speech.heard).toBe('')
      await clock.elapse(500)
      expect(speech.heard).toBe('Good morn')
      expect(said(session)).toEqual(['agent: Good morn'])
      session.interrupt()
      const { heard } = await speech.waitForPlayout()
      expect(speech.heard).toBe(heard)
      await session.close()
      expect(speech.heard).toBe(heard)
    }))
})
