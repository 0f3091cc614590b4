import { voice } from '@livekit/agents'
import { noop } from '../../../src/scope/index.ts'
import type { Case } from '../case.ts'
import { elapse, ours } from '../ours.ts'
import { theirs, type Desk } from './desk.ts'

const slowStart = 'connect=1500'

/** Several ask at once, or at the wrong time. */
export const races: readonly Case[] = [
  {
    name: 'two-closes',
    about: 'closed twice at once',
    shows: ['process stays'],
    theirs: theirs({ end: ({ session }) => Promise.all([session.close(), session.close()]) }),
    ours: ours({ end: ({ session }) => Promise.all([session.close(), session.close()]) }),
  },
  {
    name: 'close-and-shutdown-and-close-in-listener',
    about: 'closed, shut down, and closed once more from a listener of the close event',
    shows: ['process stays'],
    theirs: theirs({
      end: ({ session }) => {
        session.on(voice.AgentSessionEventTypes.Close, () => {
          session.close().catch(noop)
        })
        const closed = session.close()
        session.shutdown()
        return closed
      },
    }),
    ours: ours({
      end: ({ session }) => {
        session.on('closed', () => session.close())
        const closed = session.close()
        session.drain().catch(noop)
        return closed
      },
    }),
  },
  {
    name: 'close-during-drain',
    about: 'shut down while a long answer is spoken, then closed: does the close come through?',
    shows: ['slow'],
    theirs: theirs({
      tts: { seconds: 6 },
      arrive: (desk) => desk.speaks(),
      end: async ({ session }) => {
        session.shutdown()
        await elapse(200)
        await session.close()
      },
    }),
    ours: ours({
      arrive: (desk) => desk.speaks(),
      end: async ({ session }) => {
        session.drain().catch(noop)
        await elapse(200)
        await session.close()
      },
    }),
  },
  {
    name: 'close-after-close',
    about: 'closed, and closed again when it was',
    shows: ['process stays'],
    theirs: theirs({ end: ({ session }) => session.close().then(() => session.close()) }),
    ours: ours({ end: ({ session }) => session.close().then(() => session.close()) }),
  },
  {
    name: 'close-during-start',
    about: 'closed while it is being started',
    shows: ['no event'],
    theirs: theirs({
      arrive: async (desk) => {
        desk.begin().catch(noop)
      },
    }),
    ours: ours({
      sockets: { stt: slowStart },
      arrive: async ({ session }) => {
        session.start().catch(noop)
        await elapse(200)
      },
    }),
  },
  {
    name: 'error-with-stuck-hook',
    about: 'the STT fails for good, the framework closes the session, and the exit hook never returns',
    ourFault: 'the line is lost instead of the STT',
    shows: ['hangs', 'no event'],
    theirs: theirs({
      stt: { fatal: true },
      agent: stuckExit,
      end: (desk) => closedBy(desk, () => desk.stage.far({ do: 'drop' })),
    }),
    ours: ours({
      agent: (desk) => ({ onExit: desk.stuck }),
      end: ({ session, line }) => {
        const closed = new Promise((resolve) => session.on('closed', resolve))
        line.caller.vanishes(new Error('no carrier'))
        return closed
      },
    }),
  },
]

function stuckExit(desk: Desk): voice.Agent {
  return Object.assign(new voice.Agent({ instructions: 'You answer the phone.' }), { onExit: desk.stuck })
}

/** Waits for the close event, as those do who did not ask for the close. */
export function closedBy({ session }: Desk, act: () => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    session.on(voice.AgentSessionEventTypes.Close, () => resolve())
    Promise.resolve(act()).catch(reject)
  })
}
