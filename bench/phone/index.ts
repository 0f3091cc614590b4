import type { Bench } from '../bench.ts'

export const phone: Bench = {
  summary: 'What calls of the phone cost, beside a server of `ws` that echoes the same frames.',
  notes: [
    'A hundred calls at once in one process, over real sockets; the carrier is another process, whose work is not',
    'counted. Each sends 50 frames of 20 ms a second, mu-law in base64 in JSON, and plays what comes in real time. The',
    'echo reads each frame and sends its sound back. Ours has a session a call, as in the bench of calls: sound is decoded',
    'and resampled to 16 kHz for a VAD and an STT stub, and the five seconds of a TTS stub are resampled to 8 kHz and',
    'encoded; the carrier returns a mark five times a second. Calls a core is what the CPU of one call comes to.',
    'Sound: from a beep of the caller to its echo; with ours, to the STT, and from the TTS to the stream, together, and',
    'the 11.3 ms that resampling takes there and back.',
  ],
  figures: {
    cpu: { title: 'CPU', unit: '% of a core a call', digits: 3 },
    calls: { title: 'calls', unit: 'a core', digits: 0 },
    delay: { title: 'loop delay', unit: 'ms, p99', digits: 1 },
    memory: { title: 'memory', unit: 'KB a call', digits: 0 },
    kept: { title: 'kept', unit: 'KB a call', digits: 1 },
    left: { title: 'left', unit: 'sockets, timers', digits: 0 },
    sound: { title: 'sound', unit: 'ms there and back', digits: 1 },
  },
  contestants: {
    endwell: { load: () => import('./endwell.ts') },
    ws: { package: 'ws', load: () => import('./bare-ws.ts') },
  },
  marks: [
    { figure: 'cpu', against: 'ws', timesAsMuch: 2 },
    { figure: 'left', atMost: 0 },
    { figure: 'sound', atMost: 20 },
  ],
}
