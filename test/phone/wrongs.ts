import { noop } from '../../src/scope/index.ts'
import type { CloseReason, SessionReport } from '../../src/session/index.ts'
import type { TwilioCall, TwilioCallEvent, TwilioCallOptions } from '../../src/testing/servers/index.ts'
import { clock } from './clock.ts'
import type { Outcome } from './run-case.ts'
import { MS_PER_CHARACTER } from './minds.ts'
import { Stage, type StageOptions } from './stage.ts'
import { within } from './within.ts'

/** A way in which a call goes wrong, and how it must end all the same. */
export interface Wrong {
  readonly name: string
  readonly stage?: StageOptions
  readonly call?: TwilioCallOptions
  /** The carrier tells no status: what the line has not seen, it does not know. */
  readonly untold?: true
  /** Happens at once. */
  readonly at?: Readonly<Partial<Record<TwilioCallEvent['type'], (stage: Stage, call: TwilioCall) => void>>>
  /** Happens in its own time; a whole conversation unless set. */
  readonly happens?: (stage: Stage, call: TwilioCall) => Promise<void>
  readonly reasons: readonly CloseReason[]
  /** Sessions that there must have been: 1 unless set. */
  readonly sessions?: number
  /** Whether the report says that the carrier has ended the call: yes unless set. */
  readonly confirmed?: boolean
  /** It takes longer than the others. */
  readonly slow?: true
  /** What else must be true. Says what is not. */
  readonly check?: (stage: Stage, call: TwilioCall) => string | undefined
}

const LONGEST = 20_000

/** Lives it, and says what is not as it must be. */
export async function goWrong(wrong: Wrong): Promise<Outcome> {
  const { confirmed = true } = wrong
  const problems: string[] = []
  const stage = await Stage.open(wrong.stage)
  const call = stage.ring({
    ...(wrong.untold ? { statusCallback: `${stage.server.url}/nowhere` } : {}),
    ...wrong.call,
    onEvent: ({ type }, self) => {
      const first = self.events.filter((each) => each.type === type).length === 1
      if (first) wrong.at?.[type]?.(stage, self)
    },
  })
  const acting = (wrong.happens ?? talks)(stage, call)
  const longest = wrong.slow ? 4 * LONGEST : LONGEST
  if (!(await within(longest, wrong.name, acting))) problems.push('it did not come to an end')
  if (!(await within(LONGEST, 'the reports', stage.closed()))) problems.push('there is no report')
  if (
    !call.over &&
    !(await within(
      5_000,
      'the end of the call',
      call.until(() => call.over),
    ))
  )
    problems.push('the call goes on at the carrier')
  problems.push(...wrongsOf(wrong, stage, call))
  // What is frozen does not see the end of its connection.
  call.abort()
  // A carrier that does not answer is asked for a while, also when the session has closed.
  await within(confirmed ? 2_000 : 15_000, 'the end of all connections', stage.idle())
  const { open: leaked } = stage
  const unreported = Math.abs(stage.sessions.length - stage.reports.length)
  await stage.end()
  return { name: wrong.name, group: 'something goes wrong', leaked, unreported, problems, took: 0, story: [] }
}

function wrongsOf(
  { sessions = 1, reasons, confirmed = true, check }: Wrong,
  stage: Stage,
  call: TwilioCall,
): string[] {
  const problems: string[] = []
  if (stage.sessions.length !== sessions)
    problems.push(`there were ${stage.sessions.length} sessions, not ${sessions}`)
  for (const report of stage.reports) {
    if (!reasons.includes(report.reason))
      problems.push(`the reason is ${report.reason}, not ${reasons.join(' or ')}`)
    if (report.took > report.closeTimeout)
      problems.push(`the close took ${report.took} ms of ${report.closeTimeout}`)
    const says = /not confirmed/.test(lineOf(report) ?? 'not confirmed') ? 'not confirmed' : 'confirmed'
    if (says !== (confirmed ? 'confirmed' : 'not confirmed')) problems.push(`the end of the call is ${says}`)
    if (!confirmed && report.clean) problems.push('it is called clean, and the call may go on')
  }
  const more = check?.(stage, call)
  return more === undefined ? problems : [...problems, more]
}

const lineOf = ({ connections }: SessionReport): string | undefined =>
  connections.find(({ name }) => name === 'phone')?.reason

const talks = (stage: Stage, call: TwilioCall): Promise<void> => stage.converse(call)

