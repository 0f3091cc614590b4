import { describe, expect, it } from 'vitest'
import { tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, aLogger, never } from '../fixture.ts'

describe('the log of a tool that fails', () => {
  it('has no warning if the tool was cancelled', () =>
    inVirtualTime(async (world) => {
      const { logger, lines } = aLogger()
      const call = aCall(world, {
        logger,
        answers: [[callTool('look')]],
        agent: { tools: { look: tool({ description: 'Looks', run: never }) } },
      })
      await call.session.start()
      call.caller.types('Look!')
      await world.clock.elapse(100)
      call.caller.hangsUp()
      await call.session.afterCall
      const logged = lines.filter(({ fields }) => fields['tool'] === 'look')
      expect(logged.map(({ level, message }) => `${level} ${message}`)).toEqual(['info a tool was cancelled'])
    }))

  it('has a warning with the error', () =>
    inVirtualTime(async (world) => {
      const { logger, lines } = aLogger()
      const error = new TypeError('no such calendar')
      const call = aCall(world, {
        logger,
        answers: [[callTool('book'), callTool('look')], 'Sorry.'],
        agent: {
          tools: {
            book: tool({
              description: 'Books',
              run: () => {
                throw error
              },
            }),
            look: tool({ description: 'Looks', run: () => 'free' }),
          },
        },
      })
      await call.session.start()
      call.caller.types('Book!')
      await call.caller.hears('Sorry.')
      const logged = lines.filter(({ message }) => message === 'a tool failed')
      expect(logged).toEqual([
        { level: 'warn', message: 'a tool failed', fields: { session: 'test', tool: 'book', error } },
      ])
      await call.session.close()
    }))
})
