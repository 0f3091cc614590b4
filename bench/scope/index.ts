import type { Bench } from '../bench.ts'
import { liveTasks } from './children.ts'

export const scope: Bench = {
  summary:
    "What owning a user's async function costs: endwell's scope, its peers, and what the platform offers.",
  notes: [
    'A task is an async function that waits to be cancelled and has a finally; a figure ends when every finally',
    'has run and everything was awaited. A frame is one await of a promise that is not settled yet, in a loop.',
    'Times are CPU time, of all threads. Of the two AbortControllers the first is the one that marks refer to.',
    `effection runs ${liveTasks.effection.toLocaleString('en-US')} tasks, all others ${liveTasks.all.toLocaleString('en-US')}.`,
  ],
  figures: {
    tasks: { title: 'live tasks', unit: 'µs a task', digits: 2 },
    heap: { title: 'heap', unit: 'B a task', digits: 0 },
    ten: { title: 'scope of ten', unit: 'µs', digits: 1 },
    empty: { title: 'empty scope', unit: 'µs', digits: 1 },
    frame: { title: 'frame', unit: 'ns', digits: 0 },
    kept: { title: 'kept', unit: 'B a frame', digits: 2 },
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
    // The smallest leak is one pointer, 8 B a frame; what is below 1 is the heap's own books.
    { figure: 'kept', atMost: 1 },
  ],
}
