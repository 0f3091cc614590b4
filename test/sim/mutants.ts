/** A way to break the kernel: in `file`, the text `find`, which occurs exactly once, becomes `replace`. */
export interface Mutant {
  readonly name: string
  /** The world that must notice it. Default: `scope`. */
  readonly world?: string
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** Each of these is a bug that a voice framework has shipped or could ship. The simulation must notice every one. */
export const mutants: readonly Mutant[] = [
  {
    name: 'unbounded wait: the budget never ends',
    file: 'scope/closing.ts',
    find: '() => this.force())',
    replace: '() => {})',
  },
  {
    name: 'no dedup: every close() starts a close of its own',
    file: 'scope/scope.ts',
    find: 'if (ledger.closing) ledger.closing.requestAgain(request)',
    replace: "if (ledger.closing && ledger.state === 'closed') ledger.closing.requestAgain(request)",
  },
  {
    name: 'late resource kept: a resource that is ready after closing began is not aborted',
    file: 'scope/scope.ts',
    find: 'if (context.cancelled) {\n        discard(name, resource, problems)',
    replace: 'if (context.cancelled) {',
  },
  {
    name: 'no abort path: a resource whose close takes too long is left alone',
    file: 'scope/resource.ts',
    find: '    this.#abort()\n    this.#finish(ledger, outcome, true)',
    replace: '    this.#finish(ledger, outcome, true)',
  },
  {
    name: 'finally not awaited: a cancelled task counts as ended at once',
    file: 'scope/task.ts',
    find: 'this.cancelWith(reason)',
    replace: "this.cancelWith(reason)\n    this.#ended('cancelled', reason)",
  },
  {
    name: 'timer left behind: holds are not cleared when the phase has ended',
    file: 'scope/closing.ts',
    find: '    for (const timer of this.#holdTimers) timer.clear()\n    this.#holdTimers = []',
    replace: '    this.#holdTimers = []',
  },
  {
    name: 'timer left behind: the budget is not cleared when all members have ended',
    file: 'scope/closing.ts',
    find: '    this.#budgetTimer?.clear()\n    for',
    replace: '    for',
  },
  {
    name: 'a task that is spawned while closing begins is not cancelled',
    file: 'scope/closing.ts',
    find: 'for (const member of this.#ledger.all()) member.cancel(this.reason)',
    replace:
      'for (const member of this.#ledger.all()) if (member.since < this.askedAt) member.cancel(this.reason)',
  },
  {
    name: 'late error unhandled: the error of an abandoned task ends the process',
    file: 'scope/task.ts',
    find: "late?.(outcome === 'ended' ? { outcome, value } : { outcome, error: value })",
    replace: "if (outcome === 'ended') late?.({ outcome, value })\n      else throw value",
  },
  {
    name: 'late outcome lost',
    file: 'scope/task.ts',
    find: 'late: ledger.abandon(this)',
    replace: 'late: undefined',
  },
  {
    name: 'a later request can move the deadline later',
    file: 'scope/deadline.ts',
    find: 'if (!(at < this.#at)) return false',
    replace: 'if (at === this.#at) return false',
  },
  {
    name: "a child does not know its parent's deadline",
    file: 'scope/closing.ts',
    find: 'outer?.deadline.at ?? this.askedAt',
    replace: 'this.askedAt',
  },
  {
    name: 'admission stays open while closing',
    file: 'scope/ledger.ts',
    find: 'if (this.closing) throw new ScopeClosedError(this.name, what, this.closing.reason)',
    replace: '',
  },
  {
    name: 'timers still fire while closing',
    file: 'scope/timer.ts',
    find: '  override notifyClosing(): void {\n    this.clear()\n  }',
    replace: '',
  },
  {
    name: 'any error after a cancel counts as cancelled',
    file: 'scope/task.ts',
    find: "reason && isCancellation(reason, error) ? 'cancelled' : 'failed'",
    replace: "reason ? 'cancelled' : 'failed'",
  },
  {
    name: 'phases run all at once',
    file: 'scope/closing.ts',
    find: 'if (this.#holding > 0) return this.#armBudget()',
    replace: 'if (this.#holding > 0) this.#armBudget()',
  },
  {
    name: 'a cap is ignored',
    file: 'scope/resource.ts',
    find: 'return Math.min(this.#cap ?? share, share)',
    replace: 'return share',
  },
  {
    name: 'a shield is ignored',
    file: 'scope/task.ts',
    find: 'if (why instanceof CancelledError && this.#shield && closing) {',
    replace: 'if (why instanceof CancelledError && this.#shield?.ms === -1 && closing) {',
  },
  {
    name: 'deferred work is dropped at the deadline',
    file: 'scope/deferred.ts',
    find: '  force(): void {\n    this.begin()',
    replace: '  force(): void {',
  },
  {
    name: 'deferred work runs on without a bound',
    file: 'scope/deferred.ts',
    find: 'ledger.settings.releaseTimeout',
    replace: '50_000',
  },
  {
    name: 'a close waits for the task that requested it',
    file: 'scope/task.ts',
    find: 'this.ledger!.exempt(this)',
    replace: '',
  },
  {
    name: 'a listener that throws stops the close',
    file: 'scope/resource.ts',
    find: 'callOut(() => method(resource), this.#problem.bind(this, what))',
    replace: 'method(resource)',
  },
  {
    name: 'the report is not frozen',
    file: 'scope/report-builder.ts',
    find: 'return Object.freeze(value)',
    replace: 'return value',
  },
  {
    name: 'a report with abandoned work is clean',
    file: 'scope/report-builder.ts',
    find: "outcome !== 'failed' && outcome !== 'abandoned'",
    replace: "outcome !== 'failed'",
  },
  {
    name: 'an async callback that rejects ends the process',
    file: 'scope/edge.ts',
    find: '    if (then) follow(value as PromiseLike<unknown>, then, noop, (error) => report(failed, error))\n',
    replace: '',
  },
  {
    name: 'a signal listener that throws ends the process',
    file: 'scope/cancel.ts',
    find: '      guardSignal(this.#controller.signal, () => this.errorSink())\n',
    replace: '',
  },
  {
    name: 'an onLate that fails ends the process',
    file: 'scope/ledger.ts',
    find: 'callOut(() => onLate({ scope, name, kind, at, ...late }), noop)',
    replace: 'onLate({ scope, name, kind, at, ...late })',
  },
  {
    name: 'the owner of a resource that came too late gets the error of its abort()',
    file: 'scope/scope.ts',
    find: 'discard(name, resource, this.#ledger.problems)',
    replace: 'resource.abort()',
  },
  {
    name: "a library's cancel error counts as a failure",
    file: 'scope/cancellation.ts',
    find: 'return saysCancelled(error)',
    replace: 'return false',
  },
  {
    name: 'a report that came late is clean',
    file: 'scope/report-builder.ts',
    find: '      ...(requests.aborted ? [] : lateness(took, closeTimeout)),\n',
    replace: '',
  },
  {
    name: 'a report is clean though work below is still running',
    file: 'scope/report-builder.ts',
    find: '      ...this.#stillRunning(took),\n',
    replace: '',
  },
  {
    name: 'every close of a session starts a close of its own',
    world: 'session',
    file: 'session/closing/session-machine.ts',
    find: "if (phase !== 'closing') return this.#close(event.ask)",
    replace: "if (phase !== 'closing' || state.begun) return this.#close(event.ask)",
  },
  {
    name: 'after-call work does not run',
    world: 'session',
    file: 'session/closing/closing.ts',
    find: 'if (report.startedAt !== undefined && settings.afterCall.length > 0)',
    replace: 'if (report.startedAt === undefined && settings.afterCall.length > 0)',
  },
  {
    name: 'a close leaves queued speech waiting',
    world: 'session',
    file: 'session/speaking/speaking.ts',
    find: '    for (const speech of this.waiting) speech.interrupt({ force: true })\n',
    replace: '',
  },
  {
    name: 'a close does not settle speech whose end the line has not confirmed',
    world: 'session',
    file: 'session/speaking/playout-machine.ts',
    find: "        for (const playing of stopping) playing.phase = 'ended'\n",
    replace: '',
  },
  {
    name: 'frames in flight are played after the end',
    world: 'session',
    file: 'session/closing/closing.ts',
    find: "callOut(() => speaking?.mute(), failed('silence'))",
    replace: "callOut(() => speaking?.pause(), failed('silence'))",
  },
  {
    name: 'supervisor: a worker that drains still counts, so that it is replaced only after its exit',
    world: 'supervisor',
    file: 'host/supervisor/supervisor-machine.ts',
    find: "phase === 'starting' || phase === 'ready'\n",
    replace: "phase !== 'dying'\n",
  },
  {
    name: 'supervisor: a worker that ignores its close is waited for forever',
    world: 'supervisor',
    file: 'host/supervisor/supervisor-machine.ts',
    find: "        return this.#kill(worker, 'exited')\n",
    replace: '        return []\n',
  },
  {
    name: 'supervisor: a drain has no end',
    world: 'supervisor',
    file: 'host/supervisor/supervisor-machine.ts',
    find: "      case 'draining':\n        return this.#close(worker)",
    replace: "      case 'draining':\n        return []",
  },
  {
    name: 'supervisor: a process that cannot be killed is waited for forever',
    world: 'supervisor',
    file: 'host/supervisor/supervisor-machine.ts',
    find: "      case 'dying':\n        return this.#gone(worker)",
    replace: "      case 'dying':\n        return []",
  },
  {
    name: 'supervisor: the journal is waited for forever',
    world: 'supervisor',
    file: 'host/supervisor/supervisor-machine.ts',
    find: 'state.orphaning.size > 0 && state.now < state.orphanBy',
    replace: 'state.orphaning.size > 0',
  },
  {
    name: 'supervisor: calls that lost their process do not count',
    world: 'supervisor',
    file: 'host/supervisor/supervisor-machine.ts',
    find: 'if (lost > 0) state.unclean = true',
    replace: 'if (lost < 0) state.unclean = true',
  },
  {
    name: 'supervisor: calls that did not close cleanly do not count',
    world: 'supervisor',
    file: 'host/supervisor/supervisor-machine.ts',
    find: 'if (drained && !drained.clean) state.unclean = true',
    replace: '',
  },
  {
    name: 'supervisor: reports that were not written do not count',
    world: 'supervisor',
    file: 'host/supervisor/supervisor-machine.ts',
    find: 'if (drained && !drained.written) state.unwritten = true',
    replace: '',
  },
  {
    name: 'supervisor: a worker over its memory limit is killed with its calls',
    world: 'supervisor',
    file: 'host/supervisor/supervisor-machine.ts',
    find: "        return this.#retire(worker, 'memory')",
    replace: "        return this.#kill(worker, 'memory')",
  },
  {
    name: 'supervisor: replaced workers pile up',
    world: 'supervisor',
    file: 'host/supervisor/supervisor-machine.ts',
    find: 'draining.length - room)',
    replace: '0)',
  },
  {
    name: 'supervisor: the second signal kills',
    world: 'supervisor',
    file: 'host/supervisor/supervisor-machine.ts',
    find: "    if (state.phase === 'draining') {\n      state.phase = 'closing'\n      return this.workers.flatMap((worker) => this.#close(worker))",
    replace:
      "    if (state.phase === 'draining') {\n      state.phase = 'closing'\n      return this.workers.flatMap((worker) => this.#kill(worker, 'exited'))",
  },
]
