import { didYouMean } from '../scope/index.ts'

/** A value that a setting cannot have. The message continues a sentence about it: `must be a whole number`. */
export class InvalidValue extends Error {
  /** Follows the sentence: ` Did you mean 'warn'?` */
  readonly hint: string

  constructor(message: string, hint = '') {
    super(message)
    this.hint = hint
  }
}

/** One thing that can be configured. */
export interface Setting<T> {
  /** Its name in the table: `public-url`. */
  readonly name: string
  /** Whether there is an option `--name`. Secrets have none: other users of the machine see the arguments of a process. */
  readonly flag: boolean
  /** Its environment variable. */
  readonly variable: string
  readonly about: string
  /** What the help calls the value: `time`. */
  readonly value: string
  /** As a user would write it. */
  readonly default?: string
  readonly secret?: boolean
  /** Checks the text, and converts it. Throws `InvalidValue`. */
  readonly read: (text: string) => T
  /** How a value is printed. Default: as it was given, or masked if it is secret. */
  readonly show?: (text: string) => string
}

export type Settings = Readonly<Record<string, Setting<unknown>>>

/** Where the value of a setting came from. */
export type Source = 'flag' | 'environment' | '.env' | 'default' | 'not set'

/** The values of settings that are set, or have a default. */
export type ValuesOf<S extends Settings> = {
  readonly [K in keyof S]?: S[K] extends Setting<infer T> ? T : never
}

/** A setting as it is in force. Secrets are masked. */
export interface ConfigurationRow {
  readonly setting: string
  readonly value: string | undefined
  readonly source: Source
}

export interface Configuration<S extends Settings> {
  readonly values: ValuesOf<S>
  readonly rows: readonly ConfigurationRow[]
  /** Everything that is wrong, in one sentence each. */
  readonly mistakes: readonly string[]
  readonly warnings: readonly string[]
}

type Variables = Readonly<Record<string, string | undefined>>

export interface ConfigurationSources {
  /** The environment variables of all settings, for misspelt ones. */
  readonly known: readonly string[]
  /** The options of the command line, by the name of the setting. */
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly environment: Variables
  /** The variables of the file `.env`. */
  readonly file: Variables
}

/**
 * Reads settings: an option wins over the environment, the environment over the file `.env`, and the file over the default.
 * An empty variable counts as not set. Reports every mistake at once (HO28).
 */
export function configure<S extends Settings>(settings: S, sources: ConfigurationSources): Configuration<S> {
  const values: [string, unknown][] = []
  const rows: ConfigurationRow[] = []
  const mistakes: string[] = []
  for (const [key, setting] of Object.entries(settings)) {
    const { text, source } = find(setting, sources)
    rows.push({ setting: setting.name, value: text === undefined ? undefined : shown(setting, text), source })
    if (text === undefined) continue
    try {
      values.push([key, setting.read(text)])
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      const not = setting.secret ? '' : `, not '${text}'`
      mistakes.push(`${nameOf(setting, source)} ${error.message}${not}${error.hint && `.${error.hint}`}`)
    }
  }
  return {
    values: Object.fromEntries(values) as ValuesOf<S>,
    rows,
    mistakes: [...mistakes, ...misspelt(sources.known, sources.file, '.env')],
    // In the environment, such a name may belong to another program: Kubernetes sets variables named after services.
    warnings: misspelt(sources.known, sources.environment, 'the environment').filter((each) =>
      each.endsWith('?'),
    ),
  }
}

function find(
  { name, variable, default: preset }: Setting<unknown>,
  { flags, environment, file }: ConfigurationSources,
): { readonly text: string | undefined; readonly source: Source } {
  if (flags[name] !== undefined) return { text: flags[name], source: 'flag' }
  const own = environment[variable]
  if (own !== undefined && own !== '') return { text: own, source: 'environment' }
  // A variable of the environment wins also if it is empty.
  if (own === undefined && file[variable]) return { text: file[variable], source: '.env' }
  return preset === undefined ? { text: undefined, source: 'not set' } : { text: preset, source: 'default' }
}

function shown({ secret, show }: Setting<unknown>, text: string): string {
  if (show) return show(text)
  return secret ? `*** (${text.length} characters)` : text
}

function nameOf({ name, variable }: Setting<unknown>, source: Source): string {
  if (source === 'flag') return `--${name}`
  return source === '.env' ? `${variable} in .env` : `${variable} in the environment`
}

const PREFIX = 'ENDWELL_'

/** Variables that look like settings and are none. */
export function misspelt(known: readonly string[], variables: Variables, where: string): string[] {
  const endings = known.filter((each) => each.startsWith(PREFIX)).map((each) => each.slice(PREFIX.length))
  return Object.keys(variables)
    .filter((variable) => variable.startsWith(PREFIX) && !known.includes(variable))
    .map((variable) => {
      const hint = didYouMean(variable.slice(PREFIX.length), endings, PREFIX)
      return `${variable} in ${where} is not a setting.${hint}`
    })
}

/** The configuration as a table. */
export function tableOf(rows: readonly ConfigurationRow[]): string[] {
  const cells = rows.map(({ setting, value, source }) => [setting, value ?? '–', source] as const)
  return alignColumns([['setting', 'value', 'from'], ...cells])
}

/** Pads the cells, so that they form columns. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
