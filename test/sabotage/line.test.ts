import { pcm, type AudioFormat } from '../../src/audio/index.ts'
import type { Line, LineConnection, LineEvents, PartContext } from '../../src/parts/index.ts'
import {
  TestLine,
  lineConformance,
  type LineSubject,
  type Make,
  type Stage,
} from '../../src/testing/index.ts'
import { describeSabotage, ownChecks, type Defect } from './sabotage.ts'

interface Call {
  readonly line: TestLine
  readonly context: PartContext
  readonly events: LineEvents
  readonly stage: Stage
}

interface Sabotage {
  readonly events?: (call: Call) => Partial<LineEvents>
  readonly connection?: (connection: LineConnection, call: Call) => Partial<LineConnection>
  readonly subject?: (line: TestLine) => Partial<LineSubject>
  readonly hears?: AudioFormat
}

/** A line that is correct except for one defect. */
function sabotaged({
  events: changeEvents,
  connection: changeConnection,
  subject,
  hears,
}: Sabotage): Make<LineSubject> {
  return (stage) => {
    const inner = new TestLine()
    const line: Line = {
      name: 'line',
      hears: hears ?? inner.hears,
      speaks: inner.speaks,
      open: async (context, events) => {
        const call = { line: inner, context, events, stage }
        const connection = await inner.open(context, {
          frame: (frame) => events.frame(frame),
          marked: (id, heard) => events.marked(id, heard),
          dtmf: (digit) => events.dtmf(digit),
          text: (text) => events.text(text),
          hungUp: () => events.hungUp(),
          lost: (error) => events.lost(error),
          handedOver: () => events.handedOver(),
          ...changeEvents?.(call),
        })
        return {
          play: (frame) => connection.play(frame),
          mark: (id) => connection.mark(id),
          clear: () => connection.clear(),
          ...changeConnection?.(connection, call),
        }
      },
    }
    return {
      line,
      caller: inner.caller,
      ended: () => inner.connection.endedAt !== undefined,
      audibleAfterClosing: () => inner.audibleAfterClosing,
      ...subject?.(inner),
    }
  }
}

const defects: Defect<LineSubject>[] = [
  ['a wrong sample rate', sabotaged({ hears: pcm(8_000) }), ['emits the audio of the caller in its format']],
  [
    'a wrong encoding',
    sabotaged({ hears: { ...pcm(16_000), encoding: 'mulaw' } }),
    ['emits the audio of the caller in its format'],
  ],
  [
    'keys that get lost',
    sabotaged({ events: () => ({ dtmf() {} }) }),
    ['emits typed text and pressed keys, in order'],
  ],
  [
    'marks that are confirmed at once',
    sabotaged({ connection: (_, { events }) => ({ mark: (id) => events.marked(id) }) }),
    [
      'confirms each mark once, in order, and not before its audio can have been heard',
      'emits once that the caller hung up, and nothing afterwards',
    ],
  ],
  [
    'a line that always reports everything as heard',
    sabotaged({ events: ({ events }) => ({ marked: (id) => events.marked(id, 2_000) }) }),
    [
      'reports how much was heard since the previous mark, if it knows',
      'confirms the marks of cleared audio, and reports correctly how much of it was heard',
    ],
  ],
  [
    'marks that are confirmed twice after a clear',
    sabotaged({
      connection: (connection, { events }) => ({
        clear: () => {
          connection.clear()
          events.marked(1, 0)
        },
      }),
    }),
    [
      'confirms the marks of cleared audio, and reports correctly how much of it was heard',
      'plays again after a clear',
    ],
  ],
  [
    'a line that confirms nothing after a clear',
    sabotaged({
      connection: (connection) => {
        let cleared = false
        return {
          clear: () => {
            cleared = true
            connection.clear()
          },
          mark: (id) => void (cleared || connection.mark(id)),
        }
      },
    }),
    ['plays again after a clear'],
  ],
  [
    'a caller who is reported as lost after hanging up',
    sabotaged({
      events: ({ events }) => ({
        hungUp: () => {
          events.hungUp()
          events.lost()
        },
      }),
    }),
    ['emits once that the caller hung up, and nothing afterwards'],
  ],
  [
    'a lost caller who is never reported',
    sabotaged({ events: () => ({ lost() {} }) }),
    ['emits once that the caller is lost, and nothing afterwards'],
  ],
  [
    'a line that stays open',
    sabotaged({ subject: () => ({ ended: () => false }) }),
    [
      'hangs up when its scope closes, and emits nothing afterwards',
      'ends synchronously on abort() in the middle of a speech, and emits nothing afterwards',
    ],
  ],
  [
    'audio after closing began',
    sabotaged({ subject: () => ({ audibleAfterClosing: () => 20 }) }),
    ['is silent from the moment its scope begins to close'],
  ],
  [
    'methods that throw during and after the close',
    sabotaged({
      connection: (connection, { context }) => ({
        play: (frame) => {
          if (context.scope.state !== 'live') throw new Error('write after end')
          connection.play(frame)
        },
      }),
    }),
    [
      'accepts every call at any time without throwing',
      'is silent from the moment its scope begins to close',
    ],
  ],
  [
    'events after the end',
    sabotaged({
      connection: (connection, { events, stage }) => ({
        mark: (id) => {
          connection.mark(id)
          stage.elapse(1_000).then(
            () => events.text('still here'),
            () => {},
          )
        },
      }),
    }),
    [
      'ends synchronously on abort() in the middle of a speech, and emits nothing afterwards',
      'hangs up when its scope closes, and emits nothing afterwards',
      'emits once that the caller hung up, and nothing afterwards',
    ],
  ],
]

describeSabotage('lines', ownChecks(lineConformance), defects)
