import type { Bench } from '../bench.ts'

export const importing: Bench = {
  summary: 'What a program pays before its first line: the time and the memory of `import`.',
  notes: [
    'Each import has a process of its own. Times are medians of 15, without the start of Node; memory is the resident set with Node.',
    'endwell loads `ws` when the first connection is dialled. A host and its lines load it at once.',
  ],
  figures: {
    endwell: { title: 'endwell', unit: 'ms', digits: 0 },
    cpu: { title: 'its CPU time', unit: 'ms', digits: 0 },
    memory: { title: 'its memory', unit: 'MB', digits: 0 },
    host: { title: 'endwell/host', unit: 'ms', digits: 0 },
    ws: { title: 'ws alone', unit: 'ms', digits: 0 },
  },
  contestants: { endwell: { load: () => import('./endwell.ts') } },
  marks: [{ figure: 'endwell', atMost: 80 }],
}
