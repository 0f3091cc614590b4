import { describe, expect, it } from 'vitest'
import { Agent, AgentTask, tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, expectEnded, never, said } from '../fixture.ts'
import { aNumberTask } from './number-task.ts'

describe('a nested task', () => {
  it('[AG5] returns its result to the tool that runs it, and the previous agent takes over again', () =>
    inVirtualTime(async (world) => {
      const results: number[] = []
      const call = aCall(world, {
        answers: [[callTool('ask')], [callTool('save', { number: 12 })], 'Twelve it is.'],
        agent: {
          tools: {
            ask: tool({
              description: 'Asks',
              timeout: 60_000,
              run: async (_, { run }) => {
                const result: number = await run(aNumberTask())
                results.push(result)
                return result
              },
            }),
          },
        },
      })
      await call.session.start()
      call.caller.types('Ask me.')
      await call.caller.hears('Which number?')
      await world.clock.elapse(100)
      call.caller.types('Twelve.')
      await call.caller.hears('Twelve it is.')
      await world.clock.elapse(500)
      expect(results).toEqual([12])
      expect(call.llm.requests.map(({ instructions }) => instructions)).toEqual([
        'You answer the phone.',
        'Ask for a number.',
        'You answer the phone.',
      ])
      expect(said(call.session)).toEqual([
        'user: Ask me.',
        'ask → 12',
        'agent: Which number?',
        'user: Twelve.',
        'save → done',
        'agent: Twelve it is.',
      ])
      expect((await call.session.close()).clean).toBe(true)
      expectEnded(call)
    }))

  it('[AG5] [CL11] is rejected once when the session closes, the innermost task first', () =>
    inVirtualTime(async (world) => {
      const order: string[] = []
      const chain = (depth: number): AgentTask<string> =>
        new AgentTask<string>({
          name: `task ${depth}`,
          instructions: `${depth}`,
          onExit: () => order.push(`task ${depth} leaves`),
          tools: () => ({
            deeper: tool({
              description: 'Goes deeper',
              timeout: 60_000,
              run: async (_, { run }) => {
                try {
                  return await run(chain(depth + 1))
                } catch (error) {
                  order.push(`task ${depth + 1} ends with ${(error as Error).name}`)
                  throw error
                }
              },
            }),
          }),
        })
      const call = aCall(world, {
        answers: [
          [callTool('deeper', { a: 0 })],
          [callTool('deeper', { a: 1 })],
          [callTool('deeper', { a: 2 })],
        ],
        agent: {
          onExit: () => order.push('desk leaves'),
          tools: {
            deeper: tool({
              description: 'Goes deeper',
              timeout: 60_000,
              run: (_, { run }) => run(chain(1)),
            }),
          },
        },
      })
      await call.session.start()
      for (const word of ['one', 'two', 'three']) {
        call.caller.types(word)
        await world.clock.elapse(100)
      }
      const report = await call.session.close()
      expect(order).toEqual([
        'task 3 leaves',
        'task 2 leaves',
        'task 1 leaves',
        'desk leaves',
        'task 3 ends with SessionClosedError',
        'task 2 ends with SessionClosedError',
      ])
      expect(report.took).toBe(0)
      expectEnded(call)
    }))

  it('[AG5] [CL13] that the caller hangs up on is cancelled, and the close is clean', () =>
    inVirtualTime(async (world) => {
      const question = new AgentTask<string>({ name: 'question', instructions: 'Ask.', tools: () => ({}) })
      const call = aCall(world, {
        answers: [[callTool('ask')]],
        agent: {
          tools: {
            ask: tool({ description: 'Asks', timeout: 60_000, run: (_, { run }) => run(question) }),
          },
        },
      })
      await call.session.start()
      call.caller.types('Hello')
      await world.clock.elapse(100)
      call.caller.hangsUp()
      const report = await call.session.closed
      expect(report).toMatchObject({ reason: 'caller-hung-up', clean: true })
      expectEnded(call)
    }))

  it('[CL11] unwinds even if tasks run each other in a cycle and their hooks hang', () =>
    inVirtualTime(async (world) => {
      let exits = 0
      const ping: AgentTask<void> = new AgentTask<void>({
        name: 'ping',
        instructions: 'ping',
        onExit: () => {
          exits++
          return never()
        },
        tools: () => ({
          again: tool({ description: 'Again', timeout: 60_000, run: (_, { run }) => run(ping) }),
        }),
      })
      const call = aCall(world, {
        answers: [1, 2, 3, 4].map((a) => [callTool('again', { a })]),
        agent: {
          tools: { again: tool({ description: 'Again', timeout: 60_000, run: (_, { run }) => run(ping) }) },
        },
      })
      await call.session.start()
      for (let depth = 0; depth < 4; depth++) {
        call.caller.types('again')
        await world.clock.elapse(100)
      }
      await call.session.close()
      expect(exits).toBe(4)
      expect(expectEnded(call).took).toBeLessThanOrEqual(5_000)
    }))

  it('[CL11] [CL10] that is run at the moment of closing is rejected', () =>
    inVirtualTime(async (world) => {
      const errors: unknown[] = []
      const call = aCall(world, {
        answers: [[callTool('ask')]],
        agent: {
          tools: {
            ask: tool({
              description: 'Asks',
              finishWithin: 2_000,
              run: (_, { run }) => {
                const result = run(aNumberTask()).catch((error: unknown) => errors.push(error))
                call.session.close().catch(() => {})
                return result
              },
            }),
          },
        },
      })
      await call.session.start()
      call.caller.types('Ask me.')
      await call.session.afterCall
      await world.clock.elapse(100)
      expect(errors).toMatchObject([{ code: 'SESSION_CLOSED' }])
      expect(expectEnded(call).took).toBe(0)
    }))

  it('[AG5] ends with the tool that runs it, and the previous agent takes over again', () =>
    inVirtualTime(async (world) => {
      const left: string[] = []
      const call = aCall(world, {
        answers: [[callTool('ask')], 'Sorry, that took too long.', 'Yes?'],
        agent: {
          tools: {
            ask: tool({
              description: 'Asks',
              timeout: 5_000,
              run: (_, { run }) => run(aNumberTask({ onExit: () => left.push('number') })),
            }),
          },
        },
      })
      await call.session.start()
      call.caller.types('Ask me.')
      await call.caller.hears('Sorry, that took too long.')
      expect(left).toEqual(['number'])
      await world.clock.elapse(500)
      call.caller.types('Hello?')
      await call.caller.hears('Yes?')
      expect(call.llm.requests.map(({ instructions }) => instructions)).toEqual([
        'You answer the phone.',
        'You answer the phone.',
        'You answer the phone.',
      ])
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG5] can hand over to another agent, which returns the result', () =>
    inVirtualTime(async (world) => {
      const results: unknown[] = []
      const task = new AgentTask<string>({
        name: 'first',
        instructions: 'first',
        tools: (done) => ({
          pass: tool({
            description: 'Passes on',
            run: () =>
              new Agent({
                name: 'second',
                instructions: 'second',
                tools: { save: tool({ description: 'Saves', run: () => done('saved') }) },
              }),
          }),
        }),
      })
      const call = aCall(world, {
        answers: [[callTool('ask')], [callTool('pass')], [callTool('save')], 'Done.'],
        agent: {
          tools: {
            ask: tool({
              description: 'Asks',
              timeout: 60_000,
              run: async (_, { run }) => results.push(await run(task)),
            }),
          },
        },
      })
      await call.session.start()
      for (const word of ['one', 'two', 'three']) {
        call.caller.types(word)
        await world.clock.elapse(100)
      }
      await call.caller.hears('Done.')
      expect(results).toEqual(['saved'])
      expect(call.llm.requests.map(({ instructions }) => instructions)).toEqual([
        'You answer the phone.',
        'first',
        'second',
        'You answer the phone.',
      ])
      await call.session.close()
      expectEnded(call)
    }))
})
