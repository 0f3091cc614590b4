import { describe, expect, it } from 'vitest'
import { inVirtualTime, type World } from '../../../src/testing/index.ts'
import type { OpenAIRealtimeServerOptions } from '../../../src/testing/servers/index.ts'
import { anOpenAICall, says, type OpenAICall } from './call.ts'
import { LONG } from './fixture.ts'

describe('a session on OpenAI Realtime that is closed', () => {
  const phases: [
    when: string,
    openai: OpenAIRealtimeServerOptions,
    act: (call: OpenAICall, world: World) => unknown,
  ][] = [
    ['while connecting', { manners: { connect: 'never' } }, () => {}],
    ['while setting up', { manners: { latency: 1_000 } }, (_, { clock }) => clock.elapse(500)],
    ['while idle', {}, ({ session }) => session.start()],
    [
      'while the caller speaks',
      {},
      async ({ session, caller }, { clock }) => {
        await session.start()
        says(caller, 'good morning')
        await clock.elapse(300)
      },
    ],
    [
      'in the middle of an answer',
      { answers: [[LONG, { stall: true }]] },
      async ({ session }, { clock }) => {
        await session.start()
        session.reply()
        await clock.elapse(400)
      },
    ],
    [
      'before an answer',
      { firstAfter: 10_000, answers: ['Late.'] },
      async ({ session }, { clock }) => {
        await session.start()
        session.reply()
        await clock.elapse(400)
      },
    ],
    [
      'while backing off',
      {},
      async ({ session, server }, { clock }) => {
        await session.start()
        server.manners.refuse = 503
        server.drop()
        await clock.elapse(300)
      },
    ],
    [
      'while rolling over',
      { lifetime: 60_000 },
      async ({ session, server }, { clock }) => {
        await session.start()
        server.manners.connect = 1_000
        await clock.elapse(45_500)
      },
    ],
  ]

  it.each(phases)('[LK1] [LK6] [LK9] %s leaves no socket open and opens none later', (_, openai, act) =>
    inVirtualTime(async (world) => {
      const call = anOpenAICall(world, { openai })
      const { session, server } = call
      session.start().catch(() => {})
      await act(call, world)
      const dials = world.network.dials
      const closing = session.close()
      // By now everything sent before close() has arrived.
      await world.clock.elapse(5)
      const received = server.sessions.map((each) => each.received.length)
      const report = await closing
      expect(report.took).toBeLessThan(2_500)
      expect(world.network.sockets.list()).toEqual([])
      await world.clock.elapse(60_000)
      expect(server.open.length).toBe(0)
      expect(world.network.dials).toBe(dials)
      expect(server.sessions.map((each) => each.received.length)).toEqual(received)
    }),
  )

  it('[LK6] closes cleanly although the service never answers a close frame', () =>
    inVirtualTime(async (world) => {
      const { session } = anOpenAICall(world)
      await session.start()
      const report = await session.close()
      expect(report.took).toBe(250)
      expect(report.clean).toBe(true)
    }))
})
