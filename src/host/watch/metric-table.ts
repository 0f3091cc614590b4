/** One metric of the host. `docs/observability.md` has the same table, and a test compares the two. */
export interface MetricRow {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** How the values of several workers become one. Default: `sum`. */
  readonly merge?: 'sum' | 'max'
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[]
  /** Label values that exist from the start with the value 0, so that their first increase is visible. */
  readonly initial?: readonly string[]
}

/** Why a call was refused. */
export const refusals = ['busy', 'rate', 'draining', 'unauthorised', 'journal', 'other'] as const
export const workStates = ['waiting', 'running', 'dead'] as const
/** How one attempt of after-call work ended: `retry` failed and will be tried again, `dead` was the last one. */
export const attemptOutcomes = ['done', 'retry', 'dead', 'lost'] as const
/** What the watchdog did: it named the culprit only, ended the culprit's code, or had the worker killed. */
export const blockOutcomes = ['named', 'cut', 'killed'] as const
/** Why a worker was replaced. */
export const restarts = ['exit', 'killed', 'memory', 'blocked', 'other'] as const

export type RefusedWhy = (typeof refusals)[number]
export type AttemptOutcome = (typeof attemptOutcomes)[number]
export type BlockOutcome = (typeof blockOutcomes)[number]
export type RestartWhy = (typeof restarts)[number]

/** All metrics, by the name of the field that holds them in `Metrics`. Durations are in seconds. */
export const metricTable = {
  calls: { name: 'endwell_calls', type: 'gauge', help: 'Calls in progress.', labels: [] },
  callsTotal: {
    name: 'endwell_calls_total',
    type: 'counter',
    help: 'Calls that have ended, by line, close reason, and whether the close was clean.',
    labels: ['line', 'reason', 'clean'],
  },
  closeSeconds: {
    name: 'endwell_call_close_seconds',
    type: 'histogram',
    help: 'Time from the request to close a call to its report.',
    labels: [],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  stepsTotal: {
    name: 'endwell_call_steps_total',
    type: 'counter',
    help: 'Steps and tasks of closes, by outcome.',
    labels: ['step', 'outcome'],
  },
  turnLatency: {
    name: 'endwell_turn_latency_seconds',
    type: 'histogram',
    help: "Time from the end of the caller's speech to the first sound of the answer, in total and by stage.",
    labels: ['stage'],
    buckets: [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10],
  },
  usageTotal: {
    name: 'endwell_usage_total',
    type: 'counter',
    help: 'What the models of ended calls have used, by model and unit.',
    labels: ['model', 'unit'],
  },
  costTotal: {
    name: 'endwell_cost_total',
    type: 'counter',
    help: 'What the models of ended calls have cost, by model and currency.',
    labels: ['model', 'currency'],
  },
  unpricedTotal: {
    name: 'endwell_cost_unknown_total',
    type: 'counter',
    help: 'Ended calls in which a model used something without a price, by model.',
    labels: ['model'],
  },
  refusedTotal: {
    name: 'endwell_refused_total',
    type: 'counter',
    help: 'Calls that were refused.',
    labels: ['why'],
    initial: refusals,
  },
  links: {
    name: 'endwell_links',
    type: 'gauge',
    help: 'Connections to providers of the calls in progress, by state.',
    labels: ['provider', 'state'],
  },
  work: {
    name: 'endwell_work',
    type: 'gauge',
    help: 'After-call work that is not done, by state.',
    labels: ['state'],
    // All processes of a host see the same journal.
    merge: 'max',
    initial: workStates,
  },
  workOldest: {
    name: 'endwell_work_oldest_seconds',
    type: 'gauge',
    help: 'Time since the oldest after-call work that is not done fell due.',
    labels: [],
    merge: 'max',
  },
  workAttempts: {
    name: 'endwell_work_attempts_total',
    type: 'counter',
    help: 'Attempts of after-call work, by outcome.',
    labels: ['outcome'],
    initial: attemptOutcomes,
  },
  appendSeconds: {
    name: 'endwell_journal_append_seconds',
    type: 'histogram',
    help: 'Time until the journal has acknowledged a write.',
    labels: [],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  },
  spooled: {
    name: 'endwell_spooled',
    type: 'gauge',
    help: 'Writes in the local spool that the journal does not have yet.',
    labels: [],
  },
  loopBlocked: {
    name: 'endwell_loop_blocked_total',
    type: 'counter',
    help: 'Times that the event loop of a worker was blocked, by what the watchdog did.',
    labels: ['outcome'],
    initial: blockOutcomes,
  },
  workersRestarted: {
    name: 'endwell_workers_restarted_total',
    type: 'counter',
    help: 'Workers that were replaced.',
    labels: ['why'],
    initial: restarts,
  },
  callsAdopted: {
    name: 'endwell_calls_adopted_total',
    type: 'counter',
    help: 'Calls of dead hosts that this host has adopted.',
    labels: [],
  },
  draining: {
    name: 'endwell_draining',
    type: 'gauge',
    help: '1 while the host takes no new calls because it is shutting down, 0 otherwise.',
    labels: [],
    merge: 'max',
  },
} as const satisfies Readonly<Record<string, MetricRow>>
