import { voice } from '@livekit/agents'
import { Agent, tool } from '../../../src/session/index.ts'
import { callTool } from '../../../src/testing/index.ts'
import type { Case } from '../case.ts'
import { ours } from '../ours.ts'
import { agentWith, theirs } from './desk.ts'

const fails = (): never => {
  throw new Error('of the hook')
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
    theirs: theirs({ agent: (desk) => agentWith({ onExit: desk.stuck }) }),
    ours: ours({ agent: (desk) => ({ onExit: desk.stuck }) }),
  },
  {
    name: 'enter-hook-never-returns',
    about: 'the enter hook of the agent never returns',
    shows: ['hangs', 'no event', 'socket left'],
    theirs: theirs({
      agent: (desk) => agentWith({ onEnter: desk.stuck }),
      arrive: (desk) => desk.start().then(() => desk.reached),
    }),
    ours: ours({
      agent: (desk) => ({ onEnter: desk.stuck }),
      arrive: (desk) => desk.start().then(() => desk.reached),
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
      arrive: async (desk) => {
        await desk.start()
        desk.session.on(voice.AgentSessionEventTypes.Close, fails)
      },
    }),
    ours: ours({
      arrive: async (desk) => {
        await desk.start()
        desk.session.on('closed', fails)
      },
    }),
  },
  {
    name: 'handoff-exit-hook-stuck',
    about: 'closed while one agent hands over to another, and its exit hook never returns',
    shows: ['hangs', 'no event', 'socket left'],
    theirs: theirs({
      agent: (desk) => agentWith({ onExit: desk.stuck }),
      arrive: async (desk) => {
        await desk.start()
        desk.session.updateAgent(agentWith({}))
        await desk.reached
      },
    }),
    ours: ours({
      llm: { answers: () => [callTool('transfer')] },
      agent: (desk) => ({ onExit: desk.stuck, tools: { transfer } }),
      arrive: (desk) => desk.asksInVain(),
    }),
  },
]

const transfer = tool({
  description: 'To billing',
  run: () => new Agent({ name: 'billing', instructions: 'You do the bills.' }),
})