/** The greeting is heard, then this happens, and the call is waited for. */
const afterGreeting =
  (what: (call: TwilioCall, stage: Stage) => void) =>
  async (stage: Stage, call: TwilioCall): Promise<void> => {
    await call.listens(200)
    what(call, stage)
    await call.until(() => call.over)
  }

const closes = ({ sessions }: Stage): void => {
  for (const session of sessions) session.close().catch(noop)
}

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, 'a while', resolve)
  })

const GOODBYE =
  'Thank you for calling, it was a pleasure to talk to you. We are looking forward to it. Goodbye!'

/** The agent says goodbye after its greeting, and every byte of it is counted at the carrier. */
function goodbye(
  text: string,
  outcome: 'confirmed' | 'unconfirmed',
): Pick<Wrong, 'happens' | 'check' | 'reasons'> {
  let before = 0
  let how = ''
  return {
    reasons: ['agent-hung-up'],
    happens: async ({ sessions }, call) => {
      await call.listens(200)
      before = call.heardBytes
      how = await sessions[0]!.hangUp({ say: text })
      await call.until(() => call.over)
    },
    check: (_, call) => {
      const heard = (call.heardBytes - before) / 8
      const whole = text.length * MS_PER_CHARACTER
      // Resampling rounds to whole samples.
      if (heard < whole - 1 || heard > whole + 100) return `${heard} ms were heard of ${whole}`
      return how === outcome ? undefined : `the goodbye is ${how}`
    },
  }
}

