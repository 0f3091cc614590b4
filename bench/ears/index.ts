import type { Bench } from '../bench.ts'

export const ears: Bench = {
  summary: 'The local ear beside Moonshine, which takes dictation and whose weights are on npm.',
  notes: [
    'The recordings of `npm run bench -- local`. LocalStt knows the phrases and looks for nothing else; Moonshine knows none, and',
    'writes down what it hears. Missed: phrases that were not recognised. Mistaken: phrases recognised as others. Taken: other',
    'speech recognised as a phrase. Words: the share of words that are wrong, in all recordings. Speech: CPU time per second of',
    'speech. Opening and memory: the thread and the model.',
    'Moonshine comes from npm, into node_modules/.cache. Without a network there is no row for it.',
  ],
  figures: {
    missed: { title: 'missed', unit: '%', digits: 1 },
    mistaken: { title: 'mistaken', unit: '%', digits: 1 },
    taken: { title: 'taken', unit: '%', digits: 1 },
    words: { title: 'words', unit: '%', digits: 1 },
    speech: { title: 'speech', unit: 'ms/s', digits: 0 },
    open: { title: 'opening', unit: 'ms', digits: 0 },
    memory: { title: 'memory', unit: 'MB', digits: 0 },
  },
  contestants: {
    endwell: { load: () => import('./endwell.ts') },
    moonshine: { load: () => import('./moonshine.ts') },
  },
  marks: [
    { figure: 'missed', against: 'moonshine', timesAsMuch: 1 },
    { figure: 'memory', against: 'moonshine', timesCheaper: 3 },
  ],
}
