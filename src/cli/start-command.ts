import { existsSync } from 'node:fs'
import { exitCodes as hostExitCodes } from '../host/exit-codes.ts'
import type { AgentSummary, Running } from '../host/index.ts'
import type { Logger } from '../parts/index.ts'
import { noop } from '../scope/index.ts'
import { agentFile } from './agent-options.ts'
import { exitCodes, failedWith, runCommand } from './command.ts'
import { tableOf, type ValuesOf } from './configuration.ts'
import { page } from './page.ts'
import { carrierConflicts, phoneAccount } from './phone-account.ts'
import { optionsOf, readConfiguration } from './read-configuration.ts'
import { startSettings } from './settings.ts'
import { terminal } from './terminal.ts'

type StartValues = ValuesOf<typeof startSettings>

const notes = [
  '',
  'Without an option, a setting is read from the environment, then from .env in the working directory. In them:',
  ...Object.values(startSettings)
    .filter(({ flag }) => !flag)
    .map(({ variable, about }) => `  ${variable}: ${about}`),
  '',
  'SIGTERM, SIGINT and SIGHUP: the first lets the calls finish, the second closes them now, the third kills.',
  '',
  'Exit codes:',
  `  ${hostExitCodes.clean}  every call closed cleanly, and every report was written`,
  `  ${hostExitCodes.unclean}  every report was written; a call did not close cleanly, or the host could not start`,
  `  ${exitCodes.misuse}  an option or a setting is not valid`,
  `  ${hostExitCodes.unwritten}  a report may not have been written; the next start finds its call, and makes its report`,
  `  ${hostExitCodes.killed}  a third signal killed the workers; the next start makes the reports of their calls`,
  `  ${hostExitCodes.hopeless}  workers ended again and again before one was ready; what they printed says why`,
]

export function start(args: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell start',
      summary:
        'Serves an agent in production: calls are written to a journal, and survive the processes that serve them. Prints\n' +
        'the settings to stderr, and logs lines of JSON to stdout.',
      argument: agentFile,
      options: optionsOf(startSettings),
      notes,
      run: async ({ argument, json, ...given }) => {
        // The reader of a stream may exit first, as `head` does. The calls must go on.
        for (const stream of [process.stdout, process.stderr]) stream.on('error', noop)
        const code = await run(String(argument), given, json)
        // The exit is bounded, whatever is left open: everything that matters has been closed.
        await terminal.flush()
        return process.exit(code)
      },
    },
    args,
  )
}

async function run(
  file: string,
  given: Parameters<typeof readConfiguration>[1],
  json: boolean,
): Promise<number> {
  const signals = new Signals()
  const configuration = readConfiguration(startSettings, given)
  const { values, rows } = configuration
  const mistakes = [...configuration.mistakes, ...conflicts(values)]
  if (mistakes.length > 0) {
    if (json) terminal.json({ error: { code: 'BAD_OPTION', message: mistakes.join('. '), mistakes } })
    else terminal.complain(...mistakes, 'See endwell start --help')
    return exitCodes.misuse
  }
  const warnings = [...configuration.warnings, ...risks(values)]
  if (json) terminal.json({ configuration: rows, warnings })
  else terminal.complain(...tableOf(rows), ...warnings.map((warning) => `warning: ${warning}`))
  try {
    const { jsonLog } = await import('../host/index.ts')
    const agent = await check(file, values.databaseUrl, signals.aborted)
    const logger = jsonLog({ level: values.log ?? 'info', write: (line) => terminal.print(line) })
    const host = await serveWith(file, values, logger)
    signals.passTo(host)
    logger.info({ url: host.url, host: host.id, agent: agent.name, models: agent.models }, 'listening')
    if (!json) terminal.complain(`${agent.name} answers at ${host.url}`)
    const code = await host.ended
    logger.info({ code }, 'ended')
    return code
  } catch (error) {
    if (signals.aborted.aborted) return exitCodes.ok
    return failedWith(error, json)
  }
}

/** Checks the agent file. An error about missing packages names those of the journal, too. */
async function check(
  file: string,
  databaseUrl: string | undefined,
  signal: AbortSignal,
): Promise<AgentSummary> {
  const { checkAgent, PackagesMissingError } = await import('../host/index.ts')
  const { notInstalled, startPackages } = await import('./start-packages.ts')
  const missing = notInstalled(startPackages(file, databaseUrl))
  try {
    const agent = await checkAgent(file, { signal })
    if (missing.length === 0) return agent
  } catch (error) {
    if (!(error instanceof PackagesMissingError)) throw error
    throw new PackagesMissingError(file, [...new Set([...missing, ...error.packages])], { cause: error })
  }
  throw new PackagesMissingError('endwell start', missing)
}

async function serveWith(
  file: string,
  { log = 'info', ...values }: StartValues,
  logger: Logger,
): Promise<Running> {
  const { serve } = await import('../host/index.ts')
  const { twilioAuthToken, twilioSecondaryAuthToken, twilioAccountSid, twilioApi, ...others } = values
  const { telnyxApiKey, telnyxPublicKey, telnyxApplication, telnyxApi, ...options } = others
  return serve(file, {
    ...options,
    logLevel: log,
    logger,
    phone: phoneAccount({
      twilioAuthToken,
      twilioSecondaryAuthToken,
      twilioAccountSid,
      twilioApi,
      telnyxApiKey,
      telnyxPublicKey,
      telnyxApplication,
      telnyxApi,
    }),
    ...(existsSync(page) ? { page } : {}),
  })
}

/** Settings that exclude each other. */
export function conflicts(values: StartValues): string[] {
  const { workers = 1, maxCalls = 100 } = values
  const few = `max-calls is ${maxCalls}: it must be at least ${workers}, one per worker`
  return [...(maxCalls >= workers ? [] : [few]), ...carrierConflicts(values)]
}

/** What works, but hardly as intended. */
export function risks(values: StartValues): string[] {
  const { host = '', secret, publicUrl, databaseUrl, privateHost = '' } = values
  const shared = databaseUrl !== undefined
  const found: (string | false)[] = [
    secret === undefined &&
      !isLoopback(host) &&
      `listening on ${host} without ENDWELL_SECRET: requests from other machines are refused. Set it to admit them`,
    secret === undefined &&
      publicUrl !== undefined &&
      'PUBLIC_URL is set without ENDWELL_SECRET: requests through a proxy are refused, unless the carrier signed them',
    publicUrl?.startsWith('http:') === true &&
      !isLoopback(new URL(publicUrl).hostname) &&
      `${publicUrl} is not encrypted: browsers give no microphone to such a page, and anybody on the way hears the calls`,
    shared &&
      secret === undefined &&
      'the database can be shared, but hosts without the same ENDWELL_SECRET cannot pass callers on to each other',
    shared &&
      isLoopback(privateHost) &&
      `other hosts that share the database cannot reach this one at ${privateHost}: set --private-host to its address`,
  ]
  return found.filter((each) => each !== false)
}

function isLoopback(host: string): boolean {
  return /^(localhost|127\..*|\[?::1\]?)$/.test(host)
}

/** SIGTERM, SIGINT and SIGHUP, from the first moment on. Before there is a host, they end the start. */
class Signals {
  readonly #early = new AbortController()
  #host: Running | undefined

  constructor() {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(name, () => (this.#host ? this.#host.signal() : this.#early.abort()))
  }

  /** Aborted by a signal that came before there was a host. */
  get aborted(): AbortSignal {
    return this.#early.signal
  }

  passTo(host: Running): void {
    this.#host = host
    if (this.#early.signal.aborted) host.signal()
  }
}
