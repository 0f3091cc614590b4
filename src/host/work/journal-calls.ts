import { EndwellError, type Scope } from '../../scope/index.ts'
import type { Journal } from '../journal/journal.ts'
import { limits } from './limits.ts'

/** The part of a journal that after-call work needs. */
export type WorkJournal = Pick<Journal, 'claim' | 'renew' | 'settle' | 'release' | 'onWake'>

/** Calls a journal, each call within a time limit. */
export class JournalCalls {
  readonly #scope: Scope
  readonly #journal: WorkJournal
  /** Calls that timed out and have not returned. */
  #hung = 0

  constructor(scope: Scope, journal: WorkJournal) {
    this.#scope = scope
    this.#journal = journal
  }

  /** Calls exactly one of the two callbacks, unless the scope closes first. An answer that comes too late is dropped. */
  call<T>(
    name: string,
    work: (journal: WorkJournal) => Promise<T>,
    done: (value: T) => void,
    failed: (error: unknown) => void,
  ): void {
    const scope = this.#scope
    if (scope.state !== 'live') return
    if (this.#hung >= limits.hungCalls) return failed(silent(name))
    let late = false
    const timer = scope.after(limits.journalTimeout, `time of ${name}`, () => {
      late = true
      this.#hung++
      failed(silent(name))
    })
    const answered = (next: () => void): void => {
      timer.clear()
      if (late) this.#hung--
      else if (scope.state === 'live') next()
    }
    scope
      .spawn(`journal: ${name}`, () => work(this.#journal))
      .result.then(
        (value) => answered(() => done(value)),
        (error: unknown) => answered(() => failed(error)),
      )
  }
}

const silent = (name: string): EndwellError =>
  new EndwellError(
    'JOURNAL_SILENT',
    `the journal did not answer '${name}' within ${limits.journalTimeout} ms`,
  )
