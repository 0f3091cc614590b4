import type { Bench, Figure, Mark } from '../bench.ts'
import { hasNode24 } from './node-24.ts'

const figures: Record<string, Figure> = {
  await: { title: 'await', unit: 'ns', digits: 0 },
  timer: { title: 'timer', unit: 'µs', digits: 2 },
  unusedTimer: { title: 'timer, unused', unit: 'µs', digits: 2 },
  connect: { title: 'connect', unit: 'µs', digits: 0 },
  frame: { title: 'frame', unit: 'µs', digits: 1 },
  more: { title: 'guarded frame', unit: '% more', digits: 1 },
  unused: { title: 'unused frame', unit: '% more', digits: 1 },
}

const marksFor = (suffix: string, atMost: number): Mark[] => [
  { figure: `more${suffix}`, atMost },
  // A guard that is not used costs nothing; this is what two runs of the same differ by.
  { figure: `unused${suffix}`, atMost: 3 },
]

export const guard: Bench = {
  summary: 'What a guarded session costs, beside the same work without a guard.',
  get notes() {
    return [
      'CPU time of one side; the server is another process. A frame is one of 200 sessions with 50 frames a second: a',
      'timer, ten awaits, 640 bytes to a server by `ws` and back. Unused: the hooks are installed, and there is no guard.',
      'Frames are measured in three processes that take turns, plain, unused and guarded, and what one costs more is the',
      'median of the turns.',
      hasNode24()
        ? 'The second half is Node 24, from npm.'
        : 'node@24 could not be fetched from npm: there are no figures for Node 24.',
    ]
  },
  figures: {
    ...figures,
    ...Object.fromEntries(
      Object.entries(figures).map(([name, figure]) => [
        `${name}24`,
        { ...figure, title: `${figure.title} (24)` },
      ]),
    ),
  },
  contestants: {
    guarded: { load: () => import('./guarded.ts') },
    plain: { load: () => import('./plain.ts') },
  },
  get marks() {
    return [...marksFor('', 12), ...(hasNode24() ? marksFor('24', 2) : [])]
  },
}
