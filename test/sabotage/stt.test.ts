import type { PartContext, SttEvents, SttStream } from '../../src/parts/index.ts'
import {
  ScriptedStt,
  sttConformance,
  type Make,
  type ScriptedSttOptions,
  type Stage,
  type SttSubject,
} from '../../src/testing/index.ts'
import { describeSabotage, ownChecks, type Saboteur } from './sabotage.ts'

type Open = (stt: ScriptedStt, context: PartContext, events: SttEvents, stage: Stage) => Promise<SttStream>

/** An STT that does what it should, except for what the saboteur does. */
function sabotaged(
  options: ScriptedSttOptions,
  open: Open = (stt, context, events) => stt.open(context, events),
): Make<SttSubject> {
  return (stage) => {
    const stt = new ScriptedStt({ finalOn: 'flush', ...options })
    return {
      stt: { name: 'stt', sampleRate: 16_000, open: (context, events) => open(stt, context, events, stage) },
      hear: (text) => stt.hear(text),
      breaks: () => stt.fail(),
    }
  }
}

/** The stream, with other ways. */
const instead = (stream: SttStream, ways: Partial<SttStream>): SttStream => ({
  push: (frame) => stream.push(frame),
  flush: () => stream.flush(),
  detach: () => stream.detach(),
  ...ways,
})

const saboteurs: Saboteur<SttSubject>[] = [
  [
    'that nothing becomes final',
    sabotaged({ finalAfter: 'never' }),
    [
      'makes final what was said before it was flushed, and goes on',
      'makes final what was said before it was detached',
      'still tells the last words while its scope is closing and waits for them',
      'keeps two streams apart',
    ],
  ],
  [
    'that it is deaf from the first moment of closing',
    sabotaged({}, async (stt, context, events) => {
      const stream = await stt.open(context, events)
      const listens = (): boolean => context.scope.state === 'live'
      return instead(stream, {
        detach: () => listens() && stream.detach(),
        flush: () => listens() && stream.flush(),
      })
    }),
    ['still tells the last words while its scope is closing and waits for them'],
  ],
  [
    'that push throws in the end',
    sabotaged({}, async (stt, context, events) => {
      const stream = await stt.open(context, events)
      const push: SttStream['push'] = (frame) => {
        if (context.scope.state === 'closed') throw new Error('write after end')
        stream.push(frame)
      }
      return instead(stream, { push })
    }),
    ['takes anything at any time without throwing', 'tells nothing after its scope has closed'],
  ],
  [
    'talk after the end',
    sabotaged({ talksAfterEnd: true }),
    ['tells nothing after its scope has closed', 'fails once, loudly, and tells nothing after it'],
  ],
  [
    'a late answer',
    sabotaged({}, async (stt, context, events, stage) => {
      const stream = await stt.open(context, events)
      const flush = (): void => {
        stage.elapse(1_000).then(
          () => events.interim('late'),
          () => {},
        )
        stream.flush()
      }
      return instead(stream, { flush })
    }),
    [
      'tells nothing after its scope has closed',
      'is ended by abort() in the middle of speech, and tells nothing after it',
    ],
  ],
  [
    'a timer that is left behind',
    sabotaged({}, async (stt, context, events) => {
      const stream = await stt.open(context, events)
      const push: SttStream['push'] = (frame) => {
        if (context.scope.state === 'live') context.scope.clock.after(60_000, 'keep alive', () => {})
        stream.push(frame)
      }
      return instead(stream, { push })
    }),
    ['is closed in the middle of speech, on time'],
  ],
  [
    'streams that share their events',
    (stage) => {
      const all: SttEvents[] = []
      return sabotaged({}, (stt, context, events) => {
        all.push(events)
        return stt.open(context, {
          interim: (text) => all.forEach((each) => each.interim(text)),
          final: (text) => all.forEach((each) => each.final(text)),
          endOfTurn: () => {},
          failed: (error) => events.failed(error),
        })
      })(stage)
    },
    ['keeps two streams apart'],
  ],
  [
    'a failure that nobody is told of',
    sabotaged({}, (stt, context, events) =>
      stt.open(context, {
        interim: (text) => events.interim(text),
        final: (text) => events.final(text),
        endOfTurn: () => events.endOfTurn(),
        failed: () => {},
      }),
    ),
    ['fails once, loudly, and tells nothing after it'],
  ],
]

describeSabotage('STTs', ownChecks(sttConformance), saboteurs)
