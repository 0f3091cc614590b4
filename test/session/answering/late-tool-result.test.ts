import { describe, expect, it } from 'vitest'
import { tool, type ToolContext } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { said } from '../fixture.ts'
import { aCallWithTools } from './tool-fixture.ts'

describe('a late result of a tool', () => {
  it('[TL3] of a call that timed out changes nothing and goes to onLate once', () =>
    inVirtualTime(async (world) => {
      const slow = tool({
        description: 'Slow',
        timeout: 500,
        run: async () => {
          await world.clock.elapse(2_000)
          return 'too late'
        },
      })
      const { session, llm, clock, late } = await aCallWithTools(world, { slow }, [
        [callTool('slow')],
        'Well.',
      ])
      await session.reply().waitForPlayout()
      const before = said(session)
      await clock.elapse(5_000)
      expect(said(session)).toEqual(before)
      expect(llm.requests).toHaveLength(2)
      expect(late).toEqual([
        {
          scope: 'session test/tool slow',
          name: 'slow',
          kind: 'task',
          outcome: 'ended',
          value: 'too late',
          at: 1_500,
        },
      ])
      await session.close()
      expect(late).toHaveLength(1)
    }))

  it('[TL3] that arrives after the session has closed goes to onLate once', () =>
    inVirtualTime(async (world) => {
      const slow = tool({
        description: 'Slow',
        timeout: 500,
        run: async () => {
          await world.clock.elapse(60_000)
          throw new Error('far too late')
        },
      })
      const { session, clock, late } = await aCallWithTools(world, { slow }, [[callTool('slow')], 'Well.'])
      await session.reply().waitForPlayout()
      await session.close()
      expect(late).toEqual([])
      await clock.elapse(60_000)
      expect(late).toMatchObject([{ name: 'slow', outcome: 'failed', error: new Error('far too late') }])
    }))

  it('[TL3] of a call that the close cancelled goes to onLate, during the close or after it', async () => {
    for (const takes of [1_000, 20_000])
      await inVirtualTime(async (world) => {
        const slow = tool({
          description: 'Slow',
          run: async () => {
            await world.clock.elapse(takes)
            return 'late'
          },
        })
        const { session, clock, late } = await aCallWithTools(world, { slow }, [[callTool('slow')]])
        session.reply()
        await clock.elapse(100)
        const { transcript } = await session.close()
        await clock.elapse(30_000)
        expect(transcript).toMatchObject([{ result: { output: "'slow' was cancelled" } }])
        expect(session.history.items).toEqual(transcript)
        expect(late).toMatchObject([{ name: 'slow', outcome: 'ended', value: 'late', at: takes - 100 }])
      })
  })

  it('[TL3] is not reported for a tool that stops on its signal, and its context no longer works', () =>
    inVirtualTime(async (world) => {
      let kept: ToolContext | undefined
      const polite = tool({
        description: 'Polite',
        timeout: 500,
        run: (_, context) => {
          kept = context
          return new Promise((_resolve, reject) =>
            context.signal.addEventListener('abort', () => reject(context.signal.reason)),
          )
        },
      })
      const { session, late, line } = await aCallWithTools(world, { polite }, [[callTool('polite')], 'Well.'])
      await session.reply().waitForPlayout()
      expect(late).toEqual([])
      expect(() => kept?.say('Hello?')).toThrow(/has ended/)
      expect(() => kept?.progress('half')).toThrow(/has ended/)
      expect(await kept?.waitForPlayout()).toEqual({ how: 'interrupted', stopped: false })
      expect(line.heardText).toBe('Well.')
      await session.close()
    }))

  it('[TL3] is harmless if onLate throws', () =>
    inVirtualTime(async (world) => {
      const slow = tool({ description: 'Slow', timeout: 100, run: () => world.clock.elapse(300) })
      const { session, clock, log } = await aCallWithTools(world, { slow }, [[callTool('slow')], 'Well.'], {
        onLate: () => {
          throw new Error('broken listener')
        },
      })
      await session.reply().waitForPlayout()
      await clock.elapse(1_000)
      expect(log).toEqual(['agent played: Well.'])
      expect((await session.close()).clean).toBe(true)
    }))
})
