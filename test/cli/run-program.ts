import { onTestFinished } from 'vitest'
import { installedPackage } from '../compiled.ts'
import { Program, type ProgramOptions } from '../program.ts'

export interface RunOptions extends ProgramOptions {
  /**
   * The package whose command runs. It must be the one that the agent file imports. Default: the installed one. Its
   * modules are joined; those of the repository are as published.
   */
  readonly endwell?: string
}

/** Runs the `endwell` command, and kills it when the test has finished. */
export function runProgram(args: readonly string[], options: RunOptions = {}): Program {
  const { endwell = installedPackage(), ...others } = options
  const program = Program.command(args, others, endwell)
  onTestFinished(() => program.signal('SIGKILL'))
  return program
}
