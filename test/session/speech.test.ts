import { describe, expect, it } from 'vitest'
import type { AudioFrame } from '../../src/audio/index.ts'
import type { LineEvents } from '../../src/parts/index.ts'
import { tool, UninterruptibleError, type Speech, type ToolPlayout } from '../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../src/testing/index.ts'
import { aCall, said, whenSettled, type CallOptions } from './fixture.ts'

/** 50 ms a character: 2,000 ms. */
const forty = 'Good morning, this is Bright Dental now.'

/** A call that has been answered. */
async function answered(world: World, options?: CallOptions) {
  const call = aCall(world, options)
  await call.session.start()
  return call
}

describe('interrupting', () => {
  it('[SP1] the line is cleared and generation is cancelled before interrupt() returns', () =>
    inVirtualTime(async (world) => {
      const { session, line, tts, clock } = await answered(world, { tts: { speed: 2 } })
      const speech = session.say(forty)
      await clock.elapse(500)
      expect(line.connection.queued).toBeGreaterThan(0)
      session.interrupt()
      expect(line.connection.queued).toBe(0)
      expect(line.connection.log.at(-1)).toEqual({ at: 500, what: 'clear' })
      expect(speech.interrupted).toBe(true)
      await clock.elapse(0)
      expect(tts.speeches).toMatchObject([{ how: 'cancelled' }])
      await clock.elapse(5_000)
      expect(line.heardText).toBe('Good morni')
      await session.close()
    }))

  it('[SP1] what is on its way from the voice at that moment is not played, however far it has come', async () => {
    // A frame is some microtasks on its way: the interruption comes after each of them, and at the end of the speech.
    for (const at of ['middle', 'end'] as const)
      for (let ticks = 0; ticks < 15; ticks++)
        await inVirtualTime(async (world) => {
          let speech: Speech | undefined
          const interrupt = async (): Promise<void> => {
            for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
            speech?.interrupt()
            expect(line.connection.queued).toBe(0)
          }
          const sound = async function* (frames: AsyncIterable<AudioFrame>) {
            let count = 0
            for await (const frame of frames) {
              if (at === 'middle' && ++count === 4) interrupt().catch(() => {})
              yield frame
            }
            if (at === 'end') interrupt().catch(() => {})
          }
          const { session, line, clock } = await answered(world, { agent: { stages: { sound } } })
          speech = session.say('Good morning.')
          await clock.elapse(10)
          expect(line.connection.queued).toBe(0)
          expect(line.connection.log.at(-1)).toMatchObject({ what: 'clear' })
          expect(await speech.waitForPlayout()).toEqual({ how: 'interrupted', confirmed: true, heard: '' })
          await session.close()
        })
  })

  it('[SP1] the model stops thinking', () =>
    inVirtualTime(async (world) => {
      const { session, llm, clock } = await answered(world, { answers: [forty], llm: { every: 100 } })
      const reply = session.reply()
      await clock.elapse(350)
      reply.interrupt()
      expect(reply.outcome).toEqual({ how: 'interrupted' })
      expect(await reply.finished).toEqual({ how: 'interrupted' })
      await clock.elapse(0)
      expect(llm.generations).toMatchObject([{ how: 'cancelled' }])
      expect(llm.generations[0]?.chunks).toHaveLength(4)
      await session.close()
    }))

  it('[SP1] an answer that was prepared early stops, too', () =>
    inVirtualTime(async (world) => {
      const { session, llm, caller, clock } = await answered(world, {
        answers: [['One two ', { stall: true }]],
        turns: { preemptive: true },
      })
      await caller.says('Hello there')
      await caller.pauses(1_000)
      await caller.hears('One')
      expect(llm.generations).toMatchObject([{ how: 'running' }])
      session.interrupt()
      await clock.elapse(0)
      expect(llm.generations).toMatchObject([{ how: 'cancelled' }])
      await session.close()
    }))

  it('[SP1] whoever interrupts one speech of an answer interrupts the answer', () =>
    inVirtualTime(async (world) => {
      const { session, llm, clock } = await answered(world, { answers: [forty], llm: { every: 100 } })
      session.on('speaking', ({ speech }) => clock.happen(50, 'stop', () => speech.interrupt()))
      const reply = session.reply()
      expect(await reply.finished).toEqual({ how: 'interrupted' })
      await clock.elapse(0)
      expect(llm.generations).toMatchObject([{ how: 'cancelled' }])
      await session.close()
    }))

  it('[SP1] queued speech goes with what sounds, two answers at once as well', () =>
    inVirtualTime(async (world) => {
      const { session, line, llm, clock } = await answered(world, {
        answers: [forty, forty],
        llm: { every: 50 },
      })
      const speeches = [session.say('One two three.'), session.say('Four.')]
      const replies = [session.reply(), session.reply()]
      await clock.elapse(120)
      session.interrupt()
      expect(replies.map(({ outcome }) => outcome?.how)).toEqual(['interrupted', 'interrupted'])
      await clock.elapse(3_000)
      expect(speeches.map(({ outcome }) => outcome?.heard)).toEqual(['O', ''])
      expect(line.heardText).toBe('On')
      expect(llm.running).toBe(0)
      await session.close()
    }))

  it('[SP1] works on a line that confirms from inside clear(), whether it knows what was heard or not', async () => {
    for (const knows of [true, false]) {
      await inVirtualTime(async (world) => {
        const { session, clock, log } = await answered(world, { line: { marksAtOnce: true, knows } })
        const speech = session.say(forty)
        const next = session.say('Next.', { interruptible: false })
        await clock.elapse(500)
        speech.interrupt()
        expect(speech.outcome).toEqual({ how: 'interrupted', confirmed: true, heard: 'Good morn' })
        expect(await next.waitForPlayout()).toEqual({ how: 'played', confirmed: true, heard: 'Next.' })
        await clock.elapse(5_000)
        expect(log).toEqual(['agent interrupted: Good morn', 'agent played: Next.'])
        await session.close()
      })
    }
  })

  it('[SP10] interrupting finished speech does nothing, not even to what sounds now', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await answered(world)
      const first = session.say('One.', { interruptible: false })
      const outcome = await first.waitForPlayout()
      const second = session.say('Two three four.')
      await clock.elapse(100)
      first.interrupt()
      first.interrupt({ force: true })
      expect(first.interrupted).toBe(false)
      expect(first.outcome).toBe(outcome)
      expect(await second.waitForPlayout()).toMatchObject({ how: 'played' })
      expect(line.heardText).toBe('One.Two three four.')
      expect(line.connection.log.some(({ what }) => what === 'clear')).toBe(false)
      await session.close()
    }))

  it('[SP10] interrupting twice interrupts once; an answer that is over is not interrupted', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await answered(world, { answers: ['Fine.'] })
      const speech = session.say(forty)
      await clock.elapse(100)
      speech.interrupt()
      speech.interrupt()
      session.interrupt()
      expect(line.connection.log.filter(({ what }) => what === 'clear')).toHaveLength(1)
      const reply = session.reply()
      await reply.waitForPlayout()
      reply.interrupt()
      expect(reply.interrupted).toBe(false)
      await session.close()
    }))
})

