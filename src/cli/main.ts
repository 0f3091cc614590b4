#!/usr/bin/env node
import { chooseModels, namesOf } from './choose-models.ts'
import { exitCodes, runCommand } from './command.ts'
import { Dev, untilAsked, type PhoneAccount } from './dev.ts'
import { loadAgent } from './load-agent.ts'
import { phone } from './phone.ts'

const commands = { dev, phone } as const

const [name = '--help', ...args] = process.argv.slice(2)
const usage = [
  'Usage: endwell <command> [options]',
  '',
  'Commands:',
  '  dev    talk to an agent in the browser, see what is alive and how each session ended',
  '  phone  ring an agent with a recording, and hear what it says',
  '',
  'See endwell <command> --help',
].join('\n')

if (name === '--help' || name === '-h') console.log(usage)
else if (Object.hasOwn(commands, name)) await commands[name as keyof typeof commands](args)
else {
  console.error(`There is no command '${name}'\n${usage}`)
  process.exitCode = exitCodes.misuse
}

function dev(rest: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell dev',
      summary:
        'Serves an agent on this machine: a page to talk to it, by voice or by typing, that shows what is alive and how\n' +
        'each session ended. Faults can be switched on in it. Ends by Ctrl-C, sessions first; twice ends it at once.',
      argument: {
        name: 'FILE',
        about: 'exports { name, agent, models } as its default',
        default: 'agent.ts',
      },
      options: {
        port: {
          type: 'number',
          about: 'where to listen; PORT in the environment, or 4600',
          default: presetPort(),
        },
        host: { type: 'string', about: 'the address to listen on', default: '127.0.0.1' },
        model: {
          type: 'string',
          about: 'local, openai or gemini; by the key in the environment unless given',
        },
      },
      run: async ({ argument, port, host, model, json }) => {
        const say = (text: string, fields: object): void => console.log(json ? JSON.stringify(fields) : text)
        try {
          const file = await loadAgent(argument!)
          const choice = chooseModels(file, model, process.env)
          const secret = process.env['ENDWELL_SECRET']
          const phoneAccount = phoneAccountOf(process.env)
          const running = await Dev.start({
            file,
            choice,
            port,
            host,
            phone: phoneAccount,
            ...(secret ? { secret } : {}),
          })
          const models = namesOf(choice.models())
          const listed = Object.entries(models).map(([what, which]) => `${what} ${which}`)
          say(`${file.name} answers at ${running.url}\n${listed.join(' · ')}`, { url: running.url, models })
          await untilAsked(() => running.abort())
          const { took, clean } = await running.close()
          say(`ended ${clean ? 'well' : 'not well'} in ${Math.round(took)} ms`, { ended: true, took, clean })
          return clean ? exitCodes.ok : exitCodes.failed
        } catch (error) {
          const { code, message } = error as { code?: string; message?: string }
          if (json) console.log(JSON.stringify({ error: { code, message } }))
          else console.error(message ?? String(error))
          return exitCodes.failed
        }
      },
    },
    rest,
  )
}

function phoneAccountOf(env: NodeJS.ProcessEnv): PhoneAccount {
  const { TWILIO_AUTH_TOKEN: authToken, TWILIO_ACCOUNT_SID: accountSid, TWILIO_API_URL: api } = env
  const { PUBLIC_URL: publicUrl } = env
  return {
    ...(authToken ? { authToken } : {}),
    ...(accountSid ? { accountSid } : {}),
    ...(publicUrl ? { publicUrl } : {}),
    ...(api ? { api } : {}),
  }
}

function presetPort(): number {
  const port = Number(process.env['PORT'])
  return process.env['PORT'] !== undefined && Number.isInteger(port) ? port : 4600
}
