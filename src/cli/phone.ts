import { readFile, writeFile } from 'node:fs/promises'
import type { SessionDetails } from '../host/index.ts'
import { exitCodes, runCommand } from './command.ts'
import { phoneCall, readVoice, type PhoneOutcome } from './phone-call.ts'

export interface RingOptions {
  /** The recording of the caller. */
  readonly file: string
  /** The server. */
  readonly url: string
  /** Where what was heard is written. */
  readonly out: string
  readonly json: boolean
  readonly quiet?: number
  /** Whether the server will be there for whoever wants to read the report: yes unless false. */
  readonly stays?: boolean
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** What a call was, in the end: what the carrier knows of it, and what the server's report says. */
export interface RingSummary {
  readonly call: string
  readonly answered: boolean
  readonly endedBy: PhoneOutcome['endedBy']
  /** Milliseconds of the agent's sound. */
  readonly heard: number
  readonly out: string
  readonly report?: string
  readonly reason?: string
  readonly clean?: boolean
}

/** `endwell phone`: rings an agent with a recording, and hears what it says. */
export function phone(rest: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell phone',
      summary:
        'Rings an agent that `endwell dev` serves, as a phone company would, with a recording as the voice of the\n' +
        'caller. It is said piece by piece, parted at its pauses, whenever the agent has finished. What the caller hears\n' +
        'is written to a file. With TWILIO_AUTH_TOKEN and PUBLIC_URL in the environment the call is signed.',
      argument: { name: 'FILE.wav', about: 'what the caller says: PCM16, 8 to 48 kHz, with pauses' },
      options: {
        url: { type: 'string', about: 'where the agent is', default: 'http://127.0.0.1:4600' },
        out: { type: 'string', about: 'where to write what is heard', default: 'heard.wav' },
        quiet: {
          type: 'number',
          about: 'milliseconds of silence after which the agent has finished',
          default: 2_000,
        },
      },
      run: async ({ argument, url, out, quiet, json }) => {
        if (argument === undefined) {
          console.error('Which recording shall the caller be?\nSee endwell phone --help')
          return exitCodes.misuse
        }
        const { answered, heard } = await ring({ file: argument, url, out, quiet, json })
        return answered && heard > 0 ? exitCodes.ok : exitCodes.failed
      },
    },
    rest,
  )
}

/** Rings, tells the story on the way, writes what was heard, and sums it up. */
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
  const webhook = new URL('/phone/answer', url).href
  const outcome = await phoneCall({
    webhook,
    voice: readVoice(await readFile(file)),
    quiet,
    ...(authToken ? { authToken } : {}),
    ...(accountSid ? { accountSid } : {}),
    ...(publicUrl ? { publicUrl } : {}),
    tell: (event, words) => {
      if (json) console.log(JSON.stringify(event))
      else if (words !== undefined) console.log(`${(event.at / 1_000).toFixed(1).padStart(6)} s  ${words}`)
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
  console.log(json ? JSON.stringify(summary) : inWords(summary, url))
  return summary
}

function inWords({ answered, heard, out, report, reason, clean }: RingSummary, url: string): string {
  if (!answered) return `nobody answered at ${url}: start the demo with \`npm start\`, or give its --url`
  const lines = [`heard ${(heard / 1_000).toFixed(1)} s of the agent, written to ${out}`]
  if (reason !== undefined) lines.push(`the session ended: ${reason}, ${clean ? 'clean' : 'not clean'}`)
  if (report !== undefined) lines.push(`its report: ${report}`)
  return lines.join('\n')
}

/** What the server says of the call, once the session has closed. Nothing, if it does not let us in. */
async function reportOf(url: string, call: string, secret?: string): Promise<SessionDetails | undefined> {
  const headers: Record<string, string> = secret ? { authorization: `Bearer ${secret}` } : {}
  const session = new URL(`/api/sessions/${call}`, url).href
  try {
    // This stream ends with the session, and a session ends by its deadline.
    const events = await fetch(`${session}/events`, { headers })
    if (!events.ok) return undefined
    await events.text()
    return (await (await fetch(session, { headers })).json()) as SessionDetails
  } catch {
    return undefined
  }
}
