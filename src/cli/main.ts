#!/usr/bin/env node
import { exitCodes } from './command.ts'

/** Loaded when they are needed: the help must not wait for the models and the host. */
const commands = {
  dev: async (args: readonly string[]) => (await import('./dev-command.ts')).dev(args),
  phone: async (args: readonly string[]) => (await import('./phone.ts')).phone(args),
}

const [name = '--help', ...args] = process.argv.slice(2)
const usage = [
  'Usage: endwell <command> [options]',
  '',
  'Commands:',
  '  dev    talk to an agent in the browser, and see what each session owns and how it ended',
  '  phone  call an agent with a recording, and record its answers',
  '',
  'See endwell <command> --help',
].join('\n')

if (name === '--help' || name === '-h') console.log(usage)
else if (Object.hasOwn(commands, name)) await commands[name as keyof typeof commands](args)
else {
  console.error(`Unknown command '${name}'\n${usage}`)
  process.exitCode = exitCodes.misuse
}
