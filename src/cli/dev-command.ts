import { OptionError, describeError, noop } from '../scope/index.ts'
import { plain, timeText } from '../report/index.ts'
import type { SessionReport } from '../session/index.ts'
import { chooseModels, namesOf } from './choose-models.ts'
import { exitCodes, runCommand } from './command.ts'
import { Dev, untilAsked, type PhoneAccount } from './dev.ts'
import { loadAgent } from './load-agent.ts'
import { isLevel, terminalLog, timeOfDay, type Level } from './terminal-log.ts'

export function dev(args: readonly string[]): Promise<void> {
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
        log: {
          type: 'string',
          about: 'how much is told of what happens: debug, info, warn, error or none',
          default: 'warn',
        },
      },
      run: async ({ argument, port, host, model, log, json }) => {
        // Whoever reads this may go away, as `| head` does. The calls stay.
        process.stdout.on('error', noop)
        const say = (text: string, fields: object): void => console.log(json ? JSON.stringify(fields) : text)
        try {
          const level = levelOf(log)
          const file = await loadAgent(argument!)
          const choice = chooseModels(file, model, process.env)
          const secret = process.env['ENDWELL_SECRET']
          const running = await Dev.start({
            file,
            choice,
            port,
            host,
            phone: phoneAccountOf(process.env),
            ...(secret ? { secret } : {}),
            logger: terminalLog({ level, json, write: (text) => console.log(text) }),
            began: (id, from) =>
              say(`${timeOfDay()} call  ${id} · from ${plain(from)}`, { session: id, from }),
            ended: (report) => say(endOf(report), summaryOf(report)),
          })
          const models = namesOf(choice.models())
          const listed = Object.entries(models).map(([what, which]) => `${what} ${which}`)
          say(
            `${file.name} answers at ${running.url}\n${listed.join(' · ')}\nOpen it and press Call. Ctrl-C ends it.`,
            { url: running.url, models },
          )
          await untilAsked(() => running.abort())
          const { took, clean } = await running.close()
          say(`ended ${clean ? 'well' : 'not well'} in ${Math.round(took)} ms`, { ended: true, took, clean })
          return clean ? exitCodes.ok : exitCodes.failed
        } catch (error) {
          const { code, message } = describeError(error)
          if (json) console.log(JSON.stringify({ error: { code, message } }))
          else console.error(message)
          return exitCodes.failed
        }
      },
    },
    args,
  )
}

function endOf({ id, reason, clean, took, error }: SessionReport): string {
  const how = clean ? 'clean' : 'not clean'
  const why = error ? [plain(`${error.name}: ${error.message}`)] : []
  return `${timeOfDay()} ended ${[id, reason, how, timeText(took), ...why].join(' · ')}`
}

function summaryOf({ id, reason, clean, took, error }: SessionReport): object {
  return { session: id, reason, clean, took, ...(error ? { error } : {}) }
}

function levelOf(text: string): Level {
  if (isLevel(text)) return text
  throw new OptionError(`--log can be debug, info, warn, error or none; it is '${text}'`)
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
