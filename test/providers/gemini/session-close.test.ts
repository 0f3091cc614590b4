import { describe, expect, it } from 'vitest'
import { SessionClosedError } from '../../../src/session/index.ts'
import { inVirtualTime, type World } from '../../../src/testing/index.ts'
import { said } from '../../session/fixture.ts'
import { aGeminiCall, says } from './call.ts'

describe('a session on Gemini', () => {
  it("[CL6] keeps the caller's last words", () =>
    inVirtualTime(async (world) => {
      const { session, caller } = aGeminiCall(world, { server: { answers: ['Bye.'] } })
      await session.start()
      caller.says('thank you so much').catch(() => {})
      await world.clock.elapse(600)
      await session.close()
      expect(said(session)).toEqual(['user: thank you s'])
    }))

  it('[CL3] finishes the pending answer when it drains', () =>
    inVirtualTime(async (world) => {
      const { session, caller, log } = aGeminiCall(world, {
        server: { answers: ['Until six.'], firstAfter: 400 },
      })
      await session.start()
      await says(caller, 'how long are you open')
      await world.clock.elapse(600)
      await session.drain()
      expect(world.clock.now()).toBeLessThan(6_000)
      expect(log).toContain('agent played: Until six.')
    }))

  it.each<[phase: string, bring: (call: ReturnType<typeof aGeminiCall>, world: World) => Promise<unknown>]>([
    ['idle', ({ session }) => session.start()],
    [
      'speaking',
      async ({ session }, { clock }) => {
        await session.start()
        session.reply()
        await clock.elapse(300)
      },
    ],
    [
      'rolling over',
      async ({ session, server }, { clock }) => {
        await session.start()
        server.manners.connect = 1_000
        server.goAway(10_000)
        await clock.elapse(100)
      },
    ],
    [
      'resuming',
      async ({ session, server }, { clock }) => {
        await session.start()
        server.offerHandle()
        await clock.elapse(10)
        server.ignoresSetup = true
        server.drop()
        await clock.elapse(1_000)
      },
    ],
  ])('[LK1] [CL1] that closes while %s ends its socket, and nothing is dialled later', (_, bring) =>
    inVirtualTime(async (world) => {
      const call = aGeminiCall(world, { server: { answers: ['Good morning to you and yours.'] } })
      await bring(call, world)
      const closed = call.session.close()
      const { dials } = world.network
      const report = await closed
      expect(report.took).toBeLessThan(5_000)
      await world.clock.elapse(60_000)
      expect(call.server.open).toEqual([])
      expect(world.network.sockets.list()).toEqual([])
      expect(world.network.dials).toBe(dials)
      expect(call.log.filter((line) => line.startsWith('closed'))).toHaveLength(1)
    }),
  )

  it.each([
    ['connecting', { connect: 'never' as const }, false],
    ['setting up', {}, true],
  ])('[CL8] that closes while %s rejects start() and ends its socket', (_, manners, ignoresSetup) =>
    inVirtualTime(async (world) => {
      const { session, server } = aGeminiCall(world, { server: { manners } })
      server.ignoresSetup = ignoresSetup
      const starting = expect(session.start()).rejects.toThrow(SessionClosedError)
      await world.clock.elapse(500)
      const report = await session.close()
      await starting
      expect(report.took).toBeLessThan(5_000)
      await world.clock.elapse(60_000)
      expect(server.open).toEqual([])
      expect(world.network.sockets.list()).toEqual([])
      expect(world.network.dials).toBe(1)
    }),
  )
})
