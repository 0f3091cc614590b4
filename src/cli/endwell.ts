import { ownVersion } from '../host/start/version.ts'
import { didYouMean } from '../scope/index.ts'
import { exitCodes } from './command.ts'
import { terminal } from './terminal.ts'

interface Entry {
  readonly about: string
  /** Loaded when it is needed: the help must not wait for the models and the host. */
  readonly run: (args: readonly string[]) => Promise<void>
}

const callCommands = () => import('./operator/call-commands.ts')
const hostCommands = () => import('./operator/host-commands.ts')

export const commands: Readonly<Record<string, Entry>> = {
  init: {
    about: 'write the files of a new project',
    run: async (args) => (await import('./init/init-command.ts')).init(args),
  },
  start: {
    about: 'serve an agent in production',
    run: async (args) => (await import('./start-command.ts')).start(args),
  },
  dev: {
    about: 'talk to an agent in the browser, and see what each session owns and how it ended',
    run: async (args) => (await import('./dev-command.ts')).dev(args),
  },
  chat: {
    about: 'talk to an agent by text, in the terminal',
    run: async (args) => (await import('./conversation/chat-command.ts')).chat(args),
  },
  talk: {
    about: 'talk to an agent by the microphone of this machine',
    run: async (args) => (await import('./talk/talk-command.ts')).talk(args),
  },
  call: {
    about: 'have an agent call a number',
    run: async (args) => (await import('./call-command.ts')).call(args),
  },
  phone: {
    about: 'call an agent with sentences or a recording, and check its answers',
    run: async (args) => (await import('./phone/phone-command.ts')).phone(args),
  },
  sessions: { about: 'list calls', run: async (args) => (await callCommands()).sessions(args) },
  report: { about: 'print how a call ended', run: async (args) => (await callCommands()).report(args) },
  close: { about: 'close a call', run: async (args) => (await callCommands()).close(args) },
  hosts: { about: 'list hosts', run: async (args) => (await hostCommands()).hosts(args) },
  drain: {
    about: 'have a host take no more calls, and exit after the last',
    run: async (args) => (await hostCommands()).drain(args),
  },
  work: {
    about: 'list after-call work, or retry it',
    run: async (args) => (await hostCommands()).work(args),
  },
  hunt: {
    about: 'hang up on an agent at every moment, and see what does not end well',
    run: async (args) => (await import('./hunt/hunt-command.ts')).hunt(args),
  },
  doctor: {
    about: 'check what `start` needs, and say what to do',
    run: async (args) => (await import('./doctor/doctor-command.ts')).doctor(args),
  },
}

const width = Math.max(...Object.keys(commands).map((name) => name.length))

const usage = [
  'Usage: endwell <command> [options]',
  '',
  'Commands:',
  ...Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`),
  '',
  'See endwell <command> --help. The version: endwell --version',
]

/** Runs the `endwell` command. */
export async function endwell([name = '--help', ...args]: readonly string[]): Promise<void> {
  if (name === '--help' || name === '-h') return terminal.print(...usage)
  if (name === '--version' || name === '-v') return terminal.print(ownVersion())
  if (Object.hasOwn(commands, name)) return await commands[name]!.run(args)
  terminal.complain(`Unknown command '${name}'.${didYouMean(name, Object.keys(commands))}`, ...usage)
  process.exitCode = exitCodes.misuse
}
