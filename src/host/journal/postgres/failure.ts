import { JournalUnavailableError } from '../errors.ts'

/** The address of a database without its password, and without options that may contain one. */
export function describeUrl(url: string): string {
  // Greedy: a password that was not encoded may contain any of these characters.
  const [, scheme = 'postgres:', user = '', rest = url] = /^(\w+:)\/\/(?:(.*)@)?(.*)$/s.exec(url) ?? []
  const [name = ''] = user.split(':')
  const [place = ''] = rest.split('?')
  return `${scheme}//${name === '' ? '' : `${name}@`}${place}`
}

/** Classes of SQLSTATE that are mistakes in a statement or in its values: data, constraints, syntax. */
const mistakes = /^(22|23|42)/
/** Permission denied: not a mistake of the journal. */
const DENIED = '42501'

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start the database, or correct its address',
  ENOTFOUND: 'Correct the name of its host',
  ENOENT: 'Start the database, or correct its address',
  '28P01': 'Correct the user and the password',
  '28000': 'Correct the user and the password',
  '3D000': 'Create the database, or correct its name',
  '53100': 'Free some space on the disk of the database',
  '53300': 'Raise max_connections of the database, or use a connection pooler',
  '25006': 'Connect to the primary server, not to a replica',
  [DENIED]: 'Grant the user the right to create a schema and tables, or to write to them',
}

/** SQLSTATE, or the code of a system error. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}

/** The error that the journal rejects with. Mistakes of the journal stay as they are. */
export function failure(where: string, error: unknown): unknown {
  const code = codeOf(error)
  if (mistakes.test(code) && code !== DENIED) return error
  const hint = hints[code]
  // A failure to connect to each of several addresses has no message of its own.
  const why = (error as Error).message || code || 'the connection failed'
  return new JournalUnavailableError(where, hint === undefined ? why : `${why}. ${hint}`, error)
}

/** Whether a transaction was rolled back because of another one, and may succeed when it is repeated. */
export const isConflict = (error: unknown): boolean =>
  error instanceof JournalUnavailableError && /^40(P01|001)$/.test(codeOf(error.cause))
