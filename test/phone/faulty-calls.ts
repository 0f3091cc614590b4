import { noop } from '../../src/scope/index.ts'
import type { TwilioCall } from '../../src/testing/servers/index.ts'
import { clock } from './clock.ts'
import { MS_PER_CHARACTER } from './models.ts'
import type { PhoneRig } from './phone-rig.ts'
import type { FaultyCall } from './run-faulty-call.ts'

/** Does something after the greeting, and waits for the end of the call. */
const afterGreeting =
  (act: (call: TwilioCall, rig: PhoneRig) => void) =>
  async (rig: PhoneRig, call: TwilioCall): Promise<void> => {
    await call.listens(200)
    act(call, rig)
    await call.until(() => call.over)
  }

const closeSessions = ({ sessions }: PhoneRig): void => {
  for (const session of sessions) session.close().catch(noop)
}

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, 'a while', resolve)
  })

const GOODBYE =
  'Thank you for calling, it was a pleasure to talk to you. We are looking forward to it. Goodbye!'

/** The agent says goodbye after its greeting. Checks that the carrier received every byte of it. */
function goodbye(
  text: string,
  outcome: 'confirmed' | 'unconfirmed',
): Pick<FaultyCall, 'run' | 'check' | 'reasons'> {
  let before = 0
  let how = ''
  return {
    reasons: ['agent-hung-up'],
    run: async ({ sessions }, call) => {
      await call.listens(200)
      before = call.heardBytes
      how = await sessions[0]!.hangUp({ say: text })
      await call.until(() => call.over)
    },
    check: (_, call) => {
      const heard = (call.heardBytes - before) / 8
      const whole = text.length * MS_PER_CHARACTER
      // Resampling rounds to whole samples.
      if (heard < whole - 1 || heard > whole + 100) return `${heard} of ${whole} ms were heard`
      return how === outcome ? undefined : `the goodbye is ${how}`
    },
  }
}

