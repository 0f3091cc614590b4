import { ReadableStream } from 'node:stream/web'
import { ScriptedRealtime } from '../../../src/testing/index.ts'
import type { Case } from '../case.ts'
import { elapse, ours, startsInBackground, withSocket } from '../ours.ts'
import { agentWith, theirs } from './livekit-subject.ts'
import { FakeRealtime } from './fake-realtime.ts'
import { never, opened } from './sockets.ts'

const STALLS = 'answer=Well,&stall=1'
const unfair = 'the client ignores its signal'

/** A stream whose `cancel()` never settles. */
const uncancellable = <T>(reached: () => void): ReadableStream<T> =>
  new ReadableStream<T>({
    pull: () => {
      reached()
      return never()
    },
    cancel: () => never(),
  })

/** LLMs, TTS and realtime models. */
export const models: readonly Case[] = [
  {
    name: 'llm-stream-ignores-signal',
    about: 'an answer stalls, and its request goes on when the signal aborts',
    unfair,
    shows: ['socket left'],
    theirs: theirs({
      sockets: { llm: STALLS },
      llm: { ignoresSignal: true },
      arrive: (subject) => subject.thinks(),
    }),
    ours: ours({
      llm: { answers: () => ['Well, ', { stall: true }], ignoresSignal: true },
      arrive: (subject) => subject.asks().then(() => elapse(100)),
    }),
  },
  {
    name: 'llm-stalls',
    about: 'an answer stalls, and the client behaves well',
    shows: ['process stays'],
    theirs: theirs({ sockets: { llm: STALLS }, arrive: (subject) => subject.thinks() }),
    ours: ours({
      llm: { answers: () => ['Well, ', { stall: true }] },
      arrive: (subject) => subject.asks().then(() => elapse(100)),
    }),
  },
  {
    name: 'llm-in-backoff',
    about: 'the request of the LLM is refused, and the framework waits to retry',
    ourFault: 'the model waits to dial again while the session starts',
    shows: ['process stays'],
    theirs: theirs({
      sockets: { llm: 'status=503' },
      arrive: (subject) => subject.thinks().then(() => elapse(600)),
    }),
    ours: ours({ sockets: { llm: 'refuse=503' }, arrive: startsInBackground }),
  },
  {
    name: 'llm-stage-cancel-hangs',
    about: 'llmNode returns a stream whose cancel() never settles',
    shows: ['process stays'],
    theirs: theirs({
      agent: (subject) => agentWith({ llmNode: async () => uncancellable(() => void subject.stuck()) }),
      arrive: (subject) => subject.asksAndHangs(),
    }),
    ours: ours({
      faults: { 'task:reply 1': 'hang' },
      arrive: (subject) => subject.asks().then(() => elapse(100)),
    }),
  },
  {
    name: 'tts-stream-ignores-signal',
    about: 'a TTS goes on, with its socket, when the signal aborts',
    unfair,
    shows: ['socket left'],
    theirs: theirs({ tts: { ignoresSignal: true, seconds: 20 }, arrive: (subject) => subject.speaks() }),
    ours: ours({ tts: { ignoresSignal: true, speed: 1 }, arrive: (subject) => subject.speaks() }),
  },
  {
    name: 'tts-never-yields',
    about: 'a TTS produces no sound and ignores its signal',
    unfair,
    shows: ['socket left'],
    theirs: theirs({
      tts: { ignoresSignal: true, stalls: true },
      arrive: async (subject) => {
        await subject.start()
        subject.session.say('This is not heard.')
        await subject.context.seen({ messages: 1 })
      },
    }),
    ours: ours({
      tts: { stallAfter: 0, ignoresSignal: true },
      arrive: async (subject) => {
        await subject.start()
        subject.session.say('This is not heard.')
        await elapse(100)
      },
    }),
  },
  {
    name: 'tts-stage-cancel-hangs',
    about: 'ttsNode returns a stream with a socket whose cancel() never settles',
    shows: ['socket left'],
    theirs: theirs({
      agent: (subject) =>
        agentWith({
          ttsNode: async () => {
            await opened(`${subject.context.ws}/tts`)
            return uncancellable(() => void subject.stuck())
          },
        }),
      arrive: async (subject) => {
        await subject.start()
        subject.session.say('This is not heard.')
        await subject.reached
      },
    }),
    ours: ours({
      faults: { 'task:speech 1': 'hang' },
      arrive: async (subject) => {
        await subject.start()
        subject.session.say('This is not heard.')
        await elapse(100)
      },
    }),
  },
  {
    name: 'tts-pooled-socket',
    about: 'the TTS uses a socket from the pool of the framework, and nothing misbehaves',
    shows: ['socket left'],
    theirs: theirs({
      tts: { pooled: true, seconds: 0.2 },
      arrive: (subject) => subject.speaks().then(() => elapse(500)),
    }),
    ours: ours({ arrive: (subject) => subject.speaks() }),
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
        realtime: withSocket(new ScriptedRealtime({ answers: () => 'Hello.' }), `${ws}/realtime`),
      }),
      faults: { 'close:realtime': close === 'hangs' ? 'hang' : 'throw' },
    }),
  })),
]
