import { describe, expect, it } from 'vitest'
import { SessionClosedError, tool, type Toolset } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, never, said } from '../fixture.ts'
import { aCallWithTools } from './tool-fixture.ts'

describe('a toolset', () => {
  const toolset = (events: string[], open: () => Promise<void> = async () => {}): Toolset => ({
    name: 'crm',
    open: async ({ scope }) => {
      await scope.open('connection', async () => {
        await open()
        events.push('opened')
        return { close: () => void events.push('closed'), abort: () => void events.push('aborted') }
      })
      return { find: tool({ description: 'Find', run: () => 'Ada' }) }
    },
  })

  it('[TL7] is opened and closed with the session, and its tools are used like any others', () =>
    inVirtualTime(async (world) => {
      const events: string[] = []
      const { session, llm } = await aCallWithTools(world, {}, [[callTool('find')], 'It is Ada.'], {
        agent: { toolsets: [toolset(events)] },
      })
      expect(events).toEqual(['opened'])
      await session.reply().waitForPlayout()
      expect(llm.requests[0]?.tools).toMatchObject([{ name: 'find' }])
      expect(said(session)).toEqual(['find → Ada', 'agent: It is Ada.'])
      expect((await session.close()).clean).toBe(true)
      expect(events).toEqual(['opened', 'closed'])
    }))

  it('[TL7] that cannot be opened fails the start, and other toolsets are closed', () =>
    inVirtualTime(async (world) => {
      const events: string[] = []
      const { session, reports, line } = aCall(world, {
        agent: {
          toolsets: [toolset(events), toolset(events, () => Promise.reject(new Error('no such server')))],
        },
      })
      await expect(session.start()).rejects.toThrow('no such server')
      await session.close()
      expect(events).toEqual(['opened', 'closed'])
      expect(reports).toMatchObject([{ reason: 'start-failed' }])
      expect(line.counts.live).toBe(0)
    }))

  it('[TL7] that hangs while it opens does not delay a close, and is aborted if it opens later', () =>
    inVirtualTime(async (world) => {
      const events: string[] = []
      const { session, clock } = aCall(world, {
        agent: { toolsets: [toolset(events, () => world.clock.elapse(30_000))] },
      })
      const started = session.start()
      await clock.elapse(1_000)
      const report = await session.close()
      await expect(started).rejects.toThrow(SessionClosedError)
      expect(report.took).toBeLessThanOrEqual(5_000)
      expect(events).toEqual([])
      await clock.elapse(40_000)
      expect(events).toEqual(['opened', 'aborted'])
    }))

  it('[TL7] that hangs while it closes is aborted in time', () =>
    inVirtualTime(async (world) => {
      const events: string[] = []
      const stuck: Toolset = {
        name: 'stuck',
        open: async ({ scope }) => {
          scope.own('connection', { close: never, abort: () => void events.push('aborted') })
          return {}
        },
      }
      const { session } = await aCallWithTools(world, {}, [], { agent: { toolsets: [stuck] } })
      const report = await session.close()
      expect(report.took).toBeLessThanOrEqual(5_000)
      expect(events).toEqual(['aborted'])
    }))
})
