import { initializeLogger, llm, voice } from '@livekit/agents'
import { noop } from '../../../src/scope/index.ts'
import type { Toolset } from '../../../src/session/index.ts'
import type { Case } from '../case.ts'
import { elapse, ours, type OurDesk } from '../ours.ts'
import { agentWith, theirs, type Desk } from './desk.ts'
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

const rooms = new WeakMap<Desk, FakeRoom>()
const roomOf = (desk: Desk, options?: ConstructorParameters<typeof FakeRoom>[0]): FakeRoom => {
  const room = rooms.get(desk) ?? new FakeRoom(options)
  rooms.set(desk, room)
  return room
}

const hangsUp = ({ session, line }: OurDesk): Promise<unknown> => {
  const closed = new Promise((resolve) => session.on('closed', resolve))
  line.caller.hangsUp()
  return closed
}

/** What stands around a session: toolsets, the room, the host. */
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
      room: (desk) => roomOf(desk),
      arrive: (desk) => desk.start().then(() => elapse(200)),
      end: (desk) => closedBy(desk, () => roomOf(desk).callerLeaves()),
    }),
    ours: ours({ end: hangsUp }),
  },
  {
    name: 'participant-gone-with-stuck-hook',
    about: 'the caller leaves the room, the framework closes the session, and the exit hook never returns',
    shows: ['hangs', 'no event', 'socket left'],
    short: true,
    theirs: theirs({
      room: (desk) => roomOf(desk),
      agent: (desk) => agentWith({ onExit: desk.stuck }),
      arrive: (desk) => desk.start().then(() => elapse(200)),
      end: (desk) => closedBy(desk, () => roomOf(desk).callerLeaves()),
    }),
    ours: ours({ agent: (desk) => ({ onExit: desk.stuck }), end: hangsUp }),
  },
  {
    name: 'example-of-the-docs',
    about: 'the program of docs/guard.md, with an exit hook that never returns',
    shows: ['hangs', 'no event', 'socket left'],
    theirs: async (stage) => {
      initializeLogger({ pretty: false, level: 'silent' })
      const agent = agentWith({ onExit: () => never() })
      const models = { stt: new FakeStt({ url: `${stage.ws}/stt` }), vad: null }
      // Not loaded in the plain column: it installs the hooks.
      const program = stage.column === 'guarded' ? await import('./example.ts') : undefined
      const session = program ? await program.answer(agent, models) : new voice.AgentSession(models)
      if (!program) await session.start({ agent })
      await stage.seen({ open: 1 })
      return {
        close: () => session.close(),
        onClosed: (listener) => session.on(voice.AgentSessionEventTypes.Close, listener),
      }
    },
    ours: ours({ agent: (desk) => ({ onExit: desk.stuck }) }),
  },
  {
    name: 'room-close-hangs',
    about: 'a transcript is being sent to the room, and never is',
    ourFault: 'the line never closes',
    shows: ['hangs'],
    theirs: theirs({
      stt: { hears: 'Hello?' },
      room: (desk) => roomOf(desk, { streamText: desk.stuck }),
      arrive: (desk) => desk.start().then(() => desk.reached),
    }),
    ours: ours({ faults: { 'close:line': 'hang' } }),
  },
  {
    name: 'host-close-hangs',
    about: 'the transport to the console never closes',
    ourFault: 'a listener of the close event never returns',
    shows: ['hangs'],
    theirs: theirs({
      arrive: (desk) => {
        attachConsole()
        return desk.start()
      },
    }),
    ours: ours({
      arrive: async (desk) => {
        await desk.start()
        desk.session.on('closed', () => new Promise(noop))
      },
    }),
  },
]

/** A console, as `AgentsConsole` lets one be attached, whose transport never closes. */
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
