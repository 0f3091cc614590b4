import type { Bench } from '../bench.ts'

export const webrtc: Bench = {
  summary: 'The cost of calls over WebRTC, compared with a bare echo on the same packages.',
  notes: [
    'Sixteen concurrent calls, which fill one thread, over real UDP; the clients are another process, which is not measured. Each',
    'sends 50 packets of Opus per second. The echo decodes every packet and encodes it again, in a thread with werift and opusscript',
    'and nothing else: the floor of any server on them. endwell has one session per call, as in the benchmark `calls`, whose agent',
    'speaks all the time. CPU and memory: of the whole process, with its threads; memory is what the first sixteen calls add.',
    'Sound: from a packet of the client to the STT, plus from the TTS to the client. For the echo: from a packet to its echo.',
    'Close: from `close()` of a session to its report, which waits for the client to leave.',
  ],
  figures: {
    cpu: { title: 'CPU', unit: '% of a core per call', digits: 2 },
    memory: { title: 'memory', unit: 'MB per call', digits: 1 },
    delay: { title: 'loop delay', unit: 'ms, p99', digits: 1 },
    sound: { title: 'sound', unit: 'ms round trip', digits: 1 },
    close: { title: 'close', unit: 'ms', digits: 1 },
    left: { title: 'left', unit: 'calls, threads, timers', digits: 0 },
  },
  contestants: {
    endwell: { load: () => import('./endwell.ts') },
    werift: { package: 'werift', load: () => import('./bare-echo.ts') },
  },
  marks: [
    { figure: 'cpu', against: 'werift', timesAsMuch: 1.5 },
    { figure: 'memory', atMost: 10 },
    { figure: 'sound', atMost: 45 },
    { figure: 'close', atMost: 100 },
    { figure: 'left', atMost: 0 },
  ],
}
