import { didYouMean } from '../scope/index.ts'
import { exitCodes } from './command.ts'
import { terminal } from './terminal.ts'

/** Loaded when they are needed: the help must not wait for the models and the host. */
const commands = {
  dev: async (args: readonly string[]) => (await import('./dev-command.ts')).dev(args),
  start: async (args: readonly string[]) => (await import('./start-command.ts')).start(args),
  phone: async (args: readonly string[]) => (await import('./phone.ts')).phone(args),
}

const usage = [
  'Usage: endwell <command> [options]',
  '',
  'Commands:',
  '  start  serve an agent in production',
  '  dev    talk to an agent in the browser, and see what each session owns and how it ended',
  '  phone  call an agent with a recording, and record its answers',
  '',
  'See endwell <command> --help',
]

/** Runs the `endwell` command. */
export async function endwell([name = '--help', ...args]: readonly string[]): Promise<void> {
  if (name === '--help' || name === '-h') return terminal.print(...usage)
  if (Object.hasOwn(commands, name)) return await commands[name as keyof typeof commands](args)
  terminal.complain(`Unknown command '${name}'.${didYouMean(name, Object.keys(commands))}`, ...usage)
  process.exitCode = exitCodes.misuse
}
