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
  // An unused guard costs nothing. This is how much two runs of the same program differ.
  { figure: `unused${suffix}`, atMost: 3 },
]

export const guard: Bench = {
  summary: 'The cost of a guarded session, compared with the same work without a guard.',
  get notes() {
    return [
      'CPU time of the client; the server is another process. Frame: 200 sessions with 50 frames per second each, where a',
      'frame is a timer, ten awaits, and 640 bytes over `ws` to a server that echoes them. Unused: the hooks are installed,',
      'but there is no guard. Frames are measured in three processes that take turns (plain, unused and guarded), and the',
      'difference is the median over all turns.',
      hasNode24()
        ? 'The second half was measured on Node 24, from npm.'
        : 'There are no figures for Node 24: node@24 could not be installed from npm.',
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