describe('a line whose sound goes on after clear()', () => {
  const avatar = { line: { avatar: { lag: 800 } } }

  it('[SP2] makes the end later, and never untrue', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await answered(world, avatar)
      const speech = session.say(forty)
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
      expect(line.heardText).toBe(forty.slice(0, 26))
      expect(said(session)).toEqual(['agent: Good morning, this is Bri —'])
      await session.close()
    }))

  it('[SP2] [SP3] tells what was really heard also if it does not know it', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await answered(world, { line: { avatar: { lag: 800 }, knows: false } })
      const speech = session.say(forty)
      await clock.elapse(500)
      speech.interrupt()
      expect(await speech.waitForPlayout()).toEqual({
        how: 'interrupted',
        confirmed: true,
        heard: 'Good morning, this is Bri',
      })
      await session.close()
    }))

  it('[SP2] the next speech follows, and can be interrupted although the end of the first comes into it', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, clock } = await answered(world, { ...avatar, answers: ['Fine.'] })
      const first = session.say(forty)
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

  it('[SP6] the answer to an interruption knows what was heard, before the sound has stopped', () =>
    inVirtualTime(async (world) => {
      const { session, caller, llm, clock } = await answered(world, { ...avatar, answers: ['Fine.'] })
      session.say(forty)
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
  it('[SP3] settles when the last word was heard', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await answered(world, { line: { latency: 300 } })
      const speech = session.say(forty)
      expect(await whenSettled(clock, speech.waitForPlayout())).toBe(2_300)
      expect(speech.outcome).toEqual({ how: 'played', confirmed: true, heard: forty })
      expect(await speech.waitForPlayout()).toBe(speech.outcome)
      await session.close()
    }))

  it('[SP3] is not fooled by a line that never confirms: playoutTimeout counts from the expected end', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await answered(world, { line: { confirms: false }, playoutTimeout: 700 })
      const speech = session.say(forty)
      expect(await whenSettled(clock, speech.waitForPlayout())).toBe(2_700)
      expect(speech.outcome).toEqual({ how: 'played', confirmed: false, heard: forty })
      await session.close()
    }))

  it('[SP3] counts from clear() if the speech was interrupted', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await answered(world, { line: { confirms: false }, playoutTimeout: 700 })
      const speech = session.say(forty)
      await clock.elapse(500)
      speech.interrupt()
      expect(await whenSettled(clock, speech.waitForPlayout())).toBe(1_200)
      expect(speech.outcome).toEqual({ how: 'interrupted', confirmed: false, heard: 'Good morn' })
      await session.close()
    }))

  it('[SP3] a voice that breaks in the middle: what it made is heard, and only that stands in the history', () =>
    inVirtualTime(async (world) => {
      const error = new Error('out of breath')
      const { session, line, log, clock } = await answered(world, { tts: { failAfter: 700, error } })
      const speech = session.say(forty)
      const next = session.say('Sorry.')
      expect(await whenSettled(clock, speech.waitForPlayout())).toBe(700)
      expect(speech.outcome).toEqual({ how: 'failed', confirmed: true, heard: 'Good morning,', error })
      expect(await next.waitForPlayout()).toMatchObject({ how: 'played' })
      expect(line.heardText).toBe('Good morning, Sorry.')
      expect(said(session)).toEqual(['agent: Good morning,', 'agent: Sorry.'])
      expect(log).toContain('error: speech')
      await session.close()
    }))

  it('[SP3] a voice that breaks at once, and one that has nothing to say, end at once', () =>
    inVirtualTime(async (world) => {
      const { session } = await answered(world, { tts: { failAfter: 0 } })
      const nothing = await session.say('').waitForPlayout()
      expect(nothing).toEqual({ how: 'played', confirmed: true, heard: '' })
      expect(await session.say('Hello').waitForPlayout()).toMatchObject({ how: 'failed', heard: '' })
      expect(said(session)).toEqual([])
      await session.close()
    }))

  it('[SP3] a line that loses its caller tells what was heard: that was not all, and it is not called played', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = aCall(world)
      let told: LineEvents | undefined
      const open = line.open.bind(line)
      line.open = (context, events) => open(context, (told = events))
      await session.start()
      const speech = session.say(forty)
      await clock.elapse(500)
      told?.marked(1, 500)
      expect(await speech.waitForPlayout()).toEqual({
        how: 'interrupted',
        confirmed: true,
        heard: 'Good morn',
      })
      await session.close()
      expect(said(session)).toEqual(['agent: Good morn —'])
    }))

  it('[SP3] [CL10] settles when the session closes, for what sounds, what stops and what waits', () =>
    inVirtualTime(async (world) => {
      const { session, clock, line } = await answered(world, { line: { avatar: { lag: 800 } } })
      const stopping = session.say(forty)
      await clock.elapse(500)
      stopping.interrupt()
      const sounding = session.say(forty)
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

describe('a voice that stands still', () => {
  it('[SP5] is given up after stallTimeout: what it made is heard, and the next speech has its turn', () =>
    inVirtualTime(async (world) => {
      const { session, clock, errors, log } = await answered(world, {
        stallTimeout: 3_000,
        tts: { stallAfter: 500, ignoresSignal: true },
      })
      const first = session.say(forty)
      const second = session.say('Hello.')
      expect(await first.waitForPlayout()).toMatchObject({
        how: 'failed',
        confirmed: true,
        error: { code: 'SPEECH_STALLED' },
      })
      expect(clock.now()).toBe(3_500)
      await second.waitForPlayout()
      expect(log).toEqual(['agent failed: Good morn', 'error: speech', 'agent played: Hello.'])
      expect(errors).toHaveLength(1)
      await session.close()
    }))

  it('is not one that waits, or has its sound to play, for longer than that', () =>
    inVirtualTime(async (world) => {
      const { session } = await answered(world, { stallTimeout: 500 })
      const speeches = [session.say(forty), session.say(forty)]
      for (const speech of speeches)
        expect(await speech.waitForPlayout()).toMatchObject({ how: 'played', heard: forty })
      await session.close()
    }))
})

describe('a line that never confirms', () => {
  it('[SP5] cannot mute the session: the queue goes on, and the second speech does not wait again', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await answered(world, { line: { confirms: false } })
      const speeches = [session.say(forty), session.say('Two.'), session.say('Three.')]
      const times = await Promise.all(speeches.map((speech) => whenSettled(clock, speech.waitForPlayout())))
      expect(times).toEqual([4_000, 4_200, 4_500])
      expect(speeches.map(({ outcome }) => outcome?.confirmed)).toEqual([false, false, false])
      expect(line.heardText).toBe(`${forty}Two.Three.`)
      await session.close()
    }))

  it('[SP5] goes on after an interruption, too', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await answered(world, { line: { confirms: false } })
      const first = session.say(forty)
      await clock.elapse(500)
      first.interrupt()
      const second = session.say('Two.')
      expect(await whenSettled(clock, second.waitForPlayout())).toBe(2_700)
      expect(line.heardText).toBe('Good morniTwo.')
      await session.close()
    }))

  it('[SP5] a line that was late once is waited for again', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await answered(world, { line: { latency: 500 }, playoutTimeout: 400 })
      const first = session.say('One.')
      expect(await whenSettled(clock, first.waitForPlayout())).toBe(600)
      expect(first.outcome).toMatchObject({ confirmed: false })
      // The confirmation comes after all.
      await clock.elapse(400)
      const second = session.say('Two.')
      expect(await whenSettled(clock, second.waitForPlayout())).toBe(1_600)
      await session.close()
    }))
})