/** Everything that can go wrong with a call, by name. */
export const wrongs: readonly Wrong[] = [
  {
    name: 'the caller hangs up before the stream starts',
    at: { answered: (_, call) => call.hangUp() },
    reasons: ['caller-hung-up'],
  },
  {
    name: 'the caller hangs up during the greeting',
    at: { speaks: (_, call) => call.hangUp() },
    reasons: ['caller-hung-up'],
  },
  {
    name: 'the caller hangs up in the middle of a word',
    happens: async (stage, call) => {
      await call.listens(200)
      stage.converse(call).catch(noop)
      await call.until(() => call.events.some(({ type }) => type === 'says'))
      await after(120)
      call.hangUp()
    },
    reasons: ['caller-hung-up'],
  },
  {
    name: 'stop never comes, and a status does',
    call: { leaves: 'without-stop' },
    happens: afterGreeting((call) => call.hangUp()),
    reasons: ['caller-hung-up'],
  },
  {
    name: 'neither stop nor a status comes',
    call: { leaves: 'without-stop' },
    untold: true,
    happens: afterGreeting((call) => call.hangUp()),
    reasons: ['caller-lost'],
  },
  {
    name: 'the socket closes without a frame',
    call: { leaves: 'cut' },
    untold: true,
    happens: afterGreeting((call) => call.hangUp()),
    reasons: ['caller-lost'],
  },
  {
    name: 'the caller leaves, and nobody is told',
    call: { leaves: 'silently' },
    untold: true,
    happens: afterGreeting((call) => call.hangUp()),
    reasons: ['caller-lost'],
  },
  {
    name: 'media stops, and the socket lives',
    happens: afterGreeting((call) => call.goSilent()),
    reasons: ['caller-lost'],
    check: (_, { endedBy }) =>
      endedBy === 'application-by-rest' ? undefined : `the call was ended by ${endedBy}`,
  },
  {
    name: 'the network swallows everything',
    happens: afterGreeting((call) => call.freeze()),
    reasons: ['caller-lost'],
  },
  {
    name: 'half of the connection ends, and the stream comes back',
    happens: async (stage, call) => {
      await call.listens(200)
      call.halfClose()
      await call.until(() => call.over || call.events.filter(({ type }) => type === 'started').length === 2)
      await stage.converse(call)
    },
    reasons: ['agent-hung-up'],
  },
  {
    name: 'the stream breaks and comes back by TwiML',
    happens: async (stage, call) => {
      await call.listens(200)
      call.drop()
      await call.until(() => call.over || call.events.filter(({ type }) => type === 'started').length === 2)
      await stage.converse(call)
    },
    reasons: ['agent-hung-up'],
    check: ({ reports: [report] }) =>
      report?.connections.some(({ name, retries }) => name === 'phone' && retries === 1)
        ? undefined
        : 'the report does not say that the stream came back',
  },
  {
    name: 'the stream breaks and comes back by itself',
    happens: async (stage, call) => {
      await call.listens(200)
      call.dropAndWait()
      await after(100)
      call.joins()
      await stage.converse(call)
    },
    reasons: ['agent-hung-up'],
  },
  {
    name: 'the stream breaks in the middle of a sentence and comes back',
    at: { speaks: (_, call) => call.drop() },
    reasons: ['agent-hung-up'],
  },
  {
    name: 'the stream breaks and never comes back',
    happens: afterGreeting((call) => call.dropAndWait()),
    reasons: ['caller-lost'],
    check: (_, { endedBy }) =>
      endedBy === 'application-by-rest' ? undefined : `the call was ended by ${endedBy}`,
  },
  ...(
    [
      ['is down', { down: true }, false],
      ['never answers', { delay: 'never' }, false],
      ['refuses our key', { status: 401 }, false],
      ['fails', { status: 500 }, false],
      ['is slow', { delay: 300 }, true],
      ['knows no such call', { status: 404 }, false],
    ] as const
  ).map(([how, manners, confirmed]): Wrong => ({
    name: `REST ${how} when we hang up`,
    happens: afterGreeting((_, stage) => {
      stage.carrier.rest.manners = manners
      closes(stage)
    }),
    reasons: ['requested'],
    confirmed,
  })),
  {
    name: 'we close while the carrier is still connecting',
    at: { answered: (stage) => closes(stage) },
    reasons: ['requested'],
  },
  {
    name: 'we close when the carrier has connected, before it says start',
    at: { connected: (stage) => closes(stage) },
    reasons: ['requested'],
  },
  {
    name: 'the webhook is repeated',
    call: { repeats: 3 },
    reasons: ['agent-hung-up'],
  },
  {
    name: 'a second stream comes for the call',
    happens: async (stage, call) => {
      await call.listens(200)
      call.joins()
      await call.until(() => call.events.some(({ type }) => type === 'stream-ended'))
      await stage.converse(call)
    },
    reasons: ['agent-hung-up'],
  },
  ...(['wrongly', 'never'] as const).map((signs): Wrong => ({
    name: `the webhook is ${signs === 'never' ? 'not signed' : 'signed wrongly'}`,
    call: { signs },
    reasons: [],
    sessions: 0,
    check: (_, { state }) => (state === 'failed' ? undefined : `the call is ${state}`),
  })),
  {
    name: 'the stream is signed wrongly',
    stage: { calls: { connectTimeout: 200 } },
    call: { signsStream: 'wrongly' },
    reasons: ['caller-lost', 'start-failed'],
  },
  {
    name: 'a goodbye is heard to its end',
    ...goodbye(GOODBYE, 'confirmed'),
  },
  {
    name: 'a goodbye of 40 s is heard to its end',
    ...goodbye(GOODBYE.padEnd(1_600, ` ${GOODBYE}`), 'confirmed'),
    slow: true,
  },
  {
    name: 'marks never come back, and the goodbye is heard to its end',
    call: { returnsMarks: false },
    ...goodbye(GOODBYE, 'unconfirmed'),
  },
  {
    name: 'the carrier is Telnyx, and the stream breaks and comes back',
    stage: { carrier: { dialect: 'telnyx' } },
    at: { speaks: (_, call) => call.drop() },
    reasons: ['agent-hung-up'],
    check: (_, { endedBy }) =>
      endedBy === 'application-by-rest' || endedBy === 'application'
        ? undefined
        : `the call was ended by ${endedBy}`,
  },
  {
    name: 'the carrier talks nonsense for a while',
    at: {
      started: (_, call) => {
        for (const text of [
          'nonsense',
          '{}',
          '[]',
          'null',
          '{"event":5}',
          '{"event":"news"}',
          '{"event":"media"}',
        ])
          call.sends(text)
        call.sends('{"event":"media","media":{"payload":"?"}}')
        call.sends('{"event":"mark","mark":{"name":"nobody\'s"}}')
      },
    },
    reasons: ['agent-hung-up'],
  },
  {
    name: 'the carrier sends a message that is too long, and comes back',
    happens: async (stage, call) => {
      await call.listens(200)
      call.sends(JSON.stringify({ event: 'media', media: { payload: 'A'.repeat(2 ** 20) } }))
      await call.until(() => call.over || call.events.filter(({ type }) => type === 'started').length === 2)
      await stage.converse(call)
    },
    reasons: ['agent-hung-up'],
  },
]
