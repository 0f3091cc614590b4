import { exitCodes, runCommand, type Command, type Options, type Values } from '../command.ts'
import { optionsOf, readConfiguration } from '../read-configuration.ts'
import { operatorSettings } from '../settings.ts'
import { terminal } from '../terminal.ts'
import { openOperator } from './open-operator.ts'
import type { Operator } from './operator.ts'

/** What a command found or did. */
export interface Outcome {
  /** For `--json`. */
  readonly value: object
  readonly lines: readonly string[]
  /** Default: 0. */
  readonly code?: number
}

export interface OperatorCommand<O extends Options> extends Omit<Command<O>, 'run' | 'notes'> {
  /** What is wrong with the arguments. */
  readonly check?: (values: Values<O>) => string | undefined
  readonly act: (operator: Operator, values: Values<O>) => Promise<Outcome>
}

const notes = [
  '',
  'Asks a host over HTTP, with the secret in ENDWELL_SECRET. If no host answers there and no --url was given, opens the',
  'journal itself: the database in DATABASE_URL, or the data folder. Settings are also read from .env.',
]

/** Runs a command for operators: reads its settings, finds the host or the journal, and prints what came of it. */
export function runOperatorCommand<const O extends Options>(
  { check, act, ...command }: OperatorCommand<O>,
  args: readonly string[],
): Promise<void> {
  const options = { ...command.options, ...optionsOf(operatorSettings) }
  const misuse = (problems: readonly string[]): number => {
    terminal.complain(...problems, `See ${command.name} --help`)
    return exitCodes.misuse
  }
  return runCommand(
    {
      ...command,
      options,
      notes,
      run: async (given) => {
        const own = given as Values<O>
        const problem = check?.(own)
        if (problem !== undefined) return misuse([problem])
        const { values, mistakes } = readConfiguration(operatorSettings, given)
        if (mistakes.length > 0) return misuse(mistakes)
        const operator = await openOperator(values)
        try {
          const { value, lines, code = exitCodes.ok } = await act(operator, own)
          if (own.json) terminal.json(value)
          else terminal.print(...lines)
          return code
        } finally {
          await operator.close()
        }
      },
    },
    args,
  )
}
