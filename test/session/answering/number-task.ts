import { AgentTask, tool } from '../../../src/session/index.ts'

/** A task that asks for a number, which its tool returns. */
export const aNumberTask = (options: { onExit?: () => unknown } = {}) =>
  new AgentTask<number>({
    name: 'number',
    instructions: 'Ask for a number.',
    onEnter: ({ session }) => void session.say('Which number?'),
    tools: (done) => ({
      save: tool({ description: 'Saves', run: ({ number }) => done(Number(number)) }),
    }),
    ...options,
  })
