import type { Bench } from '../bench.ts'

export const session: Bench = {
  summary:
    'The cost of a session: starting, answering, interrupting, memory and closing, alone and with a thousand at once.',
  notes: [
    'Models and line answer at once, so that the figures show the runtime alone. Times are wall time, medians of many.',
    'The targets are a tenth of the figures of `@livekit/agents` 1.9.0 where that waits (close, exit, heap), and the same',
    'figures elsewhere.',
    'Stuck: every session has a tool that ignores its signal; closeTimeout is 1,000 ms, and the target 10 % more.',
  ],
  figures: {
    start: { title: 'start', unit: 'ms', digits: 3 },
    close: { title: 'healthy close', unit: 'ms', digits: 3 },
    interrupt: { title: 'interrupt', unit: 'ms', digits: 3 },
    reply: { title: 'reply', unit: 'ms', digits: 3 },
    heap: { title: 'heap', unit: 'KB idle', digits: 1 },
    kept: { title: 'kept', unit: 'KB closed', digits: 2 },
    thousand: { title: '1,000 healthy', unit: 'ms', digits: 0 },
    stuck: { title: '1,000 stuck', unit: 'ms', digits: 0 },
    exit: { title: 'exit', unit: 'ms', digits: 0 },
  },
  contestants: { endwell: { load: () => import('./endwell.ts') } },
  marks: [
    { figure: 'start', atMost: 1.8 },
    { figure: 'close', atMost: 50.2 },
    { figure: 'interrupt', atMost: 0.7 },
    { figure: 'reply', atMost: 4.7 },
    { figure: 'heap', atMost: 18.5 },
    { figure: 'kept', atMost: 0.75 },
    { figure: 'thousand', atMost: 1_000 },
    { figure: 'stuck', atMost: 1_100 },
    { figure: 'exit', atMost: 500 },
  ],
}
