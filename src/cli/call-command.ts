import type { Reception } from '../host/index.ts'
import type { Dial, DialOptions, DialReport } from '../lines/twilio/index.ts'
import { OptionError, noop, systemClock } from '../scope/index.ts'
import type { SessionReport } from '../session/index.ts'
import { agentFile, modelOption } from './agent-options.ts'
import { openChosen } from './choose-models.ts'
import { exitCodes, runCommand } from './command.ts'
import { defaultPort } from './dev-command.ts'
import { loadEnvFile } from './env-file.ts'
import { phoneAccountOf } from './phone-account.ts'
import { readConfiguration } from './read-configuration.ts'
import { operatorSettings } from './settings.ts'
import { terminal, timeOfDay } from './terminal.ts'

/** Milliseconds for the session of an answered call to begin: its stream must come, and its models must open. */
const BEGIN_PATIENCE = 60_000

export function call(args: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell call',
      summary:
        'Calls a number. Whoever answers talks to the agent. Needs an account at Twilio or Telnyx in the environment, and PUBLIC_URL,\n' +
        'the address at which the carrier reaches this machine. With --url, a host that runs makes the call with its own agent and\n' +
        'account. Ctrl-C hangs up. The exit code is 0 only if somebody answered and the session closed cleanly.',
      argument: { name: 'NUMBER', about: 'a phone number like +4930123456, or an address of SIP' },
      options: {
        agent: {
          type: 'string',
          value: 'file',
          about: agentFile.about,
          default: agentFile.default,
        },
        from: {
          type: 'string',
          value: 'number',
          about: 'the number to show, one of your own at the carrier',
        },
        parameter: {
          type: 'list',
          value: 'name=value',
          about: 'something that the agent gets to know; may be repeated',
        },
        ring: { type: 'number', about: 'how many seconds it may ring', default: 30, range: [5, 600] },
        machines: {
          type: 'string',
          value: 'how',
          about:
            'if a machine answers: talk, tell (the agent gets to know what the carrier finds), or hang-up',
          default: 'talk',
        },
        keys: {
          type: 'string',
          value: 'how',
          about: 'how the agent presses keys: tones, or carrier (for menus that do not hear the tones)',
          default: 'tones',
        },
        key: {
          type: 'string',
          about: 'the key of the attempt: a host never dials with the same key again (default: random)',
        },
        url: {
          type: 'string',
          about: 'the URL of a host that makes the call, with the secret in ENDWELL_SECRET',
        },
        port: {
          type: 'number',
          about: 'the port to listen on, 0 for any; PORT in the environment changes the default (4600)',
          range: [0, 65_535],
        },
        model: modelOption,
      },
      run: async ({ argument: to, agent, from, ring, key, url, port, model, json, ...how }) => {
        if (to === undefined || from === undefined)
          throw new OptionError('endwell call needs a NUMBER and --from')
        await loadEnvFile()
        const dial: DialOptions = {
          to,
          from,
          parameters: Object.fromEntries((how.parameter ?? []).map(pairOf)),
          ringTimeout: ring * 1_000,
          machines: oneOf('machines', how.machines, ['talk', 'tell', 'hang-up']),
          keys: oneOf('keys', how.keys, ['tones', 'carrier']),
          ...(key === undefined ? {} : { key }),
        }
        if (url !== undefined) return await askHost(url, dial, json)
        const { startDev, untilSignal } = await import('./dev.ts')
        const { terminalLog } = await import('./terminal-log.ts')
        const { file, choice } = await openChosen(agent, model)
        let attempt: Dial | undefined
        let ended: (report: SessionReport) => void = noop
        const closed = new Promise<SessionReport>((resolve) => {
          ended = resolve
        })
        const running = await startDev({
          file,
          choice,
          mode: 'production',
          port: port ?? defaultPort(process.env),
          phone: phoneAccountOf(process.env),
          logger: terminalLog({ level: 'warn', json, to: terminal }),
          // Others may call meanwhile: the port takes calls.
          ended: (report) => {
            if (report.id === attempt?.id) ended(report)
          },
        })
        try {
          const { callsOut } = running.entrance
          const { attempt: begun } = await callsOut.call(dial)
          const made = callsOut.active(begun.key)!
          attempt = made
          const interrupted = untilSignal(() => running.abort())
          interrupted.then(() => made.cancel()).catch(noop)
          if (!json) terminal.print(`${timeOfDay()} calling ${to}`)
          const dialled = await made.report
          show(dialled, json)
          if (dialled.outcome !== 'answered') return exitCodes.failed
          interrupted.then(() => running.close()).catch(noop)
          return await showReport(await reportOf(running, dialled.id, closed), json)
        } finally {
          await running.close()
        }
      },
    },
    args,
  )
}

/** Has a running host make the call. */
async function askHost(url: string, dial: DialOptions, json: boolean): Promise<number> {
  const { values, mistakes } = readConfiguration(
    { url: operatorSettings.url, secret: operatorSettings.secret },
    { url },
  )
  if (mistakes.length > 0 || values.url === undefined) throw new OptionError(mistakes.join('. '))
  if (!json) terminal.print(`${timeOfDay()} calling ${dial.to}`)
  const { callAtHost } = await import('./call-at-host.ts')
  const { untilSignal } = await import('./dev.ts')
  let answered = false
  const report = await callAtHost({
    url: values.url,
    secret: values.secret,
    patience: BEGIN_PATIENCE,
    dial,
    interrupted: untilSignal(() => process.exit(exitCodes.failed)),
    dialled: (dialled) => {
      answered = dialled.outcome === 'answered'
      show(dialled, json)
    },
  })
  return answered ? await showReport(report, json) : exitCodes.failed
}

/** Prints the report of a call that was answered. Returns the exit code. */
async function showReport(report: SessionReport | undefined, json: boolean): Promise<number> {
  const { formatSession } = await import('../session/index.ts')
  if (json) terminal.json({ report: report ?? null })
  else terminal.print(report ? formatSession(report, { transcript: true }) : 'answered, but no session began')
  return report?.clean ? exitCodes.ok : exitCodes.failed
}

/** The report of the call. Undefined if it has no session after a while. */
async function reportOf(
  running: Reception,
  id = '',
  closed: Promise<SessionReport>,
): Promise<SessionReport | undefined> {
  return await new Promise((resolve, reject) => {
    const timer = systemClock.after(BEGIN_PATIENCE, 'the session of the call', () => {
      if (!running.session(id)) resolve(undefined)
    })
    closed.then((report) => {
      timer.clear()
      resolve(report)
    }, reject)
  })
}

function show(report: Omit<DialReport, 'took'>, json: boolean): void {
  const { outcome, id, why } = report
  if (json) return terminal.json({ dial: report })
  const more = [id, why].filter((each) => each !== undefined)
  return terminal.print(`${timeOfDay()} ${[outcome, ...more].join(' · ')}`)
}

/** Throws unless the value of an option is one of its choices. */
function oneOf<Choice extends string>(option: string, value: string, choices: readonly Choice[]): Choice {
  const chosen = choices.find((each) => each === value)
  if (chosen !== undefined) return chosen
  throw new OptionError(
    `--${option} must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}, not '${value}'`,
  )
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new OptionError(`--parameter must be like name=value, not '${text}'`)
  return [text.slice(0, at), text.slice(at + 1)]
}
