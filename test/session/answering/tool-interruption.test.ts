import { describe, expect, it } from 'vitest'
import { tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../../src/testing/index.ts'
import { never, said } from '../fixture.ts'
import { aCallWithTools } from './tool-fixture.ts'

describe('a tool that is running at an interruption', () => {
  const slow = (world: World) =>
    tool({
      description: 'Slow',
      timeout: 60_000,
      run: async () => {
        await world.clock.elapse(3_000)
        return 'the result'
      },
    })

  it('[TL4] adds its result to the history, unspoken', () =>
    inVirtualTime(async (world) => {
      const { session, llm, line, clock } = await aCallWithTools(world, { slow: slow(world) }, [
        ['Let me look. ', callTool('slow')],
        'Never said.',
      ])
      const reply = session.reply()
      await clock.elapse(400)
      session.interrupt()
      expect(await reply.finished).toEqual({ how: 'interrupted' })
      await clock.elapse(5_000)
      expect(said(session)).toEqual(['agent: Let me —', 'slow → the result'])
      expect(llm.requests).toHaveLength(1)
      expect(line.heardText).toBe('Let me l')
      await session.close()
    }))

  it('[TL4] adds its result to the history even if it returns just before or exactly at the interruption', async () => {
    for (const at of [2_990, 3_000])
      await inVirtualTime(async (world) => {
        const { session, clock } = await aCallWithTools(
          world,
          { slow: slow(world) },
          [
            ['One. ', callTool('slow')],
            [{ wait: 500 }, 'Never said.'],
          ],
          {},
        )
        session.reply()
        await clock.elapse(at)
        session.interrupt()
        await clock.elapse(5_000)
        expect(said(session)).toEqual(['agent: One. ', 'slow → the result'])
        await session.close()
      })
  })

  it('[TL9] does not delay the next turn, and the model reads that it is still running', () =>
    inVirtualTime(async (world) => {
      const { session, caller, llm, clock } = await aCallWithTools(world, { slow: slow(world) }, [
        ['Let me look. ', callTool('slow')],
        'We close at six.',
        'As I said.',
      ])
      caller.types('Is Monday free?')
      await clock.elapse(1_000)
      caller.types('When do you close?')
      await caller.hears('We close at six.')
      expect(clock.now()).toBeLessThan(2_000)
      expect(llm.requests[1]?.messages.at(-2)).toMatchObject({ role: 'tool-result', output: 'still running' })
      await clock.elapse(3_000)
      caller.types('And Monday?')
      await caller.hears('As I said.')
      expect(llm.requests[2]?.messages).toContainEqual(
        expect.objectContaining({ role: 'tool-result', output: 'the result', failed: false }),
      )
      expect(said(session).filter((line) => line.startsWith('user'))).toEqual([
        'user: Is Monday free?',
        'user: When do you close?',
        'user: And Monday?',
      ])
      await session.close()
    }))

  it('[TL9] does not delay the next turn even if it never returns', () =>
    inVirtualTime(async (world) => {
      const stuck = tool({
        description: 'Never returns',
        timeout: 60_000,
        run: async (_, { waitForPlayout }) => {
          await waitForPlayout()
          await never()
        },
      })
      const { session, caller, clock } = await aCallWithTools(world, { stuck }, [
        ['Let me look that up, it will take me a while. ', callTool('stuck')],
        'We close at six.',
      ])
      caller.types('Is Monday free?')
      await clock.elapse(500)
      await caller.says('When do you close?')
      await caller.pauses(1_000)
      await caller.hears('We close at six.')
      const report = await session.close()
      expect(report.scope.clean).toBe(false)
      expect(report.took).toBeLessThan(5_000)
      expect(said(session).filter((line) => line.startsWith('user'))).toHaveLength(2)
    }))

  it('[TL9] does not say its filler in the next turn, whether or not the filler was due', async () => {
    for (const after of [100, 1_000])
      await inVirtualTime(async (world) => {
        const filler = { say: 'One moment.', after }
        const filled = tool({ description: 'Filled', filler, run: () => world.clock.elapse(3_000) })
        const { session, line, clock } = await aCallWithTools(world, { filled }, [
          ['Let me see. ', callTool('filled')],
        ])
        session.reply()
        await clock.elapse(500)
        session.interrupt()
        await clock.elapse(5_000)
        expect(line.heardText).toBe('Let me see')
        await session.close()
      })
  })
})

it('[TL9] a turn whose onTurn hook hangs is kept when the next turn arrives', () =>
  inVirtualTime(async (world) => {
    const { session, caller, clock } = await aCallWithTools(world, {}, ['Fine.'], {
      agent: { onTurn: (text) => (text === 'One' ? never() : undefined) },
    })
    caller.types('One')
    await clock.elapse(100)
    caller.types('Two')
    await caller.hears('Fine.')
    await clock.elapse(5_000)
    expect(said(session)).toEqual(['user: One', 'user: Two', 'agent: Fine.'])
    await session.close()
  }))
