import { describe, expect, it } from 'vitest'
import { tool, type Speech, type ToolPlayout } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { aLiveCall, whenSettled } from '../fixture.ts'

describe('speech around a tool', () => {
  const around = (run: (waitForPlayout: () => Promise<ToolPlayout>) => unknown) => ({
    answers: [['Let me look that up for you.  ', callTool('look')], 'It is free now'],
    agent: {
      tools: { look: tool({ description: 'Look', run: (_, { waitForPlayout }) => run(waitForPlayout) }) },
    },
  })

  it('[SP4] is split in two, and playout of the first speech does not wait for the tool', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aLiveCall(
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

  it('[SP4] can be awaited by the tool with waitForPlayout(), as far as it precedes the tool', () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const playouts: unknown[] = []
      const { session } = await aLiveCall(
        world,
        around(async (waitForPlayout) => playouts.push(await waitForPlayout(), clock.now())),
      )
      await session.reply().waitForPlayout()
      expect(playouts).toEqual([{ how: 'played', stopped: true }, 1_500])
      await session.close()
    }))

  it("[SP4] resolves the tool's waitForPlayout() at the interruption, before the sound has stopped", () =>
    inVirtualTime(async (world) => {
      const { clock } = world
      const playouts: unknown[] = []
      const { session } = await aLiveCall(world, {
        ...around(async (waitForPlayout) => playouts.push(await waitForPlayout(), clock.now())),
        line: { avatar: { lag: 800 } },
      })
      let speech: Speech | undefined
      session.on('speaking', (event) => (speech = event.speech))
      session.reply()
      await clock.elapse(500)
      session.interrupt()
      await clock.elapse(0)
      expect(playouts).toEqual([{ how: 'interrupted', stopped: false }, 500])
      expect(await whenSettled(clock, speech!.waitForPlayout())).toBe(1_300)
      await session.close()
    }))

  it('[SP4] does not keep a tool waiting if there were no words before it, or they have been heard', () =>
    inVirtualTime(async (world) => {
      const playouts: ToolPlayout[] = []
      const { session, clock } = await aLiveCall(world, {
        answers: [[callTool('look')], ['One.  ', callTool('look', { n: 2 })], 'Done..'],
        agent: {
          tools: {
            look: tool({
              description: 'Look',
              run: async ({ n }, { waitForPlayout }) => {
                if (n) await world.clock.elapse(1_000)
                playouts.push(await waitForPlayout())
              },
            }),
          },
        },
      })
      await session.reply().waitForPlayout()
      expect(playouts).toEqual([
        { how: 'nothing', stopped: true },
        { how: 'played', stopped: true },
      ])
      expect(clock.now()).toBe(1_300)
      await session.close()
    }))

  it("[SP4] [CL10] resolves the tool's waitForPlayout() when the session closes", () =>
    inVirtualTime(async (world) => {
      const playouts: ToolPlayout[] = []
      const { session, clock } = await aLiveCall(
        world,
        around(async (waitForPlayout) => playouts.push(await waitForPlayout(), await waitForPlayout())),
      )
      session.reply()
      await clock.elapse(500)
      const report = await session.close()
      expect(playouts).toEqual([
        { how: 'interrupted', stopped: true },
        { how: 'interrupted', stopped: false },
      ])
      expect([report.clean, report.took]).toEqual([true, 0])
    }))
})
