import type { Bar, Waterfall } from '../ended/waterfall.ts'

/** Milliseconds of the example's axis. */
const END = 5_000

function bar(name: string, from: number, until: number, outcome: string, more: Partial<Bar> = {}): Bar {
  return {
    type: 'bar',
    depth: 1,
    name,
    kind: 'resource',
    outcome,
    tone: 'good',
    left: (from / END) * 100,
    width: ((until - from) / END) * 100,
    shielded: 0,
    goesOn: false,
    took: until - from < 1_000 ? `${until - from} ms` : `${(until - from) / 1_000} s`,
    ...more,
  }
}

/** A close in which a tool does not stop: what the page shows after a call. */
export const exampleWaterfall: Waterfall = {
  rows: [
    { type: 'phase', depth: 0, name: 'Work in progress' },
    bar('speaking', 0, 20, 'stopped', { kind: 'task' }),
    bar('tool book', 0, 4_500, 'did not stop', { kind: 'task', tone: 'bad', goesOn: true }),
    { type: 'phase', depth: 0, name: 'Connections' },
    bar('line', 2_250, 2_400, 'closed'),
    bar('STT', 2_250, 2_850, 'closed'),
    bar('LLM', 2_250, 2_260, 'closed'),
    bar('TTS', 2_250, 2_700, 'closed'),
    { type: 'phase', depth: 0, name: 'Hooks, recording and toolsets' },
    bar('recording', 2_850, 3_300, 'closed'),
  ],
  ticks: [0, 1, 2, 3, 4].map((second) => ({ at: second * 20, text: second === 0 ? '0' : `${second} s` })),
  deadline: { at: 100, text: '5 s', beyond: false },
}
