import type { Bench } from '../bench.ts'

export const host: Bench = {
  summary: 'The cost of calls through a real host, and how long it takes to recover and to drain.',
  notes: [
    'A host with a supervisor, two call workers and a work worker, on SQLite and on Postgres (without fsync). The callers are',
    'in another process on the same machine, behind a proxy, so they take CPU time from the host.',
    'Calls: 20 callers at once who dial, are greeted, hang up, and wait for the end of the call; each has a row, a report and',
    'a piece of after-call work. Appends: writes per call of about 5 s with 2 answers, and the time until one is',
    'acknowledged in the worker, with 20 calls at once (percentiles are interpolated between the buckets of the metric).',
    'Memory: live heap and buffers of the workers per idle call, of 60. Back: from the cut until a caller hears the agent in',
    'the other worker, after kill -9 of the worker that served the call; pages dial every 300 ms. Replaced: from kill -9 of',
    'both workers until a new caller is greeted. Drain: from SIGTERM to the exit of the host with 60 idle calls, without the',
    'drain timeout. Isolated: with a process per call, of which one waits for the next call; the memory of a call is that of',
    'its process (PSS), of 8. Burst: until the last of 8 callers who come at once is greeted.',
  ],
  figures: {
    rate: { title: 'calls', unit: 'per second', digits: 0 },
    cost: { title: 'call', unit: 'ms of the host’s CPU', digits: 1 },
    appends: { title: 'appends', unit: 'per call', digits: 1 },
    append50: { title: 'append', unit: 'ms, p50', digits: 1 },
    append99: { title: 'append', unit: 'ms, p99', digits: 1 },
    memory: { title: 'memory', unit: 'KB per call', digits: 0 },
    back: { title: 'back', unit: 'ms, median', digits: 0 },
    slowestBack: { title: 'back', unit: 'ms, slowest', digits: 0 },
    replaced: { title: 'replaced', unit: 'ms', digits: 0 },
    drain: { title: 'drain', unit: 'ms', digits: 0 },
    isolatedMemory: { title: 'isolated', unit: 'MB per call', digits: 0 },
    burst: { title: 'burst', unit: 'ms', digits: 0 },
    lost: { title: 'lost', unit: 'calls', digits: 0 },
  },
  contestants: {
    sqlite: { load: () => import('./sqlite.ts') },
    postgres: { package: 'pg', load: () => import('./postgres.ts') },
  },
  // Times have wide margins: they include the start of processes, and a busy machine doubles them.
  marks: [
    { figure: 'cost', atMost: 40 },
    { figure: 'appends', atMost: 8 },
    { figure: 'memory', atMost: 200 },
    { figure: 'back', atMost: 5_000 },
    { figure: 'slowestBack', atMost: 20_000 },
    { figure: 'replaced', atMost: 10_000 },
    { figure: 'drain', atMost: 10_000 },
    { figure: 'isolatedMemory', atMost: 120 },
    { figure: 'burst', atMost: 20_000 },
    { figure: 'lost', atMost: 0 },
  ],
}
