#!/usr/bin/env node
import { exitCodes } from './command.ts'
import { dev } from './dev-command.ts'
import { phone } from './phone.ts'

const commands = { dev, phone } as const

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
