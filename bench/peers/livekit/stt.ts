import { ReadableStream } from 'node:stream/web'
import { noop } from '../../../src/scope/index.ts'
import type { Case } from '../case.ts'
import { elapse, ours, type OurDesk } from '../ours.ts'
import { agentWith, theirs, type Desk } from './desk.ts'
import { never, opened } from './sockets.ts'

/** After the deadline of those who have one: whoever is there then is a zombie. */
const IDLE = 'idleAfter=4500'

const begins = async ({ session }: OurDesk): Promise<void> => {
  session.start().catch(noop)
  await elapse(600)
}

const beginsTheirs = async (desk: Desk): Promise<void> => {
  await desk.begin()
  await desk.stage.seen({ connections: 1 })
  await elapse(300)
}

/** The client of the STT, whose socket lives as long as the call. */
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
    about: 'sttNode gives a stream whose cancel() never settles, with a socket',
    shows: ['socket left'],
    theirs: theirs({
      agent: ({ stage }) =>
        agentWith({
          sttNode: async () => {
            await opened(`${stage.ws}/stt`)
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
      agent: ({ stage }) => agentWith({ sttNode: () => opened(`${stage.ws}/stt`).then(() => never()) }),
    }),
    ours: ours({ faults: { 'open:stt': 'hang' }, arrive: begins }),
  },
  {
    name: 'stt-in-backoff',
    about: 'the vendor refuses, and the framework waits to dial again',
    shows: ['opens after close'],
    theirs: theirs({ sockets: { stt: 'refuse=503' }, arrive: beginsTheirs }),
    ours: ours({ sockets: { stt: 'refuse=503' }, arrive: begins }),
  },
  {
    name: 'stt-closed-in-backoff',
    about: 'the client dials again by itself, and heeds its signal only while it is connected',
    unfair: 'the client ignores its signal while it waits',
    shows: ['opens after close'],
    theirs: theirs({ stt: { redials: 2_000 }, sockets: { stt: 'refuse=503' }, arrive: beginsTheirs }),
    ours: ours({ sockets: { stt: 'refuse=503' }, arrive: begins }),
  },
  {
    name: 'stt-closed-while-connecting',
    about: 'the upgrade takes 9 s, and the client heeds its signal only when it is connected',
    unfair: 'the client ignores its signal while it connects',
    shows: ['socket left'],
    theirs: theirs({
      stt: { connectsBlindly: true },
      sockets: { stt: 'connect=9000' },
      arrive: beginsTheirs,
    }),
    ours: ours({ sockets: { stt: 'connect=9000' }, arrive: begins }),
  },
  {
    name: 'stt-silent-upgrade',
    about: 'the upgrade is never answered',
    shows: ['process stays'],
    theirs: theirs({ sockets: { stt: 'connect=never' }, arrive: beginsTheirs }),
    ours: ours({ sockets: { stt: 'connect=never' }, arrive: begins }),
  },
  {
    name: 'stt-idle-drop-with-stuck-hook',
    about: 'the exit hook never returns; the vendor ends the idle socket, and the framework dials again',
    shows: ['hangs', 'no event', 'opens after close'],
    theirs: theirs({ sockets: { stt: IDLE }, agent: (desk) => agentWith({ onExit: desk.stuck }) }),
    ours: ours({ sockets: { stt: IDLE }, agent: (desk) => ({ onExit: desk.stuck }) }),
  },
]