/** Everything that can go wrong with a call. */
export const faultyCalls: readonly FaultyCall[] = [
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
    run: async (rig, call) => {
      await call.listens(200)
      rig.converse(call).catch(noop)
      await call.until(() => call.events.some(({ type }) => type === 'says'))
      await after(120)
      call.hangUp()
    },
    reasons: ['caller-hung-up'],
  },
  {
    name: 'the carrier sends no stop message, but a status',
    call: { leaves: 'without-stop' },
    run: afterGreeting((call) => call.hangUp()),
    reasons: ['caller-hung-up'],
  },
  {
    name: 'the carrier sends neither a stop message nor a status',
    call: { leaves: 'without-stop' },
    noStatus: true,
    run: afterGreeting((call) => call.hangUp()),
    reasons: ['caller-lost'],
  },
  {
    name: 'the socket closes without a close frame',
    call: { leaves: 'cut' },
    noStatus: true,
    run: afterGreeting((call) => call.hangUp()),
    reasons: ['caller-lost'],
  },
  {
    name: 'the caller leaves, and the carrier sends nothing',
    call: { leaves: 'silently' },
    noStatus: true,
    run: afterGreeting((call) => call.hangUp()),
    reasons: ['caller-lost'],
  },
  {
    name: 'media stops, and the socket stays open',
    run: afterGreeting((call) => call.goSilent()),
    reasons: ['caller-lost'],
    check: (_, { endedBy }) =>
      endedBy === 'application-by-rest' ? undefined : `the call was ended by ${endedBy}`,
  },
  {
    name: 'the network drops everything',
    run: afterGreeting((call) => call.freeze()),
    reasons: ['caller-lost'],
  },
  {
    name: 'the connection is half-closed, and the stream comes back',
    run: async (rig, call) => {
      await call.listens(200)
      call.halfClose()
      await call.until(() => call.over || call.events.filter(({ type }) => type === 'started').length === 2)
      await rig.converse(call)
    },
    reasons: ['agent-hung-up'],
  },
  {
    name: 'the stream breaks and comes back by TwiML',
    run: async (rig, call) => {
      await call.listens(200)
      call.drop()
      await call.until(() => call.over || call.events.filter(({ type }) => type === 'started').length === 2)
      await rig.converse(call)
    },
    reasons: ['agent-hung-up'],
    check: ({ reports: [report] }) =>
      report?.connections.some(({ name, retries }) => name === 'phone' && retries === 1)
        ? undefined
        : 'the report does not say that the stream came back',
  },
  {
    name: 'the stream breaks and comes back on its own',
    run: async (rig, call) => {
      await call.listens(200)
      call.dropAndWait()
      await after(100)
      call.joins()
      await rig.converse(call)
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
    run: afterGreeting((call) => call.dropAndWait()),
    reasons: ['caller-lost'],
    check: (_, { endedBy }) =>
      endedBy === 'application-by-rest' ? undefined : `the call was ended by ${endedBy}`,
  },
  ...(
    [
      ['is down', { down: true }, false],
      ['never answers', { delay: 'never' }, false],
      ['rejects our key', { status: 401 }, false],
      ['fails', { status: 500 }, false],
      ['is slow', { delay: 300 }, true],
      ['does not know the call', { status: 404 }, true],
    ] as const
  ).map(([how, manners, confirmed]): FaultyCall => ({
    name: `REST ${how} when we hang up`,
    run: afterGreeting((_, rig) => {
      rig.carrier.rest.manners = manners
      closeSessions(rig)
    }),
    reasons: ['requested'],
    confirmed,
  })),
  {
    name: 'we close while the carrier is still connecting',
    at: { answered: (rig) => closeSessions(rig) },
    reasons: ['requested'],
  },
  {
    name: 'we close when the carrier has connected, before its start message',
    at: { connected: (rig) => closeSessions(rig) },
    reasons: ['requested'],
  },
  {
    name: 'the webhook is repeated',
    call: { repeats: 3 },
    reasons: ['agent-hung-up'],
  },
  {
    name: 'a second stream connects for the same call',
    run: async (rig, call) => {
      await call.listens(200)
      call.joins()
      await call.until(() => call.events.some(({ type }) => type === 'stream-ended'))
      await rig.converse(call)
    },
    reasons: ['agent-hung-up'],
  },
  ...(['wrongly', 'never'] as const).map((signs): FaultyCall => ({
    name: `the webhook ${signs === 'never' ? 'is not signed' : 'has a wrong signature'}`,
    call: { signs },
    reasons: [],
    sessions: 0,
    check: (_, { state }) => (state === 'failed' ? undefined : `the call is ${state}`),
  })),
  {
    name: 'the stream has a wrong signature',
    rig: { calls: { connectTimeout: 200 } },
    call: { signsStream: 'wrongly' },
    reasons: ['caller-lost', 'start-failed'],
  },
  {
    name: 'a goodbye is heard to the end',
    ...goodbye(GOODBYE, 'confirmed'),
  },
  {
    name: 'a goodbye of 40 s is heard to the end',
    ...goodbye(GOODBYE.padEnd(1_600, ` ${GOODBYE}`), 'confirmed'),
    slow: true,
  },
  {
    name: 'marks never come back, and the goodbye is heard to the end',
    call: { returnsMarks: false },
    ...goodbye(GOODBYE, 'unconfirmed'),
  },
  {
    name: 'the carrier is Telnyx, and the stream breaks and comes back',
    rig: { carrier: { dialect: 'telnyx' } },
    at: { speaks: (_, call) => call.drop() },
    reasons: ['agent-hung-up'],
    check: (_, { endedBy }) =>
      endedBy === 'application-by-rest' || endedBy === 'application'
        ? undefined
        : `the call was ended by ${endedBy}`,
  },
  {
    name: 'the carrier sends malformed messages for a while',
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
    name: 'the carrier sends a message that is too long, and reconnects',
    run: async (rig, call) => {
      await call.listens(200)
      call.sends(JSON.stringify({ event: 'media', media: { payload: 'A'.repeat(2 ** 20) } }))
      await call.until(() => call.over || call.events.filter(({ type }) => type === 'started').length === 2)
      await rig.converse(call)
    },
    reasons: ['agent-hung-up'],
  },
]
