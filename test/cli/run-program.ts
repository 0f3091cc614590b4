import { onTestFinished } from 'vitest'
import { Program, type ProgramOptions } from '../program.ts'

/** Runs the `endwell` command, and kills it when the test has finished. */
export function runProgram(args: readonly string[], options?: ProgramOptions): Program {
  const program = Program.command(args, options)
  onTestFinished(() => program.signal('SIGKILL'))
  return program
}
