import { voice } from '@livekit/agents'
import { noop } from '../../../src/scope/index.ts'
import type { Case } from '../case.ts'
import { elapse, ours } from '../ours.ts'
import { theirs, type LiveKitSubject } from './livekit-subject.ts'

const slowStart = 'connect=1500'

/** Several closes at once, or a close at a bad time. */
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
    about: 'closed, shut down, and closed again in a listener of the close event',
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
    about: 'shut down while a long answer is spoken, then closed',
    shows: ['slow'],
    theirs: theirs({
      tts: { seconds: 6 },
      arrive: (subject) => subject.speaks(),
      end: async ({ session }) => {
        session.shutdown()
        await elapse(200)
        await session.close()
      },
    }),
    ours: ours({
      arrive: (subject) => subject.speaks(),
      end: async ({ session }) => {
        session.drain().catch(noop)
        await elapse(200)
        await session.close()
      },
    }),
  },
  {
    name: 'close-after-close',
    about: 'closed again after it has closed',
    shows: ['process stays'],
    theirs: theirs({ end: ({ session }) => session.close().then(() => session.close()) }),
    ours: ours({ end: ({ session }) => session.close().then(() => session.close()) }),
  },
  {
    name: 'close-during-start',
    about: 'closed while it starts',
    shows: ['no event'],
    theirs: theirs({
      arrive: async (subject) => {
        subject.begin().catch(noop)
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
      end: (subject) => closedBy(subject, () => subject.context.far({ do: 'drop' })),
    }),
    ours: ours({
      agent: (subject) => ({ onExit: subject.stuck }),
      end: ({ session, line }) => {
        const closed = new Promise((resolve) => session.on('closed', resolve))
        line.caller.vanishes(new Error('no carrier'))
        return closed
      },
    }),
  },
]

function stuckExit(subject: LiveKitSubject): voice.Agent {
  return Object.assign(new voice.Agent({ instructions: 'You answer the phone.' }), { onExit: subject.stuck })
}

/** Acts, and waits for the close event of the framework. */
export function closedBy({ session }: LiveKitSubject, act: () => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    session.on(voice.AgentSessionEventTypes.Close, () => resolve())
    Promise.resolve(act()).catch(reject)
  })
}