describe('speech around a tool', () => {
  const around = (run: (waitForPlayout: () => Promise<ToolPlayout>) => unknown) => ({
    answers: [['Let me look that up for you.  ', callTool('look')], 'It is free now'],
    agent: {
      tools: { look: tool({ description: 'Look', run: (_, { waitForPlayout }) => run(waitForPlayout) }) },
    },
  })

  it('[SP4] is two: playout of the first does not wait for the tool', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await answered(
        world,
        around(() => world.clock.elapse(10_000)),
      )
      const reply = session.reply()
      await clock.elapse(10)
      const [first] = reply.speeches
      expect(await whenSettled(clock, first!.waitForPlayout())).toBe(1_500)
      await reply.waitForPlayout()
      expect(reply.speeches.map(({ text }) => text)).toEqual([
        'Let me look that up for you.  ',
        'It is free now',
      ])
      expect(clock.now()).toBe(10_700)
      await session.close()
    }))

  it('[SP4] ctx.waitForPlayout() covers the words before the tool', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const told: unknown[] = []
      const { session } = await answered(
        world,
        around(async (waitForPlayout) => told.push(await waitForPlayout(), clock.now())),
      )
      await session.reply().waitForPlayout()
      expect(told).toEqual([{ how: 'played', stopped: true }, 1_500])
      await session.close()
    }))

  it('[SP4] and settles at the moment of interruption; the speech itself tells the rest', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const told: unknown[] = []
      const { session } = await answered(world, {
        ...around(async (waitForPlayout) => told.push(await waitForPlayout(), clock.now())),
        line: { avatar: { lag: 800 } },
      })
      let speech: Speech | undefined
      session.on('speaking', (event) => (speech = event.speech))
      session.reply()
      await clock.elapse(500)
      session.interrupt()
      await clock.elapse(0)
      expect(told).toEqual([{ how: 'interrupted', stopped: false }, 500])
      expect(await whenSettled(clock, speech!.waitForPlayout())).toBe(1_300)
      await session.close()
    }))

  it('[SP4] a tool without words before it has nothing to wait for; nor has one that waits too late', () =>
    inVirtualTime(async (world) => {
      const told: ToolPlayout[] = []
      const { session, clock } = await answered(world, {
        answers: [[callTool('look')], ['One.  ', callTool('look', { n: 2 })], 'Done..'],
        agent: {
          tools: {
            look: tool({
              description: 'Look',
              run: async ({ n }, { waitForPlayout }) => {
                if (n) await world.clock.elapse(1_000)
                told.push(await waitForPlayout())
              },
            }),
          },
        },
      })
      await session.reply().waitForPlayout()
      expect(told).toEqual([
        { how: 'nothing', stopped: true },
        { how: 'played', stopped: true },
      ])
      expect(clock.now()).toBe(1_300)
      await session.close()
    }))

  it('[SP4] [CL10] a tool that waits for playout when the session closes is not left hanging', () =>
    inVirtualTime(async (world) => {
      const told: ToolPlayout[] = []
      const { session, clock } = await answered(
        world,
        around(async (waitForPlayout) => told.push(await waitForPlayout(), await waitForPlayout())),
      )
      session.reply()
      await clock.elapse(500)
      const report = await session.close()
      expect(told).toEqual([
        { how: 'interrupted', stopped: true },
        { how: 'interrupted', stopped: false },
      ])
      expect([report.clean, report.took]).toEqual([true, 0])
    }))
})

