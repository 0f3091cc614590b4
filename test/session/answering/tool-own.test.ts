import { describe, expect, it } from 'vitest'
import { tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../../src/testing/index.ts'
import { aCall, never } from '../fixture.ts'

/** Creates a call whose tool owns a socket and then runs `work`. */
async function aCallWithSocket(
  world: World,
  work: (signal: AbortSignal) => unknown,
  close: () => unknown = () => {},
) {
  const socket: string[] = []
  const call = aCall(world, {
    answers: [[callTool('feed')], 'Done.'],
    closeTimeout: 1_000,
    agent: {
      tools: {
        feed: tool({
          description: 'Reads a feed',
          timeout: 60_000,
          run: (_, { own, signal }) => {
            own('feed', socket, {
              close: async (log) => {
                log.push('closed')
                await close()
              },
              abort: (log) => void log.push('aborted'),
            })
            return work(signal)
          },
        }),
      },
    },
  })
  await call.session.start()
  call.caller.types('Read it.')
  await world.clock.elapse(100)
  return { ...call, socket }
}

describe('a resource that a tool owns', () => {
  it('[TL1] is closed when the tool returns', () =>
    inVirtualTime(async (world) => {
      const { session, socket } = await aCallWithSocket(world, () => 'read')
      expect(socket).toEqual(['closed'])
      expect((await session.close()).clean).toBe(true)
    }))

  it('[TL1] is closed when the session closes, and listed in the report', () =>
    inVirtualTime(async (world) => {
      const { session, socket } = await aCallWithSocket(world, async (signal) => {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      })
      expect(socket).toEqual([])
      const report = await session.close()
      expect(socket).toEqual(['closed'])
      expect(JSON.stringify(report.scope)).toContain('"name":"feed"')
      expect(report.clean).toBe(true)
    }))

  it('[TL1] [SC6] is aborted if neither the resource nor the tool ends in time', () =>
    inVirtualTime(async (world) => {
      const { session, socket } = await aCallWithSocket(world, never, never)
      const report = await session.close()
      expect(socket).toEqual(['closed', 'aborted'])
      expect(report.clean).toBe(false)
    }))
})
