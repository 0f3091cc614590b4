import { voice } from '@livekit/agents'
import { Agent, tool } from '../../../src/session/index.ts'
import { callTool } from '../../../src/testing/index.ts'
import type { Case } from '../case.ts'
import { ours } from '../ours.ts'
import { agentWith, theirs } from './livekit-subject.ts'

const fails = (): never => {
  throw new Error('the hook failed')
}

/** Hooks of agents, and listeners. */
export const hooks: readonly Case[] = [
  {
    name: 'healthy',
    about: 'nothing misbehaves',
    shows: ['process stays'],
    theirs: theirs(),
    ours: ours(),
  },
  {
    name: 'exit-hook-never-returns',
    about: 'the exit hook of the agent never returns',
    shows: ['hangs', 'no event', 'socket left'],
    short: true,
    theirs: theirs({ agent: (subject) => agentWith({ onExit: subject.stuck }) }),
    ours: ours({ agent: (subject) => ({ onExit: subject.stuck }) }),
  },
  {
    name: 'enter-hook-never-returns',
    about: 'the enter hook of the agent never returns',
    shows: ['hangs', 'no event', 'socket left'],
    theirs: theirs({
      agent: (subject) => agentWith({ onEnter: subject.stuck }),
      arrive: (subject) => subject.start().then(() => subject.reached),
    }),
    ours: ours({
      agent: (subject) => ({ onEnter: subject.stuck }),
      arrive: (subject) => subject.start().then(() => subject.reached),
    }),
  },
  {
    name: 'exit-hook-throws',
    about: 'the exit hook of the agent throws',
    shows: ['process stays'],
    theirs: theirs({ agent: () => agentWith({ onExit: async () => fails() }) }),
    ours: ours({ agent: () => ({ onExit: fails }) }),
  },
  {
    name: 'closed-listener-throws',
    about: 'a listener of the close event throws',
    shows: ['rejects', 'no event'],
    theirs: theirs({
      arrive: async (subject) => {
        await subject.start()
        subject.session.on(voice.AgentSessionEventTypes.Close, fails)
      },
    }),
    ours: ours({
      arrive: async (subject) => {
        await subject.start()
        subject.session.on('closed', fails)
      },
    }),
  },
  {
    name: 'handoff-exit-hook-stuck',
    about: 'closed during a handoff, while the exit hook of the first agent never returns',
    shows: ['hangs', 'no event', 'socket left'],
    theirs: theirs({
      agent: (subject) => agentWith({ onExit: subject.stuck }),
      arrive: async (subject) => {
        await subject.start()
        subject.session.updateAgent(agentWith({}))
        await subject.reached
      },
    }),
    ours: ours({
      llm: { answers: () => [callTool('transfer')] },
      agent: (subject) => ({ onExit: subject.stuck, tools: { transfer } }),
      arrive: (subject) => subject.asksAndHangs(),
    }),
  },
]

const transfer = tool({
  description: 'To billing',
  run: () => new Agent({ name: 'billing', instructions: 'You do the bills.' }),
})