describe('the history', () => {
  it('[SP6] has nothing of a speech that was interrupted before its first frame', () =>
    inVirtualTime(async (world) => {
      const { session, line, log, clock } = await answered(world, { tts: { firstAfter: 300 } })
      const speech = session.say(forty)
      const waiting = session.say('Later.')
      await clock.elapse(200)
      waiting.interrupt()
      speech.interrupt()
      expect(speech.outcome).toEqual({ how: 'interrupted', confirmed: true, heard: '' })
      await clock.elapse(1_000)
      expect(said(session)).toEqual([])
      expect(line.heard).toEqual([])
      expect(log).toEqual(['agent interrupted: ', 'agent interrupted: '])
      await session.close()
    }))

  it('[SP6] of an answer has what was heard, not what was thought', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await answered(world, { answers: [forty, 'Fine.'] })
      caller.types('Hello')
      await clock.elapse(500)
      caller.types('Stop')
      await caller.hears('Fine.')
      await clock.elapse(100)
      expect(said(session)).toEqual(['user: Hello', 'agent: Good morn —', 'user: Stop', 'agent: Fine.'])
      await session.close()
    }))

  it('[SP6] an answer that is asked for knows what has been heard of the words that still sound', () =>
    inVirtualTime(async (world) => {
      const { session, llm, clock } = await answered(world, { answers: ['And more.'] })
      session.say(forty)
      await clock.elapse(500)
      await session.reply().waitForPlayout()
      expect(llm.requests[0]?.messages).toEqual([{ role: 'agent', text: 'Good morn' }])
      expect(said(session)).toEqual([`agent: ${forty}`, 'agent: And more.'])
      await session.close()
    }))
})

