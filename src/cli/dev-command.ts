import { OptionError, describeError, noop } from '../scope/index.ts'
import { plain, timeText } from '../report/index.ts'
import type { SessionReport } from '../session/index.ts'
import { chooseModels, namesOf } from './choose-models.ts'
import { exitCodes, runCommand } from './command.ts'
import { Dev, untilSignal, type PhoneAccount } from './dev.ts'
import { loadAgent } from './load-agent.ts'
import { isLevel, terminalLog, timeOfDay, type Level } from './terminal-log.ts'

export function dev(args: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell dev',
      summary:
        'Serves an agent on this machine. The page lets you talk to it, by voice or by typing, shows what each session\n' +
        'owns and how it ended, and can inject faults. Ctrl-C closes the sessions, then the server. Press it twice to abort.',
      argument: {
        name: 'FILE',
        about: 'a module whose default export is { name, agent, models }',
        default: 'agent.ts',
      },
      options: {
        port: {
          type: 'number',
          about: 'the port to listen on; PORT in the environment changes the default',
          default: defaultPort(),
        },
        host: { type: 'string', about: 'the address to listen on', default: '127.0.0.1' },
        model: {
          type: 'string',
          about: 'local, openai or gemini (default: by the key in the environment)',
        },
        log: {
          type: 'string',
          about: 'the log level: debug, info, warn, error or none',
          default: 'warn',
        },
      },
      run: async ({ argument, port, host, model, log, json }) => {
        // The reader of stdout may exit first, as `head` does. The calls must go on.
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
            `${file.name} answers at ${running.url}\n${listed.join(' · ')}\nOpen the page and press Call. Press Ctrl-C to stop.`,
            { url: running.url, models },
          )
          await untilSignal(() => running.abort())
          const { took, clean } = await running.close()
          say(`closed ${clean ? 'cleanly' : 'not cleanly'} in ${Math.round(took)} ms`, {
            ended: true,
            took,
            clean,
          })
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
  throw new OptionError(`--log must be debug, info, warn, error or none, not '${text}'`)
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

function defaultPort(): number {
  const port = Number(process.env['PORT'])
  return process.env['PORT'] !== undefined && Number.isInteger(port) ? port : 4600
}
