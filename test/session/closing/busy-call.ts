import { tool, type AgentOptions } from '../../../src/session/index.ts'
import { callTool, type Fault, type World } from '../../../src/testing/index.ts'
import { aCall, type CallOptions } from '../fixture.ts'

/** Call options with an agent given by its options, so that more can be added. */
type PlainOptions = Omit<CallOptions, 'agent'> & { agent?: Partial<AgentOptions> }

/** A session in which everything is in progress: the agent speaks, a tool runs, the user talks, and there are hooks. */
export async function aBusyCall(
  world: World,
  options: PlainOptions = {},
  fault?: [step: string, fault: Fault],
) {
  const { agent, ...rest } = options
  const call = aCall(world, {
    answers: [['One moment, I will look that up for you. ', callTool('look')], 'Never said.'],
    stt: { finalAfter: 300 },
    ...rest,
    agent: {
      onExit: () => {},
      tools: {
        look: tool({
          description: 'Looks',
          timeout: 60_000,
          run: (_, { signal }) =>
            new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        }),
      },
      ...agent,
    },
  })
  await call.session.start()
  if (fault) call.faults.set(...fault)
  call.caller.types('When can I come?')
  await world.clock.elapse(500)
  call.caller.says('and one more thing').catch(() => {})
  await world.clock.elapse(400)
  return call
}
