import { llm } from '@livekit/agents'
import { callTool } from '../../../src/testing/index.ts'
import type { Case } from '../case.ts'
import { elapse, ours } from '../ours.ts'
import { agentWith, theirs } from './desk.ts'

const callsTool = { llm: { answers: () => [callTool('lookup')] } }
const unfair = 'the tool ignores its signal'

/** Closed while a tool runs, or a stage of a turn. */
export const toolsAndTurns: readonly Case[] = [
  {
    name: 'tool-ignores-signal',
    about: 'a tool runs, and does not stop when its signal aborts',
    unfair,
    shows: ['hangs', 'no event', 'socket left'],
    short: true,
    theirs: theirs({
      llm: { calls: 'lookup' },
      agent: (desk) => agentWith({}, { tools: [desk.stuckTool()] }),
      arrive: (desk) => desk.asksInVain(),
    }),
    ours: ours({ ...callsTool, arrive: (desk) => desk.asksInVain() }),
  },
  {
    name: 'cancellable-tool-ignores-signal',
    about: 'the same, of a tool that is flagged to be cancellable',
    unfair,
    shows: ['process stays'],
    theirs: theirs({
      llm: { calls: 'lookup' },
      agent: (desk) => agentWith({}, { tools: [desk.stuckTool(llm.ToolFlag.CANCELLABLE)] }),
      arrive: (desk) => desk.asksInVain(),
    }),
    ours: ours({ ...callsTool, arrive: (desk) => desk.asksInVain() }),
  },
  {
    name: 'tool-ignores-signal-then-drain',
    about: 'the same, ended by shutdown(), and then by close()',
    unfair,
    shows: ['hangs', 'no event', 'socket left'],
    theirs: theirs({
      llm: { calls: 'lookup' },
      agent: (desk) => agentWith({}, { tools: [desk.stuckTool()] }),
      arrive: (desk) => desk.asksInVain(),
      end: ({ session }) => {
        session.shutdown()
        return session.close()
      },
    }),
    ours: ours({
      ...callsTool,
      arrive: (desk) => desk.asksInVain(),
      end: ({ session }) => {
        session.drain().catch(() => {})
        return session.close()
      },
    }),
  },
  {
    name: 'llm-stage-never-settles',
    about: 'llmNode of the agent never returns',
    shows: [],
    theirs: theirs({
      agent: (desk) => agentWith({ llmNode: desk.stuck }),
      arrive: (desk) => desk.asksInVain(),
    }),
    ours: ours({
      faults: { 'task:reply 1': 'hang' },
      arrive: (desk) => desk.asks().then(() => elapse(100)),
    }),
  },
  {
    name: 'transcript-stage-never-settles',
    about: 'transcriptionNode of the agent never returns',
    shows: [],
    theirs: theirs({
      agent: (desk) => agentWith({ transcriptionNode: desk.stuck }),
      arrive: (desk) => desk.asksInVain(),
    }),
    ours: ours({
      faults: { 'task:turn 1': 'hang' },
      arrive: async (desk) => {
        await desk.start()
        desk.line.caller.types('Hello?')
        await elapse(100)
      },
    }),
  },
  {
    name: 'turn-hook-never-returns',
    about: 'onUserTurnCompleted of the agent never returns',
    shows: ['hangs', 'no event', 'socket left'],
    theirs: theirs({
      stt: { hears: 'Hello?' },
      agent: (desk) => agentWith({ onUserTurnCompleted: desk.stuck }),
      arrive: async (desk) => {
        await desk.start()
        await elapse(200)
        desk.session.commitUserTurn()
        await desk.reached
      },
    }),
    ours: ours({
      agent: (desk) => ({ onTurn: desk.stuck }),
      arrive: async (desk) => {
        await desk.start()
        desk.line.caller.types('Hello?')
        await desk.reached
      },
    }),
  },
]
