import { existsSync } from 'node:fs'
import { isLevel, logLevels, type Level } from '../host/log-levels.ts'
import type { Logger } from '../parts/index.ts'
import { OptionError, describeError, didYouMean } from '../scope/index.ts'
import type { PriceList } from '../session/index.ts'
import { agentFile, modelOption } from './agent-options.ts'
import { exitCodes, failedWith, runCommand } from './command.ts'
import { devRecordings, type DevRecordings } from './dev-recordings.ts'
import { DevSignals } from './dev-signals.ts'
import { loadEnvFile } from './env-file.ts'
import { exitWell, heldText } from './exit-well.ts'
import { holders } from './held-open.ts'
import { page } from './page.ts'
import { phoneAccountOf } from './phone-account.ts'
import { priceFile } from './price-file.ts'
import type { DevEnd, NotLoaded, Version, VersionSettings } from './reload/dev-host.ts'
import { terminal, timeOfDay } from './terminal.ts'
import { time } from './values.ts'

export function dev(args: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell dev',
      summary:
        'Serves an agent on this machine. The page lets you talk to it, by voice or by typing, shows what each session\n' +
        'owns and how it ended, and can inject faults. When the agent file, what it imports, or .env has changed, new calls get\n' +
        'the new version, and calls in progress keep theirs. Ctrl-C closes the sessions, then the server. Press it\n' +
        'twice to abort. The exit code is 0 only if every session closed cleanly.',
      argument: agentFile,
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
        model: modelOption,
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
        'drain-timeout': {
          type: 'string',
          value: 'time',
          about: 'how long calls in progress may keep an earlier version after a change',
          default: '10m',
        },
        log: {
          type: 'string',
          about: 'the log level: debug, info, warn, error or none',
          default: 'warn',
        },
      },
      run: (values) => serve(values),
    },
    args,
  )
}

interface DevValues extends Omit<DevSettings, 'level'> {
  readonly argument: string | undefined
  readonly model: string | undefined
  readonly log: string
  readonly json: boolean
}

async function serve({
  argument,
  model,
  log,
  json,
  recordings: place,
  ...given
}: DevValues): Promise<number> {
  const before = holders()
  const say = (lines: readonly string[], fields: object): void =>
    json ? terminal.json(fields) : terminal.print(...lines)
  const signals = new DevSignals()
  let recorded: DevRecordings | undefined
  let isSecret = false
  try {
    const level = levelOf(log)
    recorded = devRecordings(place)
    const { DevHost } = await import('./reload/dev-host.ts')
    const { terminalLog } = await import('./terminal-log.ts')
    const logger = terminalLog({ level, json, to: terminal })
    const running = await DevHost.start({
      file: argument!,
      model,
      json,
      terminal,
      settings: async () => {
        const settings = await versionSettings({ ...given, recordings: recorded?.folder, level }, logger)
        isSecret = settings.serve.secret !== undefined
        return settings
      },
      reloaded: (version, calls) => say([reloadedLine(version, calls)], { reloaded: version, calls }),
      notLoaded: (error) => say(notLoadedLines(error), { notLoaded: error }),
      warned: (warning) => say([`${timeOfDay()} warning: ${warning}`], { warning }),
      signal: signals.early,
    })
    // Before anything is printed: whoever reads that the server is ready may send the signal at once.
    const signalled = signals.take(running)
    const { name, models } = running.version
    const listed = Object.entries(models).map(([what, which]) => `${what} ${which}`)
    say(
      [
        `${name} answers at ${running.url}`,
        listed.join(' · '),
        recorded.about,
        'Open the page and press Call. Changes are loaded for new calls. Press Ctrl-C to stop.',
      ],
      { url: running.url, models },
    )
    if (!isSecret && !isLocal(given.host))
      say([openWarning(given.host)], { warning: openWarning(given.host) })
    await signalled
    const { held, ...end } = await running.close()
    recorded.remove()
    say([closeOf(end)], { ended: true, ...end })
    if (held.length > 0 && json) terminal.json({ heldOpen: held })
    else if (held.length > 0) terminal.complain(heldText(held))
    // What the agent has started may hold on to the output of its process.
    return await exitWell(end.clean && !signals.aborted ? exitCodes.ok : exitCodes.failed, before, json)
  } catch (error) {
    recorded?.remove()
    if (signals.early.aborted) return exitCodes.ok
    return await exitWell(failedWith(error, json), before, json)
  }
}

interface DevSettings {
  readonly port: number | undefined
  readonly host: string
  readonly 'max-calls': number | undefined
  readonly prices: string | undefined
  readonly recordings: string | undefined
  readonly 'drain-timeout': string
  readonly level: Level
}

/** The settings of a version, with `.env` as it is now. */
async function versionSettings(given: DevSettings, logger: Logger): Promise<VersionSettings> {
  const { port, host, level, recordings, 'max-calls': maxCalls } = given
  const env: NodeJS.ProcessEnv = { ...process.env }
  await loadEnvFile(env)
  const secret = env['ENDWELL_SECRET']
  const priced = given.prices ?? env['ENDWELL_PRICES']
  if (process.stdout.isTTY && env['NO_COLOR'] === undefined) env['FORCE_COLOR'] ??= '1'
  return {
    env,
    serve: {
      port: port ?? defaultPort(env),
      host,
      logger,
      logLevel: level,
      phone: phoneAccountOf(env),
      drainTimeout: timeOf('drain-timeout', given['drain-timeout']),
      ...(maxCalls === undefined ? {} : { maxCalls }),
      ...(priced ? { priceList: pricesOf(priced) } : {}),
      ...(secret ? { secret } : {}),
      ...(recordings === undefined ? {} : { recordings }),
      ...(existsSync(page) ? { page } : {}),
    },
  }
}

function notLoadedLines({ generation, message, goesOn }: NotLoaded): string[] {
  const [first = '', ...more] = message.split('\n')
  return [
    `${timeOfDay()} version ${generation}: ${first}`,
    ...more.map((line) => `         ${line}`),
    ...(goesOn ? [`${timeOfDay()} the previous version keeps answering`] : []),
  ]
}

function reloadedLine({ generation }: Version, calls: number): string {
  const others = calls === 1 ? '1 call in progress keeps its' : `${calls} calls in progress keep their`
  const rest = calls === 0 ? '' : `; ${others} version`
  return `${timeOfDay()} version ${generation} answers new calls${rest}`
}

function closeOf({ clean, took, sessions, notClean }: Omit<DevEnd, 'held'>): string {
  const how = clean ? 'cleanly' : 'not cleanly'
  const which = notClean === 0 ? '' : `: ${notClean} of ${sessions} sessions did not close cleanly`
  return `closed ${how} in ${Math.round(took)} ms${which}`
}

function timeOf(option: string, text: string): number {
  try {
    return time('0s', '1d')(text)
  } catch (error) {
    throw new OptionError(`--${option} ${describeError(error).message}, not '${text}'`)
  }
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
