import { ReadableStream } from 'node:stream/web'
import type { Case } from '../case.ts'
import { elapse, ours, startsInBackground } from '../ours.ts'
import { agentWith, theirs, type LiveKitSubject } from './livekit-subject.ts'
import { never, opened } from './sockets.ts'

/** After the deadline of the columns guarded and ours, so that a connection that is still open then is a zombie. */
const IDLE = 'idleAfter=4500'

const startsTheirs = async (subject: LiveKitSubject): Promise<void> => {
  await subject.begin()
  await subject.context.seen({ connections: 1 })
  await elapse(300)
}

/** The STT client, whose socket stays open as long as the call. */
export const stt: readonly Case[] = [
  {
    name: 'stt-ignores-signal',
    about: 'the client keeps its socket when its signal aborts',
    unfair: 'the client ignores its signal',
    shows: ['socket left'],
    theirs: theirs({ stt: { ignoresSignal: true } }),
    ours: ours({ faults: { 'close:stt socket': 'ignore-signal' } }),
  },
  {
    name: 'stt-peer-ignores-close-frame',
    about: 'the vendor does not answer the close frame',
    shows: ['socket left'],
    short: true,
    theirs: theirs({ sockets: { stt: 'closeReply=never' } }),
    ours: ours({ sockets: { stt: 'closeReply=never' } }),
  },
  {
    name: 'stt-stage-cancel-hangs',
    about: 'sttNode returns a stream with a socket whose cancel() never settles',
    shows: ['socket left'],
    theirs: theirs({
      agent: ({ context }) =>
        agentWith({
          sttNode: async () => {
            await opened(`${context.ws}/stt`)
            return new ReadableStream({ pull: () => never(), cancel: () => never() })
          },
        }),
    }),
    ours: ours({ faults: { 'close:stt': 'hang' } }),
  },
  {
    name: 'stt-stage-never-resolves',
    about: 'sttNode opens a socket and never returns',
    shows: ['socket left'],
    theirs: theirs({
      agent: ({ context }) => agentWith({ sttNode: () => opened(`${context.ws}/stt`).then(() => never()) }),
    }),
    ours: ours({ faults: { 'open:stt': 'hang' }, arrive: startsInBackground }),
  },
  {
    name: 'stt-in-backoff',
    about: 'the vendor refuses the connection, and the framework waits to retry',
    shows: ['opens after close'],
    theirs: theirs({ sockets: { stt: 'refuse=503' }, arrive: startsTheirs }),
    ours: ours({ sockets: { stt: 'refuse=503' }, arrive: startsInBackground }),
  },
  {
    name: 'stt-closed-in-backoff',
    about: 'the client reconnects on its own, and ignores its signal until it is connected',
    unfair: 'the client ignores its signal while it waits',
    shows: ['opens after close'],
    theirs: theirs({ stt: { redials: 2_000 }, sockets: { stt: 'refuse=503' }, arrive: startsTheirs }),
    ours: ours({ sockets: { stt: 'refuse=503' }, arrive: startsInBackground }),
  },
  {
    name: 'stt-closed-while-connecting',
    about: 'the upgrade takes 9 s, and the client ignores its signal until it is connected',
    unfair: 'the client ignores its signal while it connects',
    shows: ['socket left'],
    theirs: theirs({
      stt: { connectsBlindly: true },
      sockets: { stt: 'connect=9000' },
      arrive: startsTheirs,
    }),
    ours: ours({ sockets: { stt: 'connect=9000' }, arrive: startsInBackground }),
  },
  {
    name: 'stt-silent-upgrade',
    about: 'the upgrade is never answered',
    shows: ['process stays'],
    theirs: theirs({ sockets: { stt: 'connect=never' }, arrive: startsTheirs }),
    ours: ours({ sockets: { stt: 'connect=never' }, arrive: startsInBackground }),
  },
  {
    name: 'stt-idle-drop-with-stuck-hook',
    about: 'the exit hook never returns; the vendor closes the idle socket, and the framework dials again',
    shows: ['hangs', 'no event', 'opens after close'],
    theirs: theirs({ sockets: { stt: IDLE }, agent: (subject) => agentWith({ onExit: subject.stuck }) }),
    ours: ours({ sockets: { stt: IDLE }, agent: (subject) => ({ onExit: subject.stuck }) }),
  },
]
