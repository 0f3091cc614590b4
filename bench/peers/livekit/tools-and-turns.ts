import { llm } from '@livekit/agents'
import { callTool } from '../../../src/testing/index.ts'
import type { Case } from '../case.ts'
import { elapse, ours } from '../ours.ts'
import { agentWith, theirs } from './livekit-subject.ts'

const callsTool = { llm: { answers: () => [callTool('lookup')] } }
const unfair = 'the tool ignores its signal'

/** Closed while a tool or a stage of a turn is running. */
export const toolsAndTurns: readonly Case[] = [
  {
    name: 'tool-ignores-signal',
    about: 'a tool is running and does not stop when its signal aborts',
    unfair,
    shows: ['hangs', 'no event', 'socket left'],
    short: true,
    theirs: theirs({
      llm: { calls: 'lookup' },
      agent: (subject) => agentWith({}, { tools: [subject.stuckTool()] }),
      arrive: (subject) => subject.asksAndHangs(),
    }),
    ours: ours({ ...callsTool, arrive: (subject) => subject.asksAndHangs() }),
  },
  {
    name: 'cancellable-tool-ignores-signal',
    about: 'the same, with a tool that is flagged as cancellable',
    unfair,
    shows: ['process stays'],
    theirs: theirs({
      llm: { calls: 'lookup' },
      agent: (subject) => agentWith({}, { tools: [subject.stuckTool(llm.ToolFlag.CANCELLABLE)] }),
      arrive: (subject) => subject.asksAndHangs(),
    }),
    ours: ours({ ...callsTool, arrive: (subject) => subject.asksAndHangs() }),
  },
  {
    name: 'tool-ignores-signal-then-drain',
    about: 'the same, ended by shutdown() and then by close()',
    unfair,
    shows: ['hangs', 'no event', 'socket left'],
    theirs: theirs({
      llm: { calls: 'lookup' },
      agent: (subject) => agentWith({}, { tools: [subject.stuckTool()] }),
      arrive: (subject) => subject.asksAndHangs(),
      end: ({ session }) => {
        session.shutdown()
        return session.close()
      },
    }),
    ours: ours({
      ...callsTool,
      arrive: (subject) => subject.asksAndHangs(),
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
      agent: (subject) => agentWith({ llmNode: subject.stuck }),
      arrive: (subject) => subject.asksAndHangs(),
    }),
    ours: ours({
      faults: { 'task:reply 1': 'hang' },
      arrive: (subject) => subject.asks().then(() => elapse(100)),
    }),
  },
  {
    name: 'transcript-stage-never-settles',
    about: 'transcriptionNode of the agent never returns',
    shows: [],
    theirs: theirs({
      agent: (subject) => agentWith({ transcriptionNode: subject.stuck }),
      arrive: (subject) => subject.asksAndHangs(),
    }),
    ours: ours({
      faults: { 'task:turn 1': 'hang' },
      arrive: async (subject) => {
        await subject.start()
        subject.line.caller.types('Hello?')
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
      agent: (subject) => agentWith({ onUserTurnCompleted: subject.stuck }),
      arrive: async (subject) => {
        await subject.start()
        await elapse(200)
        subject.session.commitUserTurn()
        await subject.reached
      },
    }),
    ours: ours({
      agent: (subject) => ({ onTurn: subject.stuck }),
      arrive: async (subject) => {
        await subject.start()
        subject.line.caller.types('Hello?')
        await subject.reached
      },
    }),
  },
]