describe('the queue', () => {
  it('[SP6] speaks by priority, overtakes nothing that sounds, and stands in the history as it was heard', () =>
    inVirtualTime(async (world) => {
      const { session, line } = await answered(world)
      const speeches = [
        session.say('One. '),
        session.say('Two. '),
        session.say('Urgent. ', { priority: 5 }),
        session.say('Last. ', { priority: -1 }),
        session.say('Also urgent. ', { priority: 5 }),
      ]
      await Promise.all(speeches.map((speech) => speech.waitForPlayout()))
      const order = ['One. ', 'Urgent. ', 'Also urgent. ', 'Two. ', 'Last. ']
      expect(line.heardText).toBe(order.join(''))
      expect(said(session)).toEqual(order.map((text) => `agent: ${text}`))
      await session.close()
    }))

  it('[SP6] speaks a text as it comes, and fails with it', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await answered(world)
      const words = async function* () {
        yield 'One two '
        await clock.elapse(1_000)
        yield 'three '
        throw new Error('no more')
      }
      const outcome = await session.say(words()).waitForPlayout()
      expect(outcome).toMatchObject({ how: 'failed', heard: 'One two', error: new Error('no more') })
      await session.close()
    }))
})

describe('uninterruptible speech', () => {
  it('[SP7] refuses loudly, before anything is stopped; force works', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await answered(world, { answers: [['Hm ', { stall: true }]] })
      const speech = session.say(forty, { interruptible: false })
      const reply = session.reply()
      await clock.elapse(500)
      expect(() => speech.interrupt()).toThrow(UninterruptibleError)
      expect(() => session.interrupt()).toThrow(UninterruptibleError)
      expect([speech.interrupted, reply.interrupted, line.connection.queued]).toEqual([false, false, 1_500])
      session.interrupt({ force: true })
      expect([speech.interrupted, reply.interrupted]).toEqual([true, true])
      expect(await speech.waitForPlayout()).toMatchObject({ how: 'interrupted', heard: 'Good morn' })
      await session.close()
    }))

  it('[SP7] an answer can be uninterruptible from its first thought on', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, clock } = await answered(world, {
        answers: [[{ wait: 300 }, forty], 'Now you.'],
      })
      const reply = session.reply({ interruptible: false })
      await clock.elapse(100)
      expect(() => reply.interrupt()).toThrow(UninterruptibleError)
      expect(() => session.interrupt()).toThrow(UninterruptibleError)
      caller.types('Stop!')
      await clock.elapse(1_000)
      expect(() => reply.interrupt()).toThrow(UninterruptibleError)
      await caller.hears(forty)
      await caller.hears('Now you.')
      expect(line.heardText).toBe(`${forty}Now you.`)
      await session.close()
    }))

  it('[SP7] barge-in does not stop it; what the caller said is answered afterwards', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, clock } = await answered(world, { answers: ['Fine.'] })
      session.say(`${forty} ${forty}`, { interruptible: false })
      await clock.elapse(200)
      await caller.says('I want to cancel.')
      await caller.pauses(1_000)
      await caller.hears('Fine.')
      await clock.elapse(100)
      expect(line.heardText).toBe(`${forty} ${forty}Fine.`)
      expect(said(session)).toEqual([`agent: ${forty} ${forty}`, 'user: I want to cancel.', 'agent: Fine.'])
      await session.close()
    }))

  it('[SP7] stays in the queue when what sounds before it is interrupted', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await answered(world)
      session.say(forty)
      const notice = session.say('This call is recorded.', { interruptible: false })
      await clock.elapse(500)
      session.interrupt()
      expect(await notice.waitForPlayout()).toMatchObject({ how: 'played' })
      expect(line.heardText).toBe('Good morniThis call is recorded.')
      await session.close()
    }))

  it('[SP7] a key that would interrupt leaves it alone, also while an answer is in the making', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await answered(world, {
        answers: [[{ stall: true }]],
        turns: { dtmf: {} },
      })
      const speech = session.say(forty, { interruptible: false })
      session.reply()
      await clock.elapse(200)
      caller.presses('1#')
      expect(await speech.waitForPlayout()).toMatchObject({ how: 'played' })
      await session.close()
    }))

  it('[SP7] [CL9] closing forces', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await answered(world)
      const speech = session.say(forty, { interruptible: false })
      await clock.elapse(500)
      const closed = session.close()
      expect(line.connection.queued).toBe(0)
      expect(speech.outcome).toMatchObject({ how: 'interrupted', heard: 'Good morn' })
      await closed
      await clock.elapse(1_000)
      expect([line.audibleAfterClosing, line.playedTooLate]).toEqual([0, []])
      expect(said(session)).toEqual(['agent: Good morn —'])
    }))
})

