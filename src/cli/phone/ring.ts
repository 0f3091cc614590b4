import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { AudioFrame } from '../../audio/index.ts'
import { OptionError, describeError, systemClock } from '../../scope/index.ts'
import { terminal } from '../terminal.ts'
import { CallStory, type Told } from './call-story.ts'
import { CallFileError, recordedVoice } from './caller-voice.ts'
import type { Expected } from './expected.ts'
import { phoneCall, type PhoneOutcome } from './phone-call.ts'

export interface RingOptions {
  /** The path of the caller's recording, or what the caller says. */
  readonly voice: string | readonly AudioFrame[]
  /** The URL of the server. */
  readonly url: string
  /** The path for the recording of the agent. */
  readonly out: string
  readonly json: boolean
  readonly quiet?: number
  /** Whether the server keeps running, so that the report can be read there. Default: true. */
  readonly stays?: boolean
  /** What the agent must say. Default: nothing in particular. */
  readonly expected?: readonly Expected[]
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
  /** This and `clean` are absent if the server does not tell. */
  readonly reason?: string
  readonly clean?: boolean
  /** What was said, in order. */
  readonly told: readonly Told[]
  readonly expected: readonly { readonly text: string; readonly said: boolean }[]
  /** Whether the agent answered and spoke, said what was expected, and closed the session cleanly, as far as the server tells. */
  readonly ok: boolean
}

/** Makes the call, prints its events, writes the recording, and prints a summary. */
export async function ring(options: RingOptions): Promise<RingSummary> {
  const { url, out, json, quiet = 2_000, env = process.env } = options
  const { TWILIO_AUTH_TOKEN: authToken, TWILIO_ACCOUNT_SID: accountSid } = env
  const { PUBLIC_URL: publicUrl, ENDWELL_SECRET: secret } = env
  // Everything that can be wrong is checked before there is a call.
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new OptionError(`--url must be an address like http://127.0.0.1:4600, not '${url}'`)
  const voice = typeof options.voice === 'string' ? await recordedVoice(options.voice) : options.voice
  await prepare(out)
  let began = 0
  const show = (event: { readonly at: number }, description: string | undefined): void => {
    if (json) terminal.json(event)
    else if (description !== undefined)
      terminal.print(`${(event.at / 1_000).toFixed(1).padStart(6)} s  ${description}`)
  }
  const story = new CallStory({
    url,
    secret,
    listener: (told) => show({ at: systemClock.now() - began, ...told }, describeTold(told)),
  })
  const gone = new AbortController()
  let following = Promise.resolve()
  const outcome = await phoneCall({
    webhook: new URL('/phone/answer', url).href,
    voice,
    quiet,
    ...(authToken ? { authToken } : {}),
    ...(accountSid ? { accountSid } : {}),
    ...(publicUrl ? { publicUrl } : {}),
    began: (call) => {
      began = systemClock.now()
      following = story.follow(call, gone.signal)
    },
    onEvent: show,
  })
  await writeFile(out, outcome.wav)
  gone.abort()
  await following
  const summary = summaryOf(outcome, story, options)
  if (json) terminal.json(summary)
  else terminal.print(...describe(summary, url))
  return summary
}

function summaryOf(
  { call, state, endedBy, heard }: PhoneOutcome,
  { told, said, report }: CallStory,
  { url, out, stays = true, expected = [] }: RingOptions,
): RingSummary {
  const answered = state !== 'failed'
  const checked = expected.map(({ text, matches }) => ({ text, said: matches(said) }))
  return {
    call,
    answered,
    endedBy,
    heard,
    out,
    ...(report && stays ? { report: new URL(`/#/sessions/${call}`, url).href } : {}),
    ...(report ? { reason: report.reason, clean: report.clean } : {}),
    told,
    expected: checked,
    ok: answered && heard > 0 && report?.clean !== false && checked.every((each) => each.said),
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

function describeTold(told: Told): string {
  switch (told.type) {
    case 'understood':
      return `understood: ${told.text}`
    case 'said': {
      const cut = told.how === 'played' ? '' : ` — (${told.how})`
      return `said: ${told.text}${cut}${told.latency === undefined ? '' : `  (after ${told.latency} ms)`}`
    }
    case 'tool':
      return `${told.name} ${told.failed ? 'failed' : 'returned'}: ${told.output}`
    case 'error':
      break
  }
  return `error: ${told.where}: ${told.message}`
}

function describe(summary: RingSummary, url: string): string[] {
  const { answered, heard, out, report, reason, clean, expected, told } = summary
  if (!answered) return [`No answer at ${url}. Start an agent with \`endwell dev\`, or set --url or --agent.`]
  const lines = [`Heard ${(heard / 1_000).toFixed(1)} s of audio from the agent, written to ${out}`]
  if (reason !== undefined) lines.push(`Session closed: ${reason}, ${clean ? 'clean' : 'not clean'}`)
  if (report !== undefined) lines.push(`Report: ${report}`)
  for (const { text, said } of expected) lines.push(`${said ? '✓ said' : '✗ not said'}: ${text}`)
  if (expected.some(({ said }) => !said) && told.length === 0)
    lines.push('The server does not tell what was said: set ENDWELL_SECRET to its secret.')
  return lines
}
