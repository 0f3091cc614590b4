import {
  WorkRunner,
  type AfterCallContext,
  type AfterCallHandlers,
  type WorkAttempt,
  type WorkRunnerOptions,
} from '../../../src/host/index.ts'
import { Scope } from '../../../src/scope/index.ts'
import { inVirtualTime, type SimClock } from '../../../src/testing/index.ts'
import { FakeWorkJournal } from './fake-work-journal.ts'

export const HOUR = 3_600_000

/** A runner with its journal, its log, and the attempts that it reported. */
export class WorkStage {
  readonly clock: SimClock
  readonly scope: Scope
  readonly journal: FakeWorkJournal
  readonly attempts: WorkAttempt[] = []
  readonly log: string[] = []

  constructor(clock: SimClock, journal = new FakeWorkJournal(clock)) {
    this.clock = clock
    this.scope = new Scope('worker', { clock })
    this.journal = journal
  }

  start(handlers: AfterCallHandlers, options: Partial<WorkRunnerOptions> = {}): WorkRunner {
    const log = (_: object, message: string): void => void this.log.push(message)
    return new WorkRunner({
      scope: this.scope,
      journal: this.journal,
      owner: 'host 1',
      handlers,
      random: { next: () => 0.5 },
      logger: { debug: log, info: log, warn: log, error: log },
      onAttempt: (attempt) => void this.attempts.push(attempt),
      ...options,
    })
  }

  outcomes(): string[] {
    return this.attempts.map(({ key, outcome }) => `${key} ${outcome}`)
  }
}

export const onStage = (test: (stage: WorkStage) => Promise<void>): Promise<void> =>
  inVirtualTime(async ({ clock }) => {
    const stage = new WorkStage(clock)
    try {
      await test(stage)
    } finally {
      stage.journal.silent.clear()
      await stage.scope.close()
    }
  })

/** Waits until the signal of a handler aborts, and throws its reason. */
export const untilAborted = ({ signal }: AfterCallContext): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
