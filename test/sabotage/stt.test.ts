import { pcm, muLaw } from '../../src/audio/index.ts'
import { type SttSetup, type PartContext, type SttEvents, type SttStream } from '../../src/parts/index.ts'
import {
  ScriptedStt,
  sttConformance,
  type Make,
  type ScriptedSttOptions,
  type Stage,
  type SttSubject,
} from '../../src/testing/index.ts'
import { describeSabotage, ownChecks, type Defect } from './sabotage.ts'

type Open = (
  stt: ScriptedStt,
  context: PartContext,
  events: SttEvents,
  stage: Stage,
  setup: SttSetup,
) => Promise<SttStream>

/** An STT that is correct except for one defect. */
function sabotaged(
  options: ScriptedSttOptions,
  open: Open = (stt, context, events) => stt.open(context, events),
): Make<SttSubject> {
  return (stage) => {
    const stt = new ScriptedStt({ finalOn: 'flush', ...options })
    return {
      stt: {
        name: 'stt',
        hears: stt.hears,
        open: (context, events, setup) => open(stt, context, events, stage, setup),
      },
      hear: (text) => stt.hear(text),
      breaks: () => stt.fail(),
    }
  }
}

/** The stream with some methods replaced. */
const replaceMethods = (stream: SttStream, methods: Partial<SttStream>): SttStream => ({
  push: (frame) => stream.push(frame),
  flush: () => stream.flush(),
  configure: (change) => stream.configure(change),
  detach: () => stream.detach(),
  ...methods,
})

const defects: Defect<SttSubject>[] = [
  [
    'words that never become final',
    sabotaged({ finalAfter: 'never' }),
    [
      'emits final words after a flush, and continues',
      'emits final words after it is detached',
      'emits the last words while its scope is closing and waits for them',
      'keeps two streams apart',
    ],
  ],
  [
    'an STT that ignores calls as soon as closing begins',
    sabotaged({}, async (stt, context, events) => {
      const stream = await stt.open(context, events)
      const isLive = (): boolean => context.scope.state === 'live'
      return replaceMethods(stream, {
        detach: () => isLive() && stream.detach(),
        flush: () => isLive() && stream.flush(),
      })
    }),
    ['emits the last words while its scope is closing and waits for them'],
  ],
  [
    'a push that throws after the close',
    sabotaged({}, async (stt, context, events) => {
      const stream = await stt.open(context, events)
      const push: SttStream['push'] = (frame) => {
        if (context.scope.state === 'closed') throw new Error('write after end')
        stream.push(frame)
      }
      return replaceMethods(stream, { push })
    }),
    ['accepts every call at any time without throwing', 'emits nothing after its scope has closed'],
  ],
  [
    'events after the end',
    sabotaged({ talksAfterEnd: true }),
    ['emits nothing after its scope has closed', 'emits one failure, and nothing afterwards'],
  ],
  [
    'a late interim',
    sabotaged({}, async (stt, context, events, stage) => {
      const stream = await stt.open(context, events)
      const flush = (): void => {
        stage.elapse(1_000).then(
          () => events.interim('late'),
          () => {},
        )
        stream.flush()
      }
      return replaceMethods(stream, { flush })
    }),
    [
      'emits nothing after its scope has closed',
      'ends synchronously on abort() in the middle of speech, and emits nothing afterwards',
    ],
  ],
  [
    'a leftover timer',
    sabotaged({}, async (stt, context, events) => {
      const stream = await stt.open(context, events)
      const push: SttStream['push'] = (frame) => {
        if (context.scope.state === 'live') context.scope.clock.after(60_000, 'keep alive', () => {})
        stream.push(frame)
      }
      return replaceMethods(stream, { push })
    }),
    ['closes on time in the middle of speech'],
  ],
  [
    'streams that share their events',
    (stage) => {
      const all: SttEvents[] = []
      return sabotaged({}, (stt, context, events) => {
        all.push(events)
        return stt.open(context, {
          ...events,
          interim: (text) => all.forEach((each) => each.interim(text)),
          final: (text) => all.forEach((each) => each.final(text)),
          endOfTurn: () => {},
        })
      })(stage)
    },
    ['keeps two streams apart'],
  ],
  [
    'an STT that cannot hear one of its formats',
    sabotaged({ hears: [pcm(16_000), muLaw] }, async (stt, context, events, _, { format }) => {
      const stream = await stt.open(context, events)
      return replaceMethods(stream, { flush: () => format.encoding === 'pcm' && stream.flush() })
    }),
    ['understands sound in every format it hears'],
  ],
  [
    'a configure that throws',
    sabotaged({}, async (stt, context, events) => {
      const configure = (): void => {
        throw new Error('not supported')
      }
      return replaceMethods(await stt.open(context, events), { configure })
    }),
    ['accepts every call at any time without throwing'],
  ],
  [
    'an end of turn that is taken back and was not announced',
    sabotaged({}, (stt, context, events) =>
      stt.open(context, {
        ...events,
        final: (text) => {
          events.resumed()
          events.final(text)
        },
      }),
    ),
    ['announces an end of turn before it takes one back, and details that make sense, if any'],
  ],
  [
    'words out of order, and a confidence in percent',
    sabotaged({}, (stt, context, events) =>
      stt.open(context, {
        ...events,
        final: (text) =>
          events.final(text, {
            words: [
              { text: 'two', start: 500, end: 600 },
              { text: 'one', start: 100, end: 200 },
            ],
            confidence: 98,
          }),
      }),
    ),
    ['announces an end of turn before it takes one back, and details that make sense, if any'],
  ],
  [
    'a swallowed failure',
    sabotaged({}, (stt, context, events) => stt.open(context, { ...events, failed: () => {} })),
    ['emits one failure, and nothing afterwards'],
  ],
]

describeSabotage('STTs', ownChecks(sttConformance), defects)
