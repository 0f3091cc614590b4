import type { Bench } from '../bench.ts'

export const link: Bench = {
  summary: 'The cost of a supervised link, compared with a bare `ws` socket.',
  notes: [
    'A frame is 20 ms of sound, 640 bytes, sent to a server in another process, which echoes it. Frame: CPU time of the',
    'client alone, in bursts of a hundred. Reconnect: wall time from the message that makes the server reset the',
    'connection until the next connection is ready, without backoff. Heap: per open connection, for a link including its',
    'scope.',
  ],
  figures: {
    frame: { title: 'frame', unit: 'µs round trip', digits: 2 },
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
