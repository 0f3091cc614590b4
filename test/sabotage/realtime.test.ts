import type { PartContext, Realtime, RealtimeEvents, RealtimeModel } from '../../src/parts/index.ts'
import {
  ScriptedRealtime,
  realtimeConformance,
  type Make,
  type RealtimeSubject,
  type ScriptedRealtimeOptions,
  type Stage,
} from '../../src/testing/index.ts'
import { describeSabotage, ownChecks, type Saboteur } from './sabotage.ts'

interface Sabotage {
  readonly options?: ScriptedRealtimeOptions
  readonly events?: (events: RealtimeEvents, context: PartContext) => Partial<RealtimeEvents>
  readonly model?: (
    model: RealtimeModel,
    context: PartContext,
    events: RealtimeEvents,
    stage: Stage,
  ) => Partial<RealtimeModel>
  readonly outputRate?: 8_000
}

/** A model that does what it should, except for what the saboteur does. */
function sabotaged({ options = {}, events: ears, model: ways, outputRate }: Sabotage): Make<RealtimeSubject> {
  return (stage) => {
    const inner = new ScriptedRealtime({ ...options })
    const realtime: Realtime = {
      name: 'realtime',
      inputRate: inner.inputRate,
      outputRate: outputRate ?? inner.outputRate,
      open: async (context, setup, events) => {
        const heard = bound(events)
        const model = bound(await inner.open(context, setup, { ...heard, ...ears?.(heard, context) }))
        return { ...model, ...ways?.(model, context, heard, stage) }
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

/** The same methods, as functions of their own: so that some can be replaced. */
function bound<T extends object>(thing: T): T {
  const functions: Record<string, unknown> = {}
  for (let level: object = thing; level !== Object.prototype; level = Object.getPrototypeOf(level) as object)
    for (const name of Object.getOwnPropertyNames(level)) {
      const value: unknown = Reflect.get(thing, name)
      if (typeof value === 'function' && name !== 'constructor') functions[name] ??= value.bind(thing)
    }
  return functions as T
}

const saboteurs: Saboteur<RealtimeSubject>[] = [
  [
    'that it says nothing',
    sabotaged({ events: () => ({ audio() {} }) }),
    ['hears the user, and answers with words and sound'],
  ],
  [
    'another rate than it says',
    sabotaged({ outputRate: 8_000 }),
    ['hears the user, and answers with words and sound'],
  ],
  [
    'that it cannot wait',
    sabotaged({ model: (model) => ({ addText: () => model.respond() }) }),
    ['answers when it is asked'],
  ],
  [
    'tool results that it loses',
    sabotaged({ model: () => ({ toolResult() {} }) }),
    ['calls a tool as the model wrote it, and goes on with its result'],
  ],
  [
    'answers that never end',
    sabotaged({ events: () => ({ responseEnded() {} }) }),
    ['stops an answer when it is interrupted, and gives no sound of it after its end'],
  ],
  [
    'answers that nobody can tell were asked for',
    sabotaged({
      events: (told) => ({ responseStarted: (response) => told.responseStarted(response, false) }),
    }),
    ['answers when it is asked', 'answers each ask once, in order, and one after the other'],
  ],
  [
    'answers that begin twice',
    sabotaged({
      events: (told) => ({
        responseStarted: (response, asked) => {
          told.responseStarted(response, asked)
          told.responseStarted(response, asked)
        },
      }),
    }),
    ['tells each answer from its beginning to its end, once'],
  ],
  [
    'sound after the end of an answer',
    sabotaged({
      events: (told) => ({
        responseEnded: (response, how) => {
          told.responseEnded(response, how)
          told.text(response, 'and another thing')
        },
      }),
    }),
    [
      'tells each answer from its beginning to its end, once',
      'stops an answer when it is interrupted, and gives no sound of it after its end',
    ],
  ],
  [
    'that it ends what has ended',
    sabotaged({
      model: (model, _, told) => ({
        interrupt: (response, heard) => {
          model.interrupt(response, heard)
          told.responseEnded('response-1', 'cancelled')
          told.responseEnded('response-1', 'cancelled')
        },
      }),
    }),
    ['stops an answer when it is interrupted, and gives no sound of it after its end'],
  ],
  [
    'that an interruption breaks it',
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
    ['can be interrupted when it says nothing'],
  ],
  [
    'methods that throw in the end',
    sabotaged({
      model: (model, { scope }) => ({
        commit: () => {
          if (scope.state === 'closed') throw new Error('write after end')
          model.commit()
        },
      }),
    }),
    ['takes anything at any time without throwing'],
  ],
  [
    'talk after the end',
    sabotaged({
      model: (model, _, told, stage) => ({
        respond: () => {
          model.respond()
          stage.elapse(1_000).then(
            () => told.userStarted(),
            () => {},
          )
        },
      }),
    }),
    [
      'is closed in the middle of an answer, on time, and tells nothing after it',
      'is ended by abort() in the middle of an answer, and tells nothing after it',
      'fails once, loudly, and tells nothing after it',
    ],
  ],
  [
    'a failure that nobody is told of',
    sabotaged({ events: () => ({ failed() {} }) }),
    ['fails once, loudly, and tells nothing after it'],
  ],
]

describeSabotage('realtime models', ownChecks(realtimeConformance), saboteurs)
