import type { Line, LineConnection, LineEvents, PartContext } from '../../src/parts/index.ts'
import {
  TestLine,
  lineConformance,
  type LineSubject,
  type Make,
  type Stage,
} from '../../src/testing/index.ts'
import { describeSabotage, ownChecks, type Saboteur } from './sabotage.ts'

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
  readonly sampleRate?: 8_000
}

/** A line that does what it should, except for what the saboteur does. */
function sabotaged({ events: ears, connection: ways, subject, sampleRate }: Sabotage): Make<LineSubject> {
  return (stage) => {
    const inner = new TestLine()
    const line: Line = {
      name: 'line',
      sampleRate: sampleRate ?? inner.sampleRate,
      open: async (context, events) => {
        const call = { line: inner, context, events, stage }
        const connection = await inner.open(context, {
          frame: (frame) => events.frame(frame),
          marked: (id, heard) => events.marked(id, heard),
          dtmf: (digit) => events.dtmf(digit),
          text: (text) => events.text(text),
          hungUp: () => events.hungUp(),
          lost: (error) => events.lost(error),
          ...ears?.(call),
        })
        return {
          play: (frame) => connection.play(frame),
          mark: (id) => connection.mark(id),
          clear: () => connection.clear(),
          ...ways?.(connection, call),
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

const saboteurs: Saboteur<LineSubject>[] = [
  [
    'another rate than it says',
    sabotaged({ sampleRate: 8_000 }),
    ['brings what the caller says, at its rate'],
  ],
  [
    'keys that are lost',
    sabotaged({ events: () => ({ dtmf() {} }) }),
    ['brings what the caller types and the keys that are pressed, in order'],
  ],
  [
    'marks that come at once',
    sabotaged({ connection: (_, { events }) => ({ mark: (id) => events.marked(id) }) }),
    [
      'returns each mark once, in order, and not before the sound can have been heard',
      'tells once that the caller hung up, and nothing after it',
    ],
  ],
  [
    'that it has always heard everything',
    sabotaged({ events: ({ events }) => ({ marked: (id) => events.marked(id, 2_000) }) }),
    [
      'says, if it knows, how much was heard since the mark before',
      'returns the marks of what was cleared, and says truly what was heard of it',
    ],
  ],
  [
    'marks that come twice after a clear',
    sabotaged({
      connection: (connection, { events }) => ({
        clear: () => {
          connection.clear()
          events.marked(1, 0)
        },
      }),
    }),
    [
      'returns the marks of what was cleared, and says truly what was heard of it',
      'plays again after a clear',
    ],
  ],
  [
    'that a clear is for ever',
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
    'that the caller hangs up twice',
    sabotaged({
      events: ({ events }) => ({
        hungUp: () => {
          events.hungUp()
          events.lost()
        },
      }),
    }),
    ['tells once that the caller hung up, and nothing after it'],
  ],
  [
    'that nobody is ever lost',
    sabotaged({ events: () => ({ lost() {} }) }),
    ['tells once that the caller is gone, and nothing after it'],
  ],
  [
    'a line that stays open',
    sabotaged({ subject: () => ({ ended: () => false }) }),
    [
      'hangs up when its scope closes, and tells nothing after it',
      'is cut by abort() in the middle of a speech, and tells nothing after it',
    ],
  ],
  [
    'sound after closing began',
    sabotaged({ subject: () => ({ audibleAfterClosing: () => 20 }) }),
    ['is silent from the first moment of closing'],
  ],
  [
    'methods that throw in the end',
    sabotaged({
      connection: (connection, { context }) => ({
        play: (frame) => {
          if (context.scope.state !== 'live') throw new Error('write after end')
          connection.play(frame)
        },
      }),
    }),
    ['takes anything at any time without throwing', 'is silent from the first moment of closing'],
  ],
  [
    'news after the end',
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
      'is cut by abort() in the middle of a speech, and tells nothing after it',
      'hangs up when its scope closes, and tells nothing after it',
      'tells once that the caller hung up, and nothing after it',
    ],
  ],
]

describeSabotage('lines', ownChecks(lineConformance), saboteurs)
