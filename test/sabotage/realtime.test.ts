import { pcm } from '../../src/audio/index.ts'
import {
  type RealtimeSetup,
  type PartContext,
  type Realtime,
  type RealtimeEvents,
  type RealtimeModel,
} from '../../src/parts/index.ts'
import {
  ScriptedRealtime,
  realtimeConformance,
  type Make,
  type RealtimeSubject,
  type ScriptedRealtimeOptions,
  type Stage,
} from '../../src/testing/index.ts'
import { describeSabotage, ownChecks, type Defect } from './sabotage.ts'

interface Sabotage {
  readonly options?: ScriptedRealtimeOptions
  readonly events?: (events: RealtimeEvents, context: PartContext) => Partial<RealtimeEvents>
  readonly model?: (
    model: RealtimeModel,
    context: PartContext,
    events: RealtimeEvents,
    stage: Stage,
  ) => Partial<RealtimeModel>
  readonly setup?: Partial<RealtimeSetup>
}

/** A model that is correct except for one defect. */
function sabotaged({
  options = {},
  events: changeEvents,
  model: changeModel,
  setup: changeSetup,
}: Sabotage): Make<RealtimeSubject> {
  return (stage) => {
    const inner = new ScriptedRealtime({ ...options })
    const realtime: Realtime = {
      name: 'realtime',
      hears: inner.hears,
      speaks: inner.speaks,
      writes: inner.writes,
      open: async (context, asked, events) => {
        const setup = { ...asked, ...changeSetup }
        const boundEvents = bound(events)
        const model = bound(
          await inner.open(context, setup, { ...boundEvents, ...changeEvents?.(boundEvents, context) }),
        )
        return { ...model, ...changeModel?.(model, context, boundEvents, stage) }
      },
    }
    return {
      realtime,
      hear: (text) => inner.hear(text),
      results: () => inner.results.map(({ output }) => output),
      answers: (chunks, hangs) => void inner.answers(hangs ? [...chunks, { stall: true }] : chunks),
      breaks: () => inner.drop(),
    }
  }
}

/** The same methods as bound functions, so that some can be replaced. */
function bound<T extends object>(thing: T): T {
  const functions: Record<string, unknown> = {}
  for (let level: object = thing; level !== Object.prototype; level = Object.getPrototypeOf(level) as object)
    for (const name of Object.getOwnPropertyNames(level)) {
      const value: unknown = Reflect.get(thing, name)
      if (typeof value === 'function' && name !== 'constructor') functions[name] ??= value.bind(thing)
    }
  return functions as T
}

const defects: Defect<RealtimeSubject>[] = [
  [
    'a model that answers in place of saying the words it is given',
    sabotaged({ model: (model) => ({ say: () => model.respond() }) }),
    ['says given words exactly, if it can be given words'],
  ],
  [
    'a model without audio',
    sabotaged({ events: () => ({ audio() {} }) }),
    ['transcribes the user, and answers with text and audio'],
  ],
  [
    'a wrong sample rate',
    sabotaged({ setup: { speaks: pcm(8_000) } }),
    ['transcribes the user, and answers with text and audio', 'hears and speaks in every format it offers'],
  ],
  [
    'audio where text was asked for',
    sabotaged({ setup: { speaks: pcm(16_000) } }),
    ['answers in text alone if it is asked to and can'],
  ],
  [
    'a model that answers before a response is requested',
    sabotaged({ model: (model) => ({ addText: () => model.respond() }) }),
    ['answers when a response is requested, and not before'],
  ],
  [
    'lost tool results',
    sabotaged({ model: () => ({ toolResult() {} }) }),
    ['emits a tool call as the model wrote it, and continues with its result'],
  ],
  [
    'answers that never end',
    sabotaged({ events: () => ({ responseEnded() {} }) }),
    ['stops an interrupted answer, and emits nothing of it after its end'],
  ],
  [
    'requested answers that are reported as not requested',
    sabotaged({
      events: (events) => ({ responseStarted: (response) => events.responseStarted(response, false) }),
    }),
    [
      'answers when a response is requested, and not before',
      'answers each request once, in order, one after another',
    ],
  ],
  [
    'answers that start twice',
    sabotaged({
      events: (events) => ({
        responseStarted: (response, asked) => {
          events.responseStarted(response, asked)
          events.responseStarted(response, asked)
        },
      }),
    }),
    ['emits each answer once, from its start to its end'],
  ],
  [
    'text after the end of an answer',
    sabotaged({
      events: (events) => ({
        responseEnded: (response, how) => {
          events.responseEnded(response, how)
          events.text(response, 'and another thing')
        },
      }),
    }),
    [
      'emits each answer once, from its start to its end',
      'stops an interrupted answer, and emits nothing of it after its end',
    ],
  ],
  [
    'answers that end more than once',
    sabotaged({
      model: (model, _, events) => ({
        interrupt: (response, heard) => {
          model.interrupt(response, heard)
          events.responseEnded('response-1', 'cancelled')
          events.responseEnded('response-1', 'cancelled')
        },
      }),
    }),
    ['stops an interrupted answer, and emits nothing of it after its end'],
  ],
  [
    'a model that an interruption breaks',
    sabotaged({
      model: (model) => {
        let broken = false
        return {
          interrupt: () => {
            broken = true
          },
          respond: (instructions) => void (broken || model.respond(instructions)),
        }
      },
    }),
    ['can be interrupted while it is silent'],
  ],
  [
    'methods that throw after the close',
    sabotaged({
      model: (model, { scope }) => ({
        commit: () => {
          if (scope.state === 'closed') throw new Error('write after end')
          model.commit()
        },
      }),
    }),
    ['accepts every call at any time without throwing'],
  ],
  [
    'events after the end',
    sabotaged({
      model: (model, _, events, stage) => ({
        respond: () => {
          model.respond()
          stage.elapse(1_000).then(
            () => events.userStarted(),
            () => {},
          )
        },
      }),
    }),
    [
      'closes on time in the middle of an answer, and emits nothing afterwards',
      'ends synchronously on abort() in the middle of an answer, and emits nothing afterwards',
      'emits one failure, and nothing afterwards',
    ],
  ],
  [
    'a swallowed failure',
    sabotaged({ events: () => ({ failed() {} }) }),
    ['emits one failure, and nothing afterwards'],
  ],
]

describeSabotage('realtime models', ownChecks(realtimeConformance), defects)