describe('a goodbye', () => {
  const bye = 'Goodbye, and thank you for calling us.'

  it('[SP8] is heard to its end and acknowledged, then the line is hung up', () =>
    inVirtualTime(async (world) => {
      const { session, line, reports, clock } = await answered(world, { line: { latency: 200 } })
      const outcome = session.hangUp({ say: bye })
      await clock.elapse(100)
      expect(session.state).toBe('ending')
      expect(await outcome).toBe('confirmed')
      expect(line.heardText).toBe(bye)
      expect(line.connection.endedAt).toBe(bye.length * 50 + 200)
      expect(reports).toMatchObject([{ reason: 'agent-hung-up', clean: true }])
    }))

  it('[SP8] is never clipped, however long: forty seconds', async () => {
    const long = `${'so long and thanks for all the fish '.repeat(22)}and goodbye.`
    expect(long.length * 50).toBeGreaterThan(40_000)
    for (const speed of [Infinity, 1]) {
      await inVirtualTime(async (world) => {
        const { session, line } = await answered(world, { tts: { speed } })
        expect(await session.hangUp({ say: long })).toBe('confirmed')
        expect(line.heardText).toBe(long)
      })
    }
  })

  it('[SP8] comes after what is being said', () =>
    inVirtualTime(async (world) => {
      const { session, line } = await answered(world)
      session.say('One. ')
      session.say('Two. ')
      await session.hangUp({ say: bye })
      expect(line.heardText).toBe(`One. Two. ${bye}`)
    }))

  it('[SP8] comes after the answer in flight, its tool included', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, clock } = await answered(world, {
        answers: [['Let me see. ', callTool('look')], 'It is free. '],
        agent: { tools: { look: tool({ description: 'Look', run: () => world.clock.elapse(2_000) }) } },
      })
      caller.types('Is it free?')
      await clock.elapse(100)
      expect(await session.hangUp({ say: bye })).toBe('confirmed')
      expect(line.heardText).toBe(`Let me see. It is free. ${bye}`)
    }))

  it('[SP8] [SP5] that the line does not acknowledge is unconfirmed, and ends on time', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await answered(world, { line: { confirms: false } })
      expect(await session.hangUp({ say: bye })).toBe('unconfirmed')
      expect(line.heardText).toBe(bye)
      expect(clock.now()).toBe(bye.length * 50 + 2_000)
    }))

  it.each(['says goodbye', 'drains'] as const)(
    '[SP8] [SP5] is heard to its end also on a line that never acknowledged anything: the session %s',
    (how) =>
      inVirtualTime(async (world) => {
        const { session, line, clock } = await answered(world, { line: { confirms: false, latency: 200 } })
        const first = session.say('Hello. ')
        await first.waitForPlayout()
        const last = how === 'drains' ? session.say(bye) : undefined
        await clock.elapse(100)
        if (last) await session.drain()
        else await session.hangUp({ say: bye })
        expect(line.heardText).toBe(`Hello. ${bye}`)
      }),
  )

  it('[SP5] that was cancelled leaves no patience behind: what is said next is not waited for', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await answered(world, { line: { confirms: false } })
      await session.say('Hello. ').waitForPlayout()
      const ending = session.hangUp({ say: bye, cancellable: true })
      await clock.elapse(500)
      caller.says('wait').catch(() => {})
      expect(await ending).toBe('cancelled')
      await clock.elapse(10_000)
      const began = clock.now()
      await session.say('Yes?').waitForPlayout()
      expect(clock.now() - began).toBe('Yes?'.length * 50)
      await session.close()
    }))

  it('[SP8] whose voice stalls ends by stallTimeout, counted from the last sound', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock, reports } = await answered(world, {
        tts: { stallAfter: 500 },
        stallTimeout: 3_000,
      })
      expect(await session.hangUp({ say: bye })).toBe('unconfirmed')
      expect(line.heardText).toBe(bye.slice(0, 10))
      expect(clock.now()).toBe(3_500)
      await session.close()
      expect(reports).toMatchObject([{ reason: 'agent-hung-up' }])
    }))

  it('[SP8] whose voice breaks is unconfirmed', () =>
    inVirtualTime(async (world) => {
      const { session } = await answered(world, { tts: { failAfter: 500 } })
      expect(await session.hangUp({ say: bye })).toBe('unconfirmed')
      expect(session.state).toBe('closed')
    }))

  it('[SP8] is not disturbed by barge-in, unless that was asked for', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, clock } = await answered(world)
      const outcome = session.hangUp({ say: bye })
      await clock.elapse(300)
      await caller.says('Wait a moment')
      expect(await outcome).toBe('confirmed')
      expect(line.heardText).toBe(bye)
    }))

  it('[SP8] is cancelled by barge-in if asked, and the conversation goes on', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await answered(world, { answers: ['Yes?'] })
      const outcome = session.hangUp({ say: bye, cancellable: true })
      await clock.elapse(300)
      await caller.says('Wait a moment')
      await caller.pauses(1_000)
      expect(await outcome).toBe('cancelled')
      expect(session.state).toBe('live')
      await caller.hears('Yes?')
      await clock.elapse(100)
      expect(said(session).slice(1)).toEqual(['user: Wait a moment', 'agent: Yes?'])
      expect(await session.hangUp({ say: 'Bye.' })).toBe('confirmed')
    }))

  it('[SP8] that somebody closes is unconfirmed', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await answered(world)
      const outcome = session.hangUp({ say: bye })
      await clock.elapse(300)
      await session.close()
      expect(await outcome).toBe('unconfirmed')
      expect(line.heardText).toBe(bye.slice(0, 6))
    }))

  it('[SP8] without words hangs up as soon as nothing is being said', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await answered(world)
      session.say('One.')
      expect(await session.hangUp()).toBe('confirmed')
      expect([line.heardText, clock.now()]).toEqual(['One.', 200])
    }))
})

