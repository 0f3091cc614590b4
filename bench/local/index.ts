import type { Bench } from '../bench.ts'

export const local: Bench = {
  summary: 'The accuracy and the cost of the local models, which need no API key.',
  notes: [
    'Sixteen recordings of four synthetic voices, each one plain, quiet, with noise, with echo, higher and lower. The phrases',
    'are those of a clinic, with days and times. There are no human voices: the model was made for them, but real accents,',
    'microphones and rooms vary more than these recordings.',
    'Missed: phrases that were not recognised. Mistaken: phrases recognised as others. Taken: other speech recognised as a',
    'phrase. Speech: CPU time per second of speech. Opening and memory: one stream with its thread and its model.',
  ],
  figures: {
    missed: { title: 'missed', unit: '%', digits: 1 },
    mistaken: { title: 'mistaken', unit: '%', digits: 1 },
    taken: { title: 'taken', unit: '%', digits: 1 },
    speech: { title: 'speech', unit: 'ms/s', digits: 0 },
    open: { title: 'opening', unit: 'ms', digits: 0 },
    memory: { title: 'memory', unit: 'MB', digits: 0 },
    vad: { title: 'VAD', unit: 'µs/frame', digits: 1 },
    voice: { title: 'first sound', unit: 'ms', digits: 0 },
    dialogue: { title: 'answer', unit: 'µs', digits: 0 },
  },
  contestants: { endwell: { load: () => import('./endwell.ts') } },
  marks: [
    { figure: 'missed', atMost: 20 },
    { figure: 'mistaken', atMost: 3 },
    { figure: 'taken', atMost: 10 },
    { figure: 'speech', atMost: 300 },
    { figure: 'open', atMost: 1_000 },
    { figure: 'memory', atMost: 100 },
    { figure: 'vad', atMost: 40 },
    { figure: 'voice', atMost: 300 },
    { figure: 'dialogue', atMost: 2_000 },
  ],
}
