import { ReadableStream } from 'node:stream/web'
import { noop } from '../../../src/scope/index.ts'
import { ScriptedRealtime } from '../../../src/testing/index.ts'
import type { Case } from '../case.ts'
import { elapse, held, ours } from '../ours.ts'
import { agentWith, theirs } from './desk.ts'
import { FakeRealtime } from './fake-realtime.ts'
import { never, opened } from './sockets.ts'

const STALLS = 'answer=Well,&stall=1'
const unfair = 'the client ignores its signal'

/** A stream of a stage whose reader cannot cancel it. */
const uncancellable = <T>(reached: () => void): ReadableStream<T> =>
  new ReadableStream<T>({
    pull: () => {
      reached()
      return never()
    },
    cancel: () => never(),
  })

/** Language models, voices, and models that are both. */
export const models: readonly Case[] = [
  {
    name: 'llm-stream-ignores-signal',
    about: 'an answer stalls, and its request goes on when the signal aborts',
    unfair,
    shows: ['socket left'],
    theirs: theirs({
      sockets: { llm: STALLS },
      llm: { ignoresSignal: true },
      arrive: (desk) => desk.thinks(),
    }),
    ours: ours({
      llm: { answers: () => ['Well, ', { stall: true }], ignoresSignal: true },
      arrive: (desk) => desk.asks().then(() => elapse(100)),
    }),
  },
  {
    name: 'llm-stalls',
    about: 'an answer stalls; the client is a good one',
    shows: ['process stays'],
    theirs: theirs({ sockets: { llm: STALLS }, arrive: (desk) => desk.thinks() }),
    ours: ours({
      llm: { answers: () => ['Well, ', { stall: true }] },
      arrive: (desk) => desk.asks().then(() => elapse(100)),
    }),
  },
  {
    name: 'llm-in-backoff',
    about: 'the model is refused, and waits to be asked again',
    ourFault: 'the model waits to dial again while the session starts',
    shows: ['process stays'],
    theirs: theirs({
      sockets: { llm: 'status=503' },
      arrive: (desk) => desk.thinks().then(() => elapse(600)),
    }),
    ours: ours({ sockets: { llm: 'refuse=503' }, arrive: begins }),
  },
  {
    name: 'llm-stage-cancel-hangs',
    about: 'llmNode gives a stream whose cancel() never settles',
    shows: ['process stays'],
    theirs: theirs({
      agent: (desk) => agentWith({ llmNode: async () => uncancellable(() => void desk.stuck()) }),
      arrive: (desk) => desk.asksInVain(),
    }),
    ours: ours({
      faults: { 'task:reply 1': 'hang' },
      arrive: (desk) => desk.asks().then(() => elapse(100)),
    }),
  },
  {
    name: 'tts-stream-ignores-signal',
    about: 'a voice goes on, with its socket, when the signal aborts',
    unfair,
    shows: ['socket left'],
    theirs: theirs({ tts: { ignoresSignal: true, seconds: 20 }, arrive: (desk) => desk.speaks() }),
    ours: ours({ tts: { ignoresSignal: true, speed: 1 }, arrive: (desk) => desk.speaks() }),
  },
  {
    name: 'tts-never-yields',
    about: 'a voice gives no sound, and ignores its signal',
    unfair,
    shows: ['socket left'],
    theirs: theirs({
      tts: { ignoresSignal: true, stalls: true },
      arrive: async (desk) => {
        await desk.start()
        desk.session.say('Nobody will hear this.')
        await desk.stage.seen({ messages: 1 })
      },
    }),
    ours: ours({
      tts: { stallAfter: 0, ignoresSignal: true },
      arrive: async (desk) => {
        await desk.start()
        desk.session.say('Nobody will hear this.')
        await elapse(100)
      },
    }),
  },
  {
    name: 'tts-stage-cancel-hangs',
    about: 'ttsNode gives a stream whose cancel() never settles, with a socket',
    shows: ['socket left'],
    theirs: theirs({
      agent: (desk) =>
        agentWith({
          ttsNode: async () => {
            await opened(`${desk.stage.ws}/tts`)
            return uncancellable(() => void desk.stuck())
          },
        }),
      arrive: async (desk) => {
        await desk.start()
        desk.session.say('Nobody will hear this.')
        await desk.reached
      },
    }),
    ours: ours({
      faults: { 'task:speech 1': 'hang' },
      arrive: async (desk) => {
        await desk.start()
        desk.session.say('Nobody will hear this.')
        await elapse(100)
      },
    }),
  },
  {
    name: 'tts-pooled-socket',
    about: 'the voice takes its socket from the pool of the framework; all is healthy',
    shows: ['socket left'],
    theirs: theirs({
      tts: { pooled: true, seconds: 0.2 },
      arrive: (desk) => desk.speaks().then(() => elapse(500)),
    }),
    ours: ours({ arrive: (desk) => desk.speaks() }),
  },
  ...(['hangs', 'throws'] as const).map((close): Case => ({
    name: `realtime-close-${close}`,
    about: `the close of a realtime model ${close}`,
    shows: close === 'hangs' ? ['hangs', 'no event', 'socket left'] : ['rejects', 'no event', 'socket left'],
    theirs: theirs({
      session: ({ ws }) => ({ llm: new FakeRealtime({ url: `${ws}/realtime`, close }) }),
    }),
    ours: ours({
      models: ({ ws }) => ({
        realtime: held(new ScriptedRealtime({ answers: () => 'Hello.' }), `${ws}/realtime`),
      }),
      faults: { 'close:realtime': close === 'hangs' ? 'hang' : 'throw' },
    }),
  })),
]

/** Starts, and does not wait until it has. */
async function begins(desk: { session: { start(): Promise<void> } }): Promise<void> {
  desk.session.start().catch(noop)
  await elapse(600)
}
