import { initializeLogger, llm, voice } from '@livekit/agents'
import { noop } from '../../../src/scope/index.ts'
import type { Toolset } from '../../../src/session/index.ts'
import type { Case } from '../case.ts'
import { elapse, ours, type OurSubject } from '../ours.ts'
import { agentWith, theirs, type LiveKitSubject } from './livekit-subject.ts'
import { FakeRoom } from './fake-room.ts'
import { FakeStt } from './fake-stt.ts'
import { closedBy } from './races.ts'
import { never } from './sockets.ts'

const stuckToolset = (): llm.Toolset => llm.Toolset.create({ id: 'crm', tools: [], aclose: () => never() })

const ourStuckToolset: Toolset = {
  name: 'crm',
  open: async ({ scope }) => {
    scope.own('crm', { close: () => new Promise(() => {}), abort() {} })
    return {}
  },
}

const rooms = new WeakMap<LiveKitSubject, FakeRoom>()
const roomOf = (subject: LiveKitSubject, options?: ConstructorParameters<typeof FakeRoom>[0]): FakeRoom => {
  const room = rooms.get(subject) ?? new FakeRoom(options)
  rooms.set(subject, room)
  return room
}

const hangsUp = ({ session, line }: OurSubject): Promise<unknown> => {
  const closed = new Promise((resolve) => session.on('closed', resolve))
  line.caller.hangsUp()
  return closed
}

/** Toolsets, the room and the host of a session. */
export const surroundings: readonly Case[] = [
  {
    name: 'agent-toolset-close-hangs',
    about: 'the close of a toolset of the agent never settles',
    shows: ['hangs', 'no event'],
    theirs: theirs({ agent: () => agentWith({}, { tools: [stuckToolset()] }) }),
    ours: ours({ agent: () => ({ toolsets: [ourStuckToolset] }) }),
  },
  {
    name: 'session-toolset-close-hangs',
    about: 'the close of a toolset of the session never settles',
    shows: ['hangs', 'no event'],
    theirs: theirs({ session: () => ({ tools: [stuckToolset()] }) }),
    ours: ours({ agent: () => ({ toolsets: [ourStuckToolset] }) }),
  },
  {
    name: 'participant-gone',
    about: 'the caller leaves the room, and the framework closes the session',
    shows: ['process stays'],
    theirs: theirs({
      room: (subject) => roomOf(subject),
      arrive: (subject) => subject.start().then(() => elapse(200)),
      end: (subject) => closedBy(subject, () => roomOf(subject).callerLeaves()),
    }),
    ours: ours({ end: hangsUp }),
  },
  {
    name: 'participant-gone-with-stuck-hook',
    about: 'the caller leaves the room, the framework closes the session, and the exit hook never returns',
    shows: ['hangs', 'no event', 'socket left'],
    short: true,
    theirs: theirs({
      room: (subject) => roomOf(subject),
      agent: (subject) => agentWith({ onExit: subject.stuck }),
      arrive: (subject) => subject.start().then(() => elapse(200)),
      end: (subject) => closedBy(subject, () => roomOf(subject).callerLeaves()),
    }),
    ours: ours({ agent: (subject) => ({ onExit: subject.stuck }), end: hangsUp }),
  },
  {
    name: 'example-of-the-docs',
    about: 'the program of docs/guard.md, with an exit hook that never returns',
    shows: ['hangs', 'no event', 'socket left'],
    theirs: async (context) => {
      initializeLogger({ pretty: false, level: 'silent' })
      const agent = agentWith({ onExit: () => never() })
      const models = { stt: new FakeStt({ url: `${context.ws}/stt` }), vad: null }
      // Not loaded in the plain column, because it installs the hooks of the guard.
      const program = context.column === 'guarded' ? await import('./example.ts') : undefined
      const session = program ? await program.answer(agent, models) : new voice.AgentSession(models)
      if (!program) await session.start({ agent })
      await context.seen({ open: 1 })
      return {
        close: () => session.close(),
        onClosed: (listener) => session.on(voice.AgentSessionEventTypes.Close, listener),
      }
    },
    ours: ours({ agent: (subject) => ({ onExit: subject.stuck }) }),
  },
  {
    name: 'room-close-hangs',
    about: 'sending a transcript to the room never settles',
    ourFault: 'the line never closes',
    shows: ['hangs'],
    theirs: theirs({
      stt: { hears: 'Hello?' },
      room: (subject) => roomOf(subject, { streamText: subject.stuck }),
      arrive: (subject) => subject.start().then(() => subject.reached),
    }),
    ours: ours({ faults: { 'close:line': 'hang' } }),
  },
  {
    name: 'host-close-hangs',
    about: 'the transport to the console never closes',
    ourFault: 'a listener of the close event never returns',
    shows: ['hangs'],
    theirs: theirs({
      arrive: (subject) => {
        attachConsole()
        return subject.start()
      },
    }),
    ours: ours({
      arrive: async (subject) => {
        await subject.start()
        subject.session.on('closed', () => new Promise(noop))
      },
    }),
  },
]

/** Attaches a console to `AgentsConsole` whose transport never closes. */
function attachConsole(): void {
  class Stuck extends voice.SessionTransport {
    override async start(): Promise<void> {}
    override async sendMessage(): Promise<void> {}
    override close(): Promise<void> {
      return never()
    }
    override [Symbol.asyncIterator](): AsyncIterator<never> {
      return { next: () => never() }
    }
  }
  Object.assign(voice.AgentsConsole.getInstance(), { enabled: true, transport: new Stuck() })
}
