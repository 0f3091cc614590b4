import type { Bench } from '../bench.ts'
import { liveTasks } from './children.ts'

export const scope: Bench = {
  summary:
    "The cost of owning a user's async function: endwell's scope, its peers, and the platform's own means.",
  notes: [
    'A task is an async function that waits to be cancelled and has a finally block; the measurement ends when all finally',
    'blocks have run and everything was awaited. A frame is one await of a pending promise, in a loop. Times are CPU time',
    'of all threads. The targets refer to the first of the two AbortControllers.',
    `effection runs ${liveTasks.effection.toLocaleString('en-US')} tasks, all others ${liveTasks.all.toLocaleString('en-US')}.`,
  ],
  figures: {
    tasks: { title: 'live tasks', unit: 'µs per task', digits: 2 },
    heap: { title: 'heap', unit: 'B per task', digits: 0 },
    ten: { title: 'scope of ten', unit: 'µs', digits: 1 },
    empty: { title: 'empty scope', unit: 'µs', digits: 1 },
    frame: { title: 'frame', unit: 'ns', digits: 0 },
    kept: { title: 'kept', unit: 'B per frame', digits: 2 },
  },
  contestants: {
    endwell: { load: () => import('./endwell.ts') },
    AbortController: { load: () => import('./abort-controller.ts') },
    'AbortController, one reason': { load: () => import('./abort-controller-one-reason.ts') },
    effect: { package: 'effect', load: () => import('./effect.ts') },
    effection: { package: 'effection', load: () => import('./effection.ts') },
    'Promise.race': { load: () => import('./promise-race.ts') },
    'bare await': { load: () => import('./bare-await.ts') },
  },
  marks: [
    { figure: 'tasks', against: 'AbortController', timesCheaper: 4 },
    { figure: 'tasks', against: 'effect', timesCheaper: 8 },
    { figure: 'ten', against: 'AbortController', timesCheaper: 4 },
    { figure: 'ten', against: 'effect', timesCheaper: 8 },
    { figure: 'heap', atMost: 1024 },
    // The smallest leak is one pointer, 8 B per frame. Less than 1 B is bookkeeping of the heap.
    { figure: 'kept', atMost: 1 },
  ],
}
