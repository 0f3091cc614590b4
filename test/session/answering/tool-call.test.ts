import { describe, expect, it } from 'vitest'
import { SessionClosedError, tool, type ToolContext } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { never, said } from '../fixture.ts'
import { aCallWithTools, outputs } from './tool-fixture.ts'

describe('a tool call', () => {
  it('[TL1] has its own signal, timeout and scope', () =>
    inVirtualTime(async (world) => {
      const contexts: ToolContext[] = []
      const look = tool({
        description: 'Look',
        timeout: 1_000,
        run: async (_, context) => {
          contexts.push(context)
          await world.clock.elapse(contexts.length === 1 ? 5_000 : 100)
          return 'found'
        },
      })
      const { session, clock } = await aCallWithTools(world, { look }, [
        [callTool('look', { n: 1 }), callTool('look', { n: 2 })],
        'Well.',
      ])
      session.reply()
      await clock.elapse(500)
      expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false, false])
      await clock.elapse(500)
      expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true, false])
      expect(outputs(session)).toMatchObject([
        { output: "'look' took longer than 1000 ms", failed: true },
        { output: 'found', failed: false },
      ])
      await clock.elapse(6_000)
      await session.close()
    }))

  it('[TL1] is cancelled and awaited by a close', () =>
    inVirtualTime(async (world) => {
      let cleaned = false
      const look = tool({
        description: 'Look',
        run: async (_, { signal }) => {
          await new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason)),
          ).catch(() => {})
          await world.clock.elapse(300)
          cleaned = true
          throw signal.reason
        },
      })
      const { session, clock } = await aCallWithTools(world, { look }, [[callTool('look')]])
      session.reply()
      await clock.elapse(100)
      const report = await session.close()
      expect([cleaned, report.took, report.clean]).toEqual([true, 300, true])
      expect(said(session)).toEqual(["look → 'look' was cancelled"])
      expect(report.transcript).toMatchObject([{ result: { failed: true } }])
    }))

  it('[TL1] with finishWithin is shielded for that long, and its result is kept', () =>
    inVirtualTime(async (world) => {
      const book = tool({
        description: 'Book',
        finishWithin: 2_000,
        run: async (_, { signal }) => {
          await world.clock.elapse(1_500)
          return { booked: true, aborted: signal.aborted }
        },
      })
      const { session, clock } = await aCallWithTools(world, { book }, [[callTool('book')]])
      session.reply()
      await clock.elapse(500)
      const report = await session.close()
      expect([report.took, report.clean]).toEqual([1_000, true])
      expect(report.transcript).toMatchObject([{ result: { output: '{"booked":true,"aborted":false}' } }])
    }))

  it('[TL1] with finishWithin is cancelled after that time', () =>
    inVirtualTime(async (world) => {
      let abortedAt = 0
      const book = tool({
        description: 'Book',
        finishWithin: 700,
        run: (_, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => {
              abortedAt = world.clock.now()
              reject(signal.reason)
            }),
          ),
      })
      const { session, clock } = await aCallWithTools(world, { book }, [[callTool('book')]])
      session.reply()
      await clock.elapse(100)
      const report = await session.close()
      expect([abortedAt, report.took]).toEqual([800, 700])
      expect(report.transcript).toMatchObject([{ result: { output: "'book' was cancelled" } }])
    }))

  it('[TL1] [CL10] that is shielded cannot speak in a closing session', () =>
    inVirtualTime(async (world) => {
      const errors: unknown[] = []
      const book = tool({
        description: 'Book',
        finishWithin: 2_000,
        run: async (_, context) => {
          await world.clock.elapse(500)
          errors.push((await context.say('Booked!').waitForPlayout()).error)
        },
      })
      const { session, clock, line } = await aCallWithTools(world, { book }, [[callTool('book')]])
      session.reply()
      await clock.elapse(100)
      await session.close()
      expect(errors).toEqual([expect.any(SessionClosedError)])
      expect(line.playedTooLate).toEqual([])
    }))

  it('[TL1] goes on when the agent is interrupted, except with onInterrupt: cancel', () =>
    inVirtualTime(async (world) => {
      const aborted: Record<string, boolean> = {}
      const wait = (onInterrupt: 'keep' | 'cancel') =>
        tool({
          description: 'Wait',
          onInterrupt,
          run: async (_, { signal, name }) => {
            await world.clock.elapse(1_000)
            aborted[name] = signal.aborted
            return 'done'
          },
        })
      const { session, clock, late } = await aCallWithTools(
        world,
        { kept: wait('keep'), cut: wait('cancel') },
        [['One moment please. ', callTool('kept'), callTool('cut')]],
      )
      session.reply()
      await clock.elapse(200)
      session.interrupt()
      expect(said(session).slice(1)).toEqual(['kept → …', "cut → 'cut' was cancelled"])
      await clock.elapse(2_000)
      expect(aborted).toEqual({ kept: false, cut: true })
      expect(said(session).slice(1)).toEqual(['kept → done', "cut → 'cut' was cancelled"])
      expect(late).toMatchObject([{ name: 'cut', outcome: 'ended', value: 'done', at: 800 }])
      await session.close()
    }))

  it('[TL1] can close the session, which does not wait for it', () =>
    inVirtualTime(async (world) => {
      const reports: unknown[] = []
      const end = tool({
        description: 'End the call',
        run: async (_, { close }) => {
          reports.push(await close({ reason: 'agent-hung-up' }))
          await never()
        },
      })
      const { session, clock, reports: closed } = await aCallWithTools(world, { end }, [[callTool('end')]])
      session.reply()
      await clock.elapse(100)
      expect(session.state).toBe('closed')
      expect(closed).toMatchObject([{ reason: 'agent-hung-up', took: 0 }])
      expect(reports).toEqual(closed)
    }))
})

