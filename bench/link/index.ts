import type { Bench } from '../bench.ts'

export const link: Bench = {
  summary: 'What a supervised link costs, beside a bare socket of `ws`.',
  notes: [
    'A frame is 20 ms of sound, 640 bytes, sent to a server in another process and sent back. Frames are CPU time of',
    'this side alone, in bursts of a hundred; reconnecting is wall time, from the frame that makes the server reset the',
    'connection to the next one that is ready, with no backoff. Heap is what one open connection takes,',
    'that of a link with its scope.',
  ],
  figures: {
    frame: { title: 'frame', unit: 'µs there and back', digits: 2 },
    reconnect: { title: 'reconnect', unit: 'ms', digits: 2 },
    heap: { title: 'heap', unit: 'KB open', digits: 1 },
    kept: { title: 'kept', unit: 'KB closed', digits: 2 },
  },
  contestants: {
    endwell: { load: () => import('./endwell.ts') },
    ws: { package: 'ws', load: () => import('./bare-ws.ts') },
  },
  marks: [
    { figure: 'frame', against: 'ws', timesAsMuch: 1.3 },
    { figure: 'reconnect', atMost: 20 },
    { figure: 'heap', atMost: 10 },
    { figure: 'kept', atMost: 0.75 },
  ],
}
