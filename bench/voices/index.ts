import type { Bench } from '../bench.ts'

export const voices: Bench = {
  summary: 'The local voice beside Flite, whose voices are on npm, too.',
  notes: [
    'Ten sentences of a clinic. First sound: the median, with a warm voice. Speech: CPU time per second of speech. Memory: with a',
    'warm voice. Words: the share of words that Moonshine hears wrong, which is how clear a voice is, not how pleasant.',
    'Flite is the voice slt, compiled to WASI, in this process. It and Moonshine come from npm, into node_modules/.cache. Without a',
    'network there is no row for it, and there are no words.',
  ],
  figures: {
    first: { title: 'first sound', unit: 'ms', digits: 0 },
    speech: { title: 'speech', unit: 'ms/s', digits: 0 },
    memory: { title: 'memory', unit: 'MB', digits: 0 },
    words: { title: 'words', unit: '%', digits: 1 },
  },
  contestants: {
    endwell: { load: () => import('./endwell.ts') },
    flite: { load: () => import('./flite.ts') },
  },
  // Which one is better is for the reader to judge.
  marks: [],
}
