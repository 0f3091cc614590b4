import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { AudioFrame } from '../audio/index.ts'
import { EndwellError, OptionError, describeError } from '../scope/index.ts'
import type { SessionDetails } from '../host/index.ts'
import { exitCodes, runCommand } from './command.ts'
import { loadEnvFile } from './env-file.ts'
import { phoneCall, readVoice, type PhoneOutcome } from './phone-call.ts'
import { terminal } from './terminal.ts'

export interface RingOptions {
  /** The path of the caller's recording. */
  readonly file: string
  /** The URL of the server. */
  readonly url: string
  /** The path for the recording of the agent. */
  readonly out: string
  readonly json: boolean
  readonly quiet?: number
  /** Whether the server keeps running, so that the report can be read there. Default: true. */
  readonly stays?: boolean
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** The result of a call, from the carrier and from the report of the server. */
export interface RingSummary {
  readonly call: string
  readonly answered: boolean
  readonly endedBy: PhoneOutcome['endedBy']
  /** Milliseconds of audio from the agent. */
  readonly heard: number
  readonly out: string
  readonly report?: string
  readonly reason?: string
  readonly clean?: boolean
}

/** A file that `endwell phone` reads or writes cannot be used. */
export class CallFileError extends EndwellError {
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super('CALL_FILE', `${file} ${problem}`, options)
  }
}

/** `endwell phone`: calls an agent with a recording, and records its answers. */
export function phone(rest: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell phone',
      summary:
        'Calls an agent that `endwell dev` serves, as a phone carrier does. The recording is split at its pauses, and each\n' +
        'part is played when the agent has finished speaking. What the caller hears is written to a file. With\n' +
        'TWILIO_AUTH_TOKEN and PUBLIC_URL in the environment, the call is signed.',
      argument: {
        name: 'FILE.wav',
        about: 'the recording of the caller: PCM16, 8 to 48 kHz, with pauses between utterances',
      },
      options: {
        url: { type: 'string', about: 'the URL of the server', default: 'http://127.0.0.1:4600' },
        out: { type: 'string', about: 'the file to write what the caller hears', default: 'heard.wav' },
        quiet: {
          type: 'number',
          about: 'milliseconds of silence after which the agent counts as finished',
          default: 2_000,
          range: [100, 60_000],
        },
      },
      run: async ({ argument, url, out, quiet, json }) => {
        if (argument === undefined) {
          terminal.complain('Missing FILE.wav', 'See endwell phone --help')
          return exitCodes.misuse
        }
        await loadEnvFile()
        const { answered, heard } = await ring({ file: argument, url, out, quiet, json })
        return answered && heard > 0 ? exitCodes.ok : exitCodes.failed
      },
    },
    rest,
  )
}

/** Makes the call, prints its events, writes the recording, and prints a summary. */
export async function ring({
  file,
  url,
  out,
  json,
  quiet = 2_000,
  stays = true,
  env = process.env,
}: RingOptions): Promise<RingSummary> {
  const { TWILIO_AUTH_TOKEN: authToken, TWILIO_ACCOUNT_SID: accountSid } = env
  const { PUBLIC_URL: publicUrl, ENDWELL_SECRET: secret } = env
  // Everything that can be wrong is checked before there is a call.
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new OptionError(`--url must be an address like http://127.0.0.1:4600, not '${url}'`)
  const webhook = new URL('/phone/answer', url).href
  const voice = await voiceIn(file)
  await prepare(out)
  const outcome = await phoneCall({
    webhook,
    voice,
    quiet,
    ...(authToken ? { authToken } : {}),
    ...(accountSid ? { accountSid } : {}),
    ...(publicUrl ? { publicUrl } : {}),
    onEvent: (event, description) => {
      if (json) terminal.json(event)
      else if (description !== undefined)
        terminal.print(`${(event.at / 1_000).toFixed(1).padStart(6)} s  ${description}`)
    },
  })
  await writeFile(out, outcome.wav)
  const { call, state, endedBy, heard } = outcome
  const details = state === 'failed' ? undefined : await reportOf(url, call, secret)
  const summary: RingSummary = {
    call,
    answered: state !== 'failed',
    endedBy,
    heard,
    out,
    ...(details && stays ? { report: new URL(`/#/sessions/${call}`, url).href } : {}),
    ...(details?.report ? { reason: details.report.reason, clean: details.report.clean } : {}),
  }
  if (json) terminal.json(summary)
  else terminal.print(...describe(summary, url))
  return summary
}

async function voiceIn(file: string): Promise<AudioFrame[]> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new CallFileError(file, 'does not exist', { cause: error })
    if (error.code === 'EISDIR')
      throw new CallFileError(file, 'is a folder: name a WAV file', { cause: error })
    throw new CallFileError(file, `cannot be read: ${error.message}`, { cause: error })
  })
  try {
    return readVoice(bytes)
  } catch (error) {
    throw new CallFileError(file, `cannot be played: ${describeError(error).message}`, { cause: error })
  }
}

/** Makes the folder of the recording, and checks that it can be written. */
async function prepare(out: string): Promise<void> {
  try {
    await mkdir(dirname(out), { recursive: true })
    const present = await stat(out).catch(() => undefined)
    if (present?.isDirectory()) throw new Error('it is a folder')
  } catch (error) {
    throw new CallFileError(out, `cannot be written: ${describeError(error).message}`, { cause: error })
  }
}

function describe({ answered, heard, out, report, reason, clean }: RingSummary, url: string): string[] {
  if (!answered) return [`No answer at ${url}. Start the demo with \`npm start\`, or set --url.`]
  const lines = [`Heard ${(heard / 1_000).toFixed(1)} s of audio from the agent, written to ${out}`]
  if (reason !== undefined) lines.push(`Session closed: ${reason}, ${clean ? 'clean' : 'not clean'}`)
  if (report !== undefined) lines.push(`Report: ${report}`)
  return lines
}

/** The server's report of the call, once the session has closed. Undefined if the server refuses to give it. */
async function reportOf(url: string, call: string, secret?: string): Promise<SessionDetails | undefined> {
  const headers: Record<string, string> = secret ? { authorization: `Bearer ${secret}` } : {}
  const session = new URL(`/api/sessions/${call}`, url).href
  try {
    // The stream ends when the session has closed, which takes no longer than its deadline.
    const events = await fetch(`${session}/events`, { headers })
    if (!events.ok) return undefined
    await events.text()
    return (await (await fetch(session, { headers })).json()) as SessionDetails
  } catch {
    return undefined
  }
}
