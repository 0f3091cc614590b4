import type { Journal } from '../../host/journal/index.ts'
import { check, type Check, type Stage } from '../conformance/index.ts'

/** A journal in an empty database. */
export interface JournalSubject {
  readonly journal: Journal
  /** Another connection to the same database, as another host has it. Absent if the database allows only one. */
  another?(): Promise<Journal>
  /** Closes all connections and deletes the database. */
  end(): Promise<void>
}

/** A check with two hosts. Where the database allows only one connection, both use the same. */
export const journalCheck = (
  name: string,
  play: (journal: Journal, other: Journal, stage: Stage) => Promise<void>,
): Check<JournalSubject> =>
  check(name, async (stage, subject) => {
    try {
      await play(subject.journal, (await subject.another?.()) ?? subject.journal, stage)
    } finally {
      await subject.end()
    }
  })
