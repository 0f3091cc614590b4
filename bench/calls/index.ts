import type { Bench } from '../bench.ts'

export const calls: Bench = {
  summary:
    'The cost of browser calls, compared with a bare `ws` server that echoes the same frames, and one by hand.',
  notes: [
    'A hundred concurrent calls in one process, over real sockets; the callers are another process, which is not measured.',
    'Each caller sends and receives 50 frames of 20 ms (640 bytes) per second. The `ws` server echoes what it receives.',
    'By hand: the least that a server can do in such a call. It detects speech and sends sound as the page plays it, and that',
    'is all: without a session, nothing is checked, timed, transcribed or interrupted.',
    'endwell has one session per call: a VAD processes every frame (a question every five seconds, and room noise), an STT',
    'stub transcribes it, an LLM stub answers, a TTS stub speaks for five seconds in chunks of 100 ms, and the page reports',
    'its playout five times a second. Voice: audio buffers, nearly all of them speech that the TTS has made and the caller has',
    'not heard yet. Memory: everything else. Kept and left: what remains after all have hung up.',
    'Interrupt: from `session.interrupt()` to silence in the audio thread of Chromium. Start: from `npm start` in a copy of',
    'the repository, including the build, until the agent is heard in Chromium. Clone: the same from `npm ci` with an empty',
    'npm cache (`--cold`).',
  ],
  figures: {
    cpu: { title: 'CPU', unit: '% of a core per call', digits: 3 },
    delay: { title: 'loop delay', unit: 'ms, p99', digits: 1 },
    memory: { title: 'memory', unit: 'KB per call', digits: 0 },
    voice: { title: 'voice', unit: 'KB per call', digits: 0 },
    kept: { title: 'kept', unit: 'KB per call', digits: 1 },
    left: { title: 'left', unit: 'sockets, timers', digits: 0 },
    interrupt: { title: 'interrupt', unit: 'ms', digits: 1 },
    start: { title: 'start', unit: 's', digits: 1 },
    cold: { title: 'clone', unit: 's', digits: 1, extra: 'cold' },
    platform: { title: 'ws, Node', unit: '% of a core', digits: 3, extra: 'profile' },
    collector: { title: 'garbage', unit: '% of a core', digits: 3, extra: 'profile' },
    line: { title: 'line', unit: '% of a core', digits: 3, extra: 'profile' },
    session: { title: 'session', unit: '% of a core', digits: 3, extra: 'profile' },
    vad: { title: 'VAD', unit: '% of a core', digits: 3, extra: 'profile' },
    stubs: { title: 'stubs', unit: '% of a core', digits: 3, extra: 'profile' },
  },
  contestants: {
    endwell: { load: () => import('./endwell.ts') },
    ws: { package: 'ws', load: () => import('./bare-ws.ts') },
    'by hand': { load: () => import('./by-hand.ts') },
  },
  marks: [
    { figure: 'cpu', against: 'ws', timesAsMuch: 2 },
    { figure: 'cpu', against: 'by hand', timesAsMuch: 2 },
    { figure: 'memory', atMost: 100 },
    { figure: 'left', atMost: 0 },
    { figure: 'interrupt', atMost: 100 },
    { figure: 'cold', atMost: 120 },
  ],
  extras: {
    profile: 'also say what the CPU time of a call is spent on',
    cold: 'also measure from `npm ci` with an empty cache, which downloads everything and takes minutes',
  },
}
