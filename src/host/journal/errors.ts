import { EndwellError } from '../../scope/index.ts'

/**
 * The journal's database cannot be reached, or cannot write: it is down, its disk is full, it refuses the password. Calls
 * may try again, with the same journal. `cause` is the driver's error.
 */
export class JournalUnavailableError extends EndwellError {
  /** `where` must not contain a password. */
  constructor(where: string, why: string, cause?: unknown) {
    super('JOURNAL_UNAVAILABLE', `the journal in ${where} is not available: ${why}`, { cause })
  }
}

/** Another process has opened the data folder. */
export class JournalInUseError extends EndwellError {
  constructor(where: string, cause?: unknown) {
    super(
      'JOURNAL_IN_USE',
      `the journal in ${where} is in use by another process. Stop that process, or choose another data folder. ` +
        'Several hosts can share a journal in Postgres',
      { cause },
    )
  }
}

/** A newer version of endwell has changed the tables of the journal. */
export class JournalVersionError extends EndwellError {
  constructor(where: string, found: number, known: number) {
    super(
      'JOURNAL_VERSION',
      `the journal in ${where} was made by a newer version of endwell: its tables have version ${found}, and this ` +
        `version of endwell knows up to ${known}. Update endwell, or choose another database`,
    )
  }
}

/** The package that connects to the database is not installed. */
export class JournalDriverError extends EndwellError {
  constructor(name: string, why: string, cause?: unknown) {
    super('JOURNAL_DRIVER', `${why}. Install the package '${name}': npm install ${name}`, { cause })
  }
}
