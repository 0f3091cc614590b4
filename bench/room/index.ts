import type { Bench } from '../bench.ts'

/** What a call with local models costs, and how a crowd fares. `src/providers/local/local-room.ts` has limits from it. */
export const room: Bench = {
  summary: 'What a call with local models costs this machine, and how 130 callers at once fare.',
  notes: [
    'Memory: of the first call, with the code that all calls share, and of another one.',
    'A refused caller was told BUSY or TOO_FAST; a failed one was admitted and not answered.',
    'The time to be told includes 130 WebSocket handshakes from the same machine.',
  ],
  figures: {
    start: { title: 'start', unit: 'ms of a core', digits: 0 },
    memory: { title: 'memory', unit: 'MB', digits: 0 },
    another: { title: 'another call', unit: 'MB', digits: 0 },
    talking: { title: 'talking', unit: '% of a core', digits: 1 },
    answered: { title: 'answered', unit: 'calls', digits: 0 },
    refused: { title: 'refused', unit: 'calls', digits: 0 },
    failed: { title: 'failed', unit: 'calls', digits: 0 },
    told: { title: 'told after', unit: 'ms', digits: 0 },
  },
  contestants: { endwell: { load: () => import('./endwell.ts') } },
  marks: [
    { figure: 'another', atMost: 150 },
    { figure: 'failed', atMost: 0 },
    { figure: 'told', atMost: 5_000 },
  ],
}
