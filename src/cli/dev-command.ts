import type { ReceptionEnd } from '../host/index.ts'
import { isLevel, logLevels, type Level } from '../host/log-levels.ts'
import { OptionError, describeError, systemClock, didYouMean } from '../scope/index.ts'
import { timeText } from '../report/index.ts'
import type { PriceList, SessionReport } from '../session/index.ts'
import { openChosen } from './choose-models.ts'
import { exitCodes, runCommand } from './command.ts'
import { devRecordings, type DevRecordings } from './dev-recordings.ts'
import { loadEnvFile } from './env-file.ts'
import { heldOpen, holders } from './held-open.ts'
import { priceFile } from './price-file.ts'
import { phoneAccountOf } from './phone-account.ts'
import { terminal, timeOfDay } from './terminal.ts'

/** Milliseconds from the second Ctrl-C to the exit, for reports to be printed. */
const ABORT_PATIENCE = 200

export function dev(args: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell dev',
      summary:
        'Serves an agent on this machine. The page lets you talk to it, by voice or by typing, shows what each session\n' +
        'owns and how it ended, and can inject faults. Ctrl-C closes the sessions, then the server. Press it twice to abort.\n' +
        'The exit code is 0 only if every session closed cleanly.',
      argument: {
        name: 'FILE',
        about: 'a module whose default export is { name, agent, models }',
        default: 'agent.ts',
      },
      options: {
        port: {
          type: 'number',
          about: 'the port to listen on, 0 for any; PORT in the environment changes the default (4600)',
          range: [0, 65_535],
        },
        host: { type: 'string', about: 'the address to listen on', default: '127.0.0.1' },
        'max-calls': {
          type: 'number',
          about: 'calls at once, others get a busy signal (default: by the models and this machine)',
          range: [1, 10_000],
        },
        model: {
          type: 'string',
          about: 'local, openai or gemini (default: by the key in the environment)',
        },
        prices: {
          type: 'string',
          about:
            'a file of JSON with prices by product, for the cost of calls; ENDWELL_PRICES in the environment changes the default',
        },
        recordings: {
          type: 'string',
          about:
            'the folder to record calls to, or none (default: a temporary one, which is removed at the end)',
        },
        log: {
          type: 'string',
          about: 'the log level: debug, info, warn, error or none',
          default: 'warn',
        },
      },
      run: async ({ argument, port, host, model, log, json, prices, recordings, 'max-calls': maxCalls }) => {
        const before = holders()
        const say = (lines: readonly string[], fields: object): void =>
          json ? terminal.json(fields) : terminal.print(...lines)
        let recorded: DevRecordings | undefined
        try {
          const level = levelOf(log)
          await loadEnvFile()
          const { modelNames } = await import('../host/index.ts')
          const { startDev, untilSignal } = await import('./dev.ts')
          const { terminalLog } = await import('./terminal-log.ts')
          const { file, choice, models } = await openChosen(argument!, model)
          const secret = process.env['ENDWELL_SECRET']
          const priced = prices ?? process.env['ENDWELL_PRICES']
          recorded = devRecordings(recordings)
          const running = await startDev({
            ...(recorded.folder === undefined ? {} : { recordings: recorded.folder }),
            file,
            choice,
            port: port ?? defaultPort(process.env),
            host,
            phone: phoneAccountOf(process.env),
            ...(maxCalls === undefined ? {} : { maxCalls }),
            ...(priced ? { priceList: pricesOf(priced) } : {}),
            ...(secret ? { secret } : {}),
            logger: terminalLog({ level, json, to: terminal }),
            began: (id, from) => say([`${timeOfDay()} call  ${id} · from ${from}`], { session: id, from }),
            ended: (report) => say([endOf(report)], summaryOf(report)),
          })
          // Before anything is printed: whoever reads that the server is ready may send the signal at once.
          const signalled = untilSignal(() => {
            running.abort()
            systemClock.after(ABORT_PATIENCE, 'exit', () => {
              recorded?.remove()
              process.exit(exitCodes.failed)
            })
          })
          const listed = Object.entries(modelNames(models)).map(([what, which]) => `${what} ${which}`)
          say(
            [
              `${file.name} answers at ${running.url}`,
              listed.join(' · '),
              recorded.about,
              'Open the page and press Call. Press Ctrl-C to stop.',
            ],
            { url: running.url, models: modelNames(models) },
          )
          if (!secret && !isLocal(host)) say([openWarning(host)], { warning: openWarning(host) })
          await signalled
          const end = await running.close()
          recorded.remove()
          say([closeOf(end)], { ended: true, ...end })
          const code = end.clean ? exitCodes.ok : exitCodes.failed
          const held = await heldOpen(before)
          if (held.length === 0) return code
          const why = `exits although ${held.join(', ')} of the agent's file or of abandoned work is still open`
          if (json) terminal.json({ heldOpen: held })
          else terminal.complain(why)
          return process.exit(code)
        } catch (error) {
          recorded?.remove()
          const { code, message } = describeError(error)
          if (json) terminal.json({ error: { code, message } })
          else terminal.complain(message)
          // What the agent's file has opened must not keep a program alive that has failed.
          if ((await heldOpen(before)).length > 0) process.exit(exitCodes.failed)
          return exitCodes.failed
        }
      },
    },
    args,
  )
}

function endOf({ id, reason, clean, took, error }: SessionReport): string {
  const how = clean ? 'clean' : 'not clean'
  const why = error ? [`${error.name}: ${error.message}`] : []
  return `${timeOfDay()} ended ${[id, reason, how, timeText(took), ...why].join(' · ')}`
}

function summaryOf({ id, reason, clean, took, error }: SessionReport): object {
  return { session: id, reason, clean, took, ...(error ? { error } : {}) }
}

function closeOf({ clean, took, sessions, notClean }: ReceptionEnd): string {
  const how = clean ? 'cleanly' : 'not cleanly'
  const which = notClean === 0 ? '' : `: ${notClean} of ${sessions} sessions did not close cleanly`
  return `closed ${how} in ${Math.round(took)} ms${which}`
}

function openWarning(host: string): string {
  return `listening on ${host} without ENDWELL_SECRET: requests from other machines, or through a proxy, are refused. Set it to admit them`
}

function isLocal(host: string): boolean {
  return /^(localhost|127\..*|::1)$/.test(host)
}

/** The price list of a file. */
function pricesOf(path: string): PriceList {
  try {
    return priceFile(path)
  } catch (error) {
    throw new OptionError(`prices ${describeError(error).message}, not '${path}'`)
  }
}

function levelOf(text: string): Level {
  if (isLevel(text)) return text
  throw new OptionError(
    `--log must be debug, info, warn, error or none, not '${text}'.${didYouMean(text, logLevels)}`,
  )
}

export function defaultPort({ PORT: given = '' }: NodeJS.ProcessEnv): number {
  if (given === '') return 4600
  const port = Number(given)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new OptionError(`PORT in the environment must be a whole number from 0 to 65535, not '${given}'`)
}
