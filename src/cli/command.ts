import { parseArgs } from 'node:util'
import { EndwellError, describeError, didYouMean } from '../scope/index.ts'
import { terminal } from './terminal.ts'

interface Flag {
  readonly type: 'boolean'
  readonly about: string
}

interface Text {
  readonly type: 'string'
  readonly about: string
  /** What the help calls the value. Default: `string`. */
  readonly value?: string
  readonly default?: string
}

/** An option that can be repeated. */
interface List {
  readonly type: 'list'
  readonly about: string
  readonly value?: string
}

interface Amount {
  readonly type: 'number'
  readonly about: string
  readonly default?: number
  /** Whole numbers in this range only. */
  readonly range?: readonly [least: number, most: number]
}

export type Options = Readonly<Record<string, Flag | Text | List | Amount>>

type Base<O> = O extends Flag
  ? boolean
  : O extends Text
    ? string
    : O extends List
      ? readonly string[]
      : number
type Value<O> = O extends Flag | { readonly default: string | number } ? Base<O> : Base<O> | undefined

/** The parsed arguments: one value per option, the positional argument, and whether to print JSON. */
export type Values<O extends Options> = { readonly [K in keyof O]: Value<O[K]> } & {
  readonly json: boolean
  readonly argument: string | undefined
}

export interface Command<O extends Options> {
  /** As the user types it: `npm run bench --`. */
  readonly name: string
  readonly summary: string
  /** The positional argument, if the command takes one. */
  readonly argument?: { readonly name: string; readonly about: string; readonly default?: string }
  readonly options: O
  /** Further lines of the help. */
  readonly notes?: readonly string[]
  /** Returns the exit code. */
  readonly run: (values: Values<O>) => Promise<number>
}

export type Reading<O extends Options> =
  | { readonly kind: 'run'; readonly values: Values<O> }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'misuse'; readonly text: string }

export const exitCodes = { ok: 0, failed: 1, misuse: 2 } as const

const common = {
  json: { type: 'boolean', about: 'print the result as JSON' },
  help: { type: 'boolean', about: 'print this help' },
} as const

/**
 * Parses the arguments, and runs the command. Every command also has `--help` and `--json`. An error of endwell is printed
 * in one sentence, without a stack.
 *
 * @example
 * await runCommand({
 *   name: 'npm run sim --',
 *   summary: 'Simulates sessions and checks how they end.',
 *   options: { seeds: { type: 'number', about: 'how many seeds to try', default: 1_000 } },
 *   run: async ({ seeds, json }) => simulate(seeds, json),
 * })
 */
export async function runCommand<const O extends Options>(
  command: Command<O>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const reading = readArguments(command, args)
  switch (reading.kind) {
    case 'help':
      return terminal.print(...reading.text.split('\n'))
    case 'misuse':
      terminal.complain(...reading.text.split('\n'))
      process.exitCode = exitCodes.misuse
      return undefined
    case 'run':
      process.exitCode = await outcomeOf(command, reading.values)
  }
}

async function outcomeOf<O extends Options>(command: Command<O>, values: Values<O>): Promise<number> {
  try {
    return await command.run(values)
  } catch (error) {
    if (!(error instanceof EndwellError)) throw error
    return failedWith(error, values.json)
  }
}

/** Prints why a command has failed. Returns its exit code. */
export function failedWith(error: unknown, json: boolean): number {
  const { code, message } = describeError(error)
  if (json) terminal.json({ error: { code, message } })
  else terminal.complain(message)
  return exitCodes.failed
}

export function readArguments<const O extends Options>(
  command: Command<O>,
  args: readonly string[],
): Reading<O> {
  const misuse = (problem: string): Reading<O> => ({
    kind: 'misuse',
    text: `${problem}\nSee ${command.name} --help`,
  })
  const { argument } = command
  let given: ReturnType<typeof parseArgs>['values']
  let rest: readonly string[]
  try {
    const options = parserOptions({ ...command.options, ...common })
    const read = parseArgs({ args: [...args], options, allowPositionals: argument !== undefined })
    given = read.values
    rest = read.positionals
  } catch (error) {
    return misuse(problemOf(error, command))
  }
  if (given['help'] === true) return { kind: 'help', text: helpFor(command) }
  if (rest.length > 1) return misuse(`Expected one ${argument?.name}, not ${rest.length}`)

  const values: unknown[][] = [['argument', rest[0] ?? argument?.default]]
  for (const [name, option] of Object.entries<Options[string]>({ ...command.options, json: common.json })) {
    const value = given[name] ?? (option.type === 'boolean' ? false : defaultOf(option))
    if (option.type !== 'number' || typeof value !== 'string') values.push([name, value])
    else if (value === '' || !Number.isFinite(Number(value)))
      return misuse(`Option '--${name}' must be a number, not '${value}'`)
    else if (option.range && !isWithin(Number(value), option.range))
      return misuse(
        `Option '--${name}' must be a whole number from ${option.range.join(' to ')}, not ${value}`,
      )
    else values.push([name, Number(value)])
  }
  return { kind: 'run', values: Object.fromEntries(values) }
}

function defaultOf(option: Options[string]): string | number | undefined {
  return 'default' in option ? option.default : undefined
}

function isWithin(value: number, [least, most]: readonly [number, number]): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}

/** What is wrong with the arguments. `parseArgs` does not know what an unknown option was meant to be. */
function problemOf<O extends Options>(error: unknown, { options }: Command<O>): string {
  const { code, message } = error as NodeJS.ErrnoException
  const [, unknown] = /^Unknown option '(--?[^']*)'/.exec(message) ?? []
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || unknown === undefined) return message
  const known = Object.keys({ ...options, ...common })
  return `Unknown option '${unknown}'.${didYouMean(unknown.replace(/^-+/, ''), known, '--')}`
}

/** The options in the form of `parseArgs`, which has no numbers. */
function parserOptions(options: Options): Record<string, { type: 'boolean' | 'string'; multiple?: true }> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type }]) => [
      name,
      { type: type === 'boolean' ? type : 'string', ...(type === 'list' ? { multiple: true } : {}) },
    ]),
  )
}

export function helpFor<O extends Options>(command: Command<O>): string {
  const { name, summary, argument, options, notes = [] } = command
  const rows = Object.entries<Options[string]>({ ...options, ...common }).map(([option, details]) => {
    const { type, about } = details
    const value = 'value' in details ? details.value : type === 'list' ? 'string' : type
    const spelling = type === 'boolean' ? `--${option}` : `--${option} <${value}>`
    const preset = 'default' in details ? ` (default: ${details.default})` : ''
    return [spelling, about + preset] as const
  })
  const width = Math.max(...rows.map(([spelling]) => spelling.length))
  const lines = rows.map(([spelling, about]) => `  ${spelling.padEnd(width)}  ${about}`)
  const usage = `Usage: ${name}${argument ? ` [${argument.name}]` : ''} [options]`
  const preset = argument?.default === undefined ? '' : ` (default: ${argument.default})`
  const about = argument ? ['', `  ${argument.name}  ${argument.about}${preset}`] : []
  return [usage, ...about, '', summary, '', 'Options:', ...lines, ...notes].join('\n')
}
