import type { Bench } from '../bench.ts'

export const calls: Bench = {
  summary: 'What calls from browsers cost, beside a server of `ws` that echoes the same frames.',
  notes: [
    'A hundred calls at once in one process, over real sockets; the callers are another process, whose work is not',
    'counted. Each sends 50 frames of 20 ms (640 bytes) a second, and hears as many. The echo sends back what it gets.',
    'Ours has a session a call: the VAD listens to every frame (a question every five seconds, and the noise of a room),',
    'an STT stub has words for it, an LLM stub answers, a TTS stub speaks for five seconds in pieces of 100 ms, as vendors',
    'do, and the page tells five times a second how far it is. Memory is the heap and the sound, kept and left is what',
    'remains when all have hung up.',
    'Interrupt: from `session.interrupt()` to silence as the audio thread of Chromium renders it. Start: from `npm start`',
    'in a copy of the repository, the build included, until the agent is heard in Chromium. Clone: the same from `npm ci`',
    'with nothing in its cache (`--cold`).',
  ],
  figures: {
    cpu: { title: 'CPU', unit: '% of a core a call', digits: 3 },
    delay: { title: 'loop delay', unit: 'ms, p99', digits: 1 },
    memory: { title: 'memory', unit: 'KB a call', digits: 0 },
    kept: { title: 'kept', unit: 'KB a call', digits: 1 },
    left: { title: 'left', unit: 'sockets, timers', digits: 0 },
    interrupt: { title: 'interrupt', unit: 'ms', digits: 1 },
    start: { title: 'start', unit: 's', digits: 1 },
    cold: { title: 'clone', unit: 's', digits: 1, extra: 'cold' },
  },
  contestants: {
    endwell: { load: () => import('./endwell.ts') },
    ws: { package: 'ws', load: () => import('./bare-ws.ts') },
  },
  marks: [
    { figure: 'cpu', against: 'ws', timesAsMuch: 2 },
    { figure: 'left', atMost: 0 },
    { figure: 'interrupt', atMost: 100 },
    { figure: 'cold', atMost: 120 },
  ],
  extras: { cold: 'also from `npm ci` with an empty cache: downloads everything, takes minutes' },
}