describe('a running tool', () => {
  it('[TL1] that takes long has its filler said, after the words before the tool', () =>
    inVirtualTime(async (world) => {
      const filled = (takes: number) =>
        tool({
          description: 'Filled',
          filler: { say: 'One moment. ', after: 500 },
          run: () => world.clock.elapse(takes),
        })
      const { session, line } = await aCallWithTools(world, { quick: filled(400), slow: filled(4_000) }, [
        ['I look it up for you now. ', callTool('quick')],
        ['And again, for somebody else. ', callTool('slow')],
        'Done.',
      ])
      await session.reply().waitForPlayout()
      expect(line.heardText).toBe('I look it up for you now. And again, for somebody else. One moment. Done.')
      await session.close()
    }))

  it('[SP6] has its filler in the history before the words after the tool, even if the voice is slow', () =>
    inVirtualTime(async (world) => {
      const filled = tool({
        description: 'Filled',
        filler: { say: 'One moment. ', after: 500 },
        run: () => world.clock.elapse(700),
      })
      const { session, line } = await aCallWithTools(world, { filled }, [[callTool('filled')], 'Done.'], {
        tts: { firstAfter: 1_000 },
      })
      await session.reply().waitForPlayout()
      expect(line.heardText).toBe('One moment. Done.')
      expect(said(session).filter((each) => each.startsWith('agent'))).toEqual([
        'agent: One moment. ',
        'agent: Done.',
      ])
      await session.close()
    }))

  it('[TL1] can report progress and speak', () =>
    inVirtualTime(async (world) => {
      const events: unknown[] = []
      const work = tool({
        description: 'Work',
        run: async (_, { progress, say, id }) => {
          progress('half')
          await say('Half way. ').waitForPlayout()
          return id
        },
      })
      const { session, line } = await aCallWithTools(world, { work }, [[callTool('work', { a: 1 })], 'Done.'])
      session.on('tool', (event) => events.push(event))
      session.on('progress', (event) => events.push(event))
      session.on('tool-done', (event) => events.push(event))
      await session.reply().waitForPlayout()
      const { id } = session.history.items[0]!
      expect(events).toEqual([
        { id, name: 'work', input: '{"a":1}' },
        { id, name: 'work', update: 'half' },
        { id, name: 'work', outcome: { output: id, failed: false, value: id } },
      ])
      expect(line.heardText).toBe('Half way. Done.')
      await session.close()
    }))
})
