import type { Bench } from '../bench.ts'

export const local: Bench = {
  summary: 'What the models that need no key understand, and what they cost.',
  notes: [
    'Sixteen recordings by four synthetic voices, each as it is, soft, in noise, with an echo, higher and lower. Phrases',
    'are those of a clinic with days and times. No human voice is among them: those the model was made for, but accents,',
    'microphones and rooms differ more than this.',
    'Missed: phrases that were not understood. Mistaken: phrases taken for others. Taken: other speech taken for a phrase.',
    'Speech: computing for a second of it. Opening and memory are of one stream, with its thread and its model.',
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
