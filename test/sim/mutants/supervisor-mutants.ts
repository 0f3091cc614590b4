import type { Mutant } from './mutant.ts'

export const supervisorMutants: readonly Mutant[] = [
  {
    name: 'supervisor: workers of an earlier program go on after a reload',
    file: 'host/supervisor/supervisor-machine.ts',
    find: 'return this.#earlier(worker).flatMap((each) => this.#finished(each))',
    replace: 'return []',
  },
  {
    name: 'supervisor: a reload begins with the end of the workers before',
    file: 'host/supervisor/supervisor-machine.ts',
    find: "worker.phase === 'starting' ? this.#discard(worker) : []",
    replace: 'this.#discard(worker)',
  },
  {
    name: 'supervisor: a worker that drains still counts, so that it is replaced only after its exit',
    file: 'host/supervisor/worker-state.ts',
    find: "phase === 'starting' || phase === 'ready'\n",
    replace: "phase !== 'dying'\n",
  },
  {
    name: 'supervisor: an isolated worker takes another call after its first',
    file: 'host/supervisor/supervisor-machine.ts',
    find: 'const hasEnded = worker.calls > 0 && count === 0',
    replace: 'const hasEnded = worker.calls < 0 && count === 0',
  },
  {
    name: 'supervisor: calls of isolated workers that drain do not count',
    file: 'host/supervisor/call-places.ts',
    find: 'isolated.maxCalls - leaving)',
    replace: 'isolated.maxCalls)',
  },
  {
    name: 'supervisor: no isolated worker waits for the next call',
    file: 'host/supervisor/call-places.ts',
    find: 'busy + waiting + wanted)',
    replace: 'waiting + wanted)',
  },
  {
    name: 'supervisor: a worker that ignores its close is waited for forever',
    file: 'host/supervisor/supervisor-machine.ts',
    find: "        return this.#kill(worker, 'exited')\n",
    replace: '        return []\n',
  },
  {
    name: 'supervisor: a drain has no end',
    file: 'host/supervisor/supervisor-machine.ts',
    find: "      case 'draining':\n        return this.#close(worker)",
    replace: "      case 'draining':\n        return []",
  },
  {
    name: 'supervisor: a process that cannot be killed is waited for forever',
    file: 'host/supervisor/supervisor-machine.ts',
    find: "      case 'dying':\n        return this.#gone(worker)",
    replace: "      case 'dying':\n        return []",
  },
  {
    name: 'supervisor: the journal is waited for forever',
    file: 'host/supervisor/supervisor-machine.ts',
    find: 'state.orphaning.size > 0 && state.now < state.orphanBy',
    replace: 'state.orphaning.size > 0',
  },
  {
    name: 'supervisor: calls that lost their process do not count',
    file: 'host/supervisor/supervisor-machine.ts',
    find: 'if (lost > 0) state.unclean = true',
    replace: 'if (lost < 0) state.unclean = true',
  },
  {
    name: 'supervisor: calls that did not close cleanly do not count',
    file: 'host/supervisor/supervisor-machine.ts',
    find: 'if (drained && !drained.clean) state.unclean = true',
    replace: '',
  },
  {
    name: 'supervisor: reports that were not written do not count',
    file: 'host/supervisor/supervisor-machine.ts',
    find: 'if (drained && !drained.written) state.unwritten = true',
    replace: '',
  },
  {
    name: 'supervisor: a worker over its memory limit is killed with its calls',
    file: 'host/supervisor/supervisor-machine.ts',
    find: "        return this.#retire(worker, 'memory')",
    replace: "        return this.#kill(worker, 'memory')",
  },
  {
    name: 'supervisor: replaced workers pile up',
    file: 'host/supervisor/supervisor-machine.ts',
    find: 'some.length - (isolated?.maxCalls ?? room * workers)',
    replace: '0',
  },
  {
    name: 'supervisor: the second signal kills',
    file: 'host/supervisor/supervisor-machine.ts',
    find: "    if (state.phase === 'draining') {\n      state.phase = 'closing'\n      return this.workers.flatMap((worker) => this.#close(worker))",
    replace:
      "    if (state.phase === 'draining') {\n      state.phase = 'closing'\n      return this.workers.flatMap((worker) => this.#kill(worker, 'exited'))",
  },
]
