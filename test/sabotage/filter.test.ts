import type { AudioFrame } from '../../src/audio/index.ts'
import type { FilterStream, PartContext } from '../../src/parts/index.ts'
import {
  ScriptedFilter,
  filterConformance,
  type FilterSubject,
  type Make,
  type Stage,
} from '../../src/testing/index.ts'
import { describeSabotage, ownChecks, type Defect } from './sabotage.ts'

type Change = (
  frame: AudioFrame,
  inner: FilterStream,
  context: PartContext,
  stage: Stage,
) => ReturnType<FilterStream['filter']>

/** A filter that is correct except for one defect. */
function sabotaged(change: Change): Make<FilterSubject> {
  return (stage) => {
    const inner = new ScriptedFilter()
    return {
      filter: {
        name: 'filter',
        hears: inner.hears,
        open: async (context, setup) => {
          const stream = await inner.open(context, setup)
          return { filter: (frame) => change(frame, stream, context, stage) }
        },
      },
    }
  }
}

const SAME = 'returns a frame of the same length and rate for each frame, in every format it hears'

const defects: Defect<FilterSubject>[] = [
  [
    'a shorter frame',
    sabotaged(({ samples, sampleRate }) => ({ samples: samples.subarray(1), sampleRate })),
    [SAME],
  ],
  ['another rate', sabotaged(({ samples }) => ({ samples, sampleRate: 8_000 })), [SAME]],
  [
    'a filter that takes one frame at a time',
    (stage) => {
      let last: Promise<unknown> = Promise.resolve()
      return sabotaged((frame) => {
        const next = last.then(() => stage.elapse(20)).then(() => frame)
        last = next
        return next
      })(stage)
    },
    ['takes a new frame before it has returned the last one, and loses none'],
  ],
  [
    'a filter that works in place',
    sabotaged((frame) => {
      frame.samples.fill(0)
      return frame
    }),
    ['does not write into the frames it is given'],
  ],
  [
    'a filter that throws after the close',
    sabotaged((frame, inner, { scope }) => {
      if (scope.state === 'closed') throw new Error('freed')
      return inner.filter(frame)
    }),
    ['accepts frames of any length at any time without throwing'],
  ],
]

describeSabotage('filters', ownChecks(filterConformance), defects)
