import type { Bench } from '../bench.ts'

export const phone: Bench = {
  summary: 'The cost of phone calls, compared with a bare `ws` server that echoes the same frames.',
  notes: [
    'A hundred concurrent calls in one process, over real sockets; the carrier is another process, which is not measured.',
    'Each call sends 50 frames of 20 ms per second, mu-law as base64 in JSON, and plays received sound in real time. The `ws`',
    'server parses every frame and echoes its sound. endwell has one session per call, as in the benchmark `calls`: sound is',
    'decoded once for a VAD, goes to an STT stub as it is, and a TTS stub makes mu-law, as most vendors can. The carrier',
    'returns a mark five times a second. Calls: per core, computed from the CPU time of one call. Sound: from a beep of the',
    'caller to its echo. For endwell: from the beep to the STT, plus from the TTS to the stream. Memory and voice: as in `calls`.',
  ],
  figures: {
    cpu: { title: 'CPU', unit: '% of a core per call', digits: 3 },
    calls: { title: 'calls', unit: 'per core', digits: 0 },
    delay: { title: 'loop delay', unit: 'ms, p99', digits: 1 },
    memory: { title: 'memory', unit: 'KB per call', digits: 0 },
    voice: { title: 'voice', unit: 'KB per call', digits: 0 },
    kept: { title: 'kept', unit: 'KB per call', digits: 1 },
    left: { title: 'left', unit: 'sockets, timers', digits: 0 },
    sound: { title: 'sound', unit: 'ms round trip', digits: 1 },
  },
  contestants: {
    endwell: { load: () => import('./endwell.ts') },
    ws: { package: 'ws', load: () => import('./bare-ws.ts') },
  },
  atOnce: true,
  marks: [
    { figure: 'cpu', against: 'ws', timesAsMuch: 1.5 },
    { figure: 'memory', atMost: 60 },
    { figure: 'left', atMost: 0 },
    { figure: 'sound', atMost: 4 },
  ],
}
