import { tool } from '../../../src/session/index.ts'
import { callTool, type World } from '../../../src/testing/index.ts'
import { aCall, type CallOptions } from '../fixture.ts'

/** A call in which the agent is using a tool that takes `ms`, and will then answer. */
export async function aCallWithTool(
  world: World,
  ms: number,
  options: CallOptions & { timeout?: number } = {},
) {
  const { timeout = 60_000, ...rest } = options
  const call = aCall(world, {
    answers: [['Let me look. ', callTool('look')], 'It is free.'],
    agent: {
      tools: {
        look: tool({
          description: 'Looks',
          timeout,
          run: (_, { signal }) =>
            new Promise((resolve, reject) => {
              world.clock.happen(ms, 'the calendar answers', () => resolve('free'))
              signal.addEventListener('abort', () => reject(signal.reason))
            }),
        }),
      },
    },
    ...rest,
  })
  await call.session.start()
  call.caller.types('Is Monday free?')
  await world.clock.elapse(100)
  return call
}

export const fullConversation = [
  'user: Is Monday free?',
  'agent: Let me look. ',
  'look → free',
  'agent: It is free.',
]