describe('a false interruption', () => {
  const turns = { falseInterruption: { timeout: 1_000 }, bargeIn: { minDuration: 2_000 } }

  it('[SP9] pauses the agent and lets it go on with the first word that was not heard', () =>
    inVirtualTime(async (world) => {
      const { session, vad, line, clock } = await answered(world, { turns })
      const speech = session.say(forty)
      await clock.elapse(850)
      vad.starts()
      expect(line.connection.queued).toBe(0)
      await clock.elapse(100)
      vad.stops()
      await clock.elapse(5_000)
      expect(line.heardText).toBe(`Good morning, thithis is Bright Dental now.`)
      expect(speech.outcome).toEqual({ how: 'played', confirmed: true, heard: forty })
      expect(said(session)).toEqual([`agent: ${forty}`])
      await session.close()
    }))

  it('[SP9] goes on in the middle where the voice does not tell its words', () =>
    inVirtualTime(async (world) => {
      const { session, vad, line, clock } = await answered(world, { turns, tts: { words: false } })
      const speech = session.say(forty)
      await clock.elapse(800)
      vad.starts()
      await clock.elapse(100)
      vad.stops()
      await clock.elapse(5_000)
      expect(line.heardText).toBe(forty)
      expect(speech.outcome).toMatchObject({ how: 'played', heard: forty })
      await session.close()
    }))

  it('[SP9] is silent in between, also if the voice is still making the speech', () =>
    inVirtualTime(async (world) => {
      const { session, vad, line, clock } = await answered(world, { turns, tts: { speed: 1 } })
      const speech = session.say(forty)
      await clock.elapse(500)
      vad.starts()
      await clock.elapse(900)
      expect(line.heardText).toBe('Good morni')
      vad.stops()
      await clock.elapse(6_000)
      expect(line.heardText).toBe('Good morni morning, this is Bright Dental now.')
      expect(speech.outcome).toMatchObject({ how: 'played', heard: forty })
      await session.close()
    }))

  it('[SP9] never resumes once a real turn was committed', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, clock } = await answered(world, { turns, answers: ['Fine.'] })
      const speech = session.say(forty)
      await clock.elapse(500)
      await caller.says('Stop it')
      await caller.pauses(1_500)
      await caller.hears('Fine.')
      await clock.elapse(5_000)
      expect(speech.outcome).toMatchObject({ how: 'interrupted', confirmed: true })
      expect(line.heardText).toMatch(/^Good morni\w*Fine\.$/)
      await session.close()
    }))

  it('[SP9] never resumes when the session is ending', () =>
    inVirtualTime(async (world) => {
      const { session, vad, line, clock } = await answered(world, { turns })
      const speech = session.say(forty)
      await clock.elapse(500)
      vad.starts()
      await clock.elapse(100)
      expect(await session.hangUp({ say: 'Bye.' })).toBe('confirmed')
      expect(speech.outcome).toMatchObject({ how: 'interrupted' })
      expect(line.heardText).toBe('Good morniBye.')
    }))

  it('[SP9] a second interruption right after the first keeps what was heard', () =>
    inVirtualTime(async (world) => {
      const { session, vad, clock } = await answered(world, { turns })
      const speech = session.say(forty)
      await clock.elapse(850)
      vad.starts()
      await clock.elapse(100)
      vad.stops()
      await clock.elapse(1_020)
      speech.interrupt()
      expect(await speech.waitForPlayout()).toMatchObject({ heard: 'Good morning, th' })
      await session.close()
    }))

  it('[SP9] [CL9] closing while it is paused is silent, and settles it', () =>
    inVirtualTime(async (world) => {
      const { session, vad, line, clock } = await answered(world, { turns })
      const speech = session.say(forty)
      await clock.elapse(500)
      vad.starts()
      await clock.elapse(100)
      const report = await session.close({ reason: 'error' })
      expect(speech.outcome).toMatchObject({ how: 'interrupted', heard: 'Good morn' })
      expect([line.audibleAfterClosing, report.took]).toEqual([0, 0])
    }))
})
