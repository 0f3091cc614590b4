import { describe, expect, it } from 'vitest'
import { tool } from '../../../src/session/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, aPromise, expectEnded, said } from '../fixture.ts'
import { aBusyCall } from './busy-call.ts'

describe('a session that is closed from the inside', () => {
  it.each(['enter', 'exit', 'turn'] as const)('[CL1] by its %s hook does not wait for the hook', (which) =>
    inVirtualTime(async (world) => {
      const closed: unknown[] = []
      const hook = async ({ close }: { close: () => Promise<unknown> }): Promise<void> => {
        closed.push(await close())
      }
      const call = aCall(world, {
        answers: ['Fine.'],
        agent:
          which === 'enter'
            ? { onEnter: hook }
            : which === 'exit'
              ? { onExit: hook }
              : { onTurn: (_, context) => hook(context) },
      })
      await call.session.start().catch(() => {})
      if (which === 'exit') call.session.close().catch(() => {})
      if (which === 'turn') call.caller.types('Bye.')
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({ took: 0, clean: true })
      expect(closed).toEqual(call.reports)
      if (which === 'turn') expect(said(call.session)).toEqual(['user: Bye.'])
    }),
  )

  it('[CL1] abandons a hook that awaits session.close(), and thus itself', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { agent: { onEnter: async ({ session }) => void (await session.close()) } })
      await call.session.start().catch(() => {})
      await call.session.afterCall
      expect(expectEnded(call).clean).toBe(false)
    }))

  it('[CL1] by a tool does not wait for the tool', () =>
    inVirtualTime(async (world) => {
      const after = aPromise<unknown>()
      const call = await aBusyCall(world, {
        agent: {
          tools: {
            look: tool({
              description: 'Ends the call',
              run: async (_, { close }) => after.resolve(await close({ by: 'the tool' })),
            }),
          },
        },
      })
      const report = await after.promise
      expect(expectEnded(call)).toBe(report)
      expect(call.reports[0]).toMatchObject({ by: 'the tool', clean: true })
    }))
})
