import { describe, expect, it } from 'vitest'
import { limits } from '../../src/lines/twilio/limits.ts'
import type { Clock } from '../../src/scope/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { partContext, type TestPartContext, type World } from '../../src/testing/index.ts'
import { outsideTimer } from '../../src/testing/outside-timer.ts'
import { GREETING, phoneScene, sessionOn, type PhoneScene } from './phone-scene.ts'
import { MS_PER_CHARACTER } from './phone-sound.ts'

const authToken = 'the token of the account'
const lineOf = (report: SessionReport): object | undefined =>
  report.connections.find(({ name }) => name === 'phone')

const passes = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    outsideTimer(clock, ms, 'time passes', resolve)
  })

/** Nothing of any call is left, at either end. */
function expectNothingLeft({ calls, network }: PhoneScene): void {
  expect(calls.size).toBe(0)
  expect(network.sockets.list()).toEqual([])
}

describe('a call on the phone', () => {
  it('is answered, greeted, and ends well when the caller hangs up', () =>
    phoneScene(async (scene) => {
      const { clock, call, report, infos } = scene
      const { phone, session } = await call()
      await clock.elapse(GREETING.length * MS_PER_CHARACTER + 500)
      phone.hangsUp()
      await clock.elapse(100)
      expect(session.state).toBe('closed')
      expect(report()).toMatchObject({ id: phone.sid, reason: 'caller-hung-up', clean: true })
      expect(lineOf(report())).toMatchObject({ how: 'acknowledged', reason: 'the call is over' })
      expect(report().transcript).toMatchObject([{ role: 'agent', text: GREETING }])
      expect(infos).toMatchObject([{ id: phone.sid, from: '+15550100', to: '+15550199' }])
      expect(phone.nonsense).toEqual([])
      expectNothingLeft(scene)
    }))

  it('is told to the carrier by a document after which the call ends when the stream does', () =>
    phoneScene(async ({ clock, call }) => {
      const { phone, session } = await call()
      expect(phone.documents).toEqual([
        '<?xml version="1.0" encoding="UTF-8"?><Response>' +
          '<Connect action="http://localhost:3000/phone/answer">' +
          '<Stream url="ws://localhost:3000/phone/stream">' +
          '<Parameter name="from" value="+15550100"/><Parameter name="to" value="+15550199"/>' +
          '</Stream></Connect></Response>',
      ])
      await session.close()
      await clock.elapse(500)
      expect(phone.over).toBe(true)
      expect(phone.documents.at(-1)).toContain('<Response><Hangup/></Response>')
    }))

  it('of Telnyx is like any other', () =>
    phoneScene(
      async (scene) => {
        const { clock, call, report } = scene
        const { phone } = await call({ dialect: 'telnyx', sid: 'v3:a-b_c' })
        expect(phone.documents[0]).toContain('bidirectionalMode="rtp"')
        await clock.elapse(GREETING.length * MS_PER_CHARACTER + 500)
        phone.hangsUp()
        await clock.elapse(100)
        expect(report()).toMatchObject({ id: 'v3:a-b_c', reason: 'caller-hung-up', clean: true })
        expect(report().transcript).toMatchObject([{ text: GREETING }])
        expect(phone.nonsense).toEqual([])
        expectNothingLeft(scene)
      },
      { carrier: 'telnyx' },
    ))

  it('begins with its stream, if its webhook was answered by somebody else', () =>
    phoneScene(async ({ clock, phone: phones, sessions, infos }) => {
      const phone = phones()
      phone.streamsTo('ws://localhost:3000/phone/stream', { from: '+15550100' })
      await phone.until(() => phone.heard.length > 5)
      expect(infos).toMatchObject([{ id: phone.sid, from: '+15550100', to: undefined }])
      expect(sessions).toHaveLength(1)
      phone.hangsUp()
      await clock.elapse(10)
    }))

  it('begins with its stream, and ends with it, where its webhook may reach another process', () =>
    phoneScene(
      async (scene) => {
        const { clock, phone: phones, sessions, report } = scene
        const phone = phones()
        await phone.rings()
        expect(sessions).toEqual([])
        expect(phone.documents).toEqual([expect.stringContaining('<Response><Connect><Stream url=')])
        await phone.until(() => phone.heard.length > 5)
        expect(sessions).toHaveLength(1)
        phone.hangsUp()
        await clock.elapse(100)
        expect(report()).toMatchObject({ reason: 'caller-hung-up', clean: true })
        expectNothingLeft(scene)
      },
      { beginsWith: 'stream' },
    ))

  it('is one session, however often it is announced and streamed, and none once it is over', () =>
    phoneScene(async (scene) => {
      const { clock, call, sessions, report, reports } = scene
      const { phone } = await call()
      await Promise.all([phone.rings(), phone.rings()])
      await clock.elapse(2_000)
      phone.streamsTo('ws://localhost:3000/phone/stream')
      await clock.elapse(2_000)
      expect(sessions).toHaveLength(1)
      phone.hangsUp()
      await clock.elapse(2_000)
      expect(report().reason).toBe('caller-hung-up')

      const late = scene.phone({ sid: phone.sid })
      await late.rings()
      expect(late.over).toBe(true)
      const stray = scene.phone({ sid: phone.sid })
      stray.streamsTo('ws://localhost:3000/phone/stream')
      await clock.elapse(3_000)
      expect(sessions).toHaveLength(1)
      expect(reports).toHaveLength(1)
      expectNothingLeft(scene)
    }))

  it('[LN4] has no way back into a session that is closing', async () => {
    let context: TestPartContext | undefined
    await phoneScene(
      async ({ clock, phone: phones, wires, network, ...world }) => {
        const phone = phones()
        context = partContext({ ...world, clock, network })
        await phone.rings()
        await clock.elapse(100)
        context.scope.spawn('takes its time', () => passes(clock, 1_000))
        const closing = context.scope.close({ closeTimeout: 5_000 })
        wires.cut()
        await clock.elapse(100)
        expect(phone.over).toBe(true)
        const stray = phones({ sid: phone.sid })
        stray.streamsTo('ws://localhost:3000/phone/stream')
        await clock.elapse(100)
        expect(stray.over).toBe(true)
        expect(context.scope.state).toBe('closing')
        expect((await closing).reason).toBe('closed')
        expect(network.sockets.list()).toEqual([])
      },
      {
        onCall: (line) =>
          line.open(context!, { frame() {}, marked() {}, dtmf() {}, text() {}, hungUp() {}, lost() {} }),
      },
    )
  })

  it('that is over before it is answered was hung up, and did not fail', async () => {
    const reasons: string[] = []
    await phoneScene(
      async ({ clock, phone: phones }) => {
        const phone = phones()
        await phone.rings()
        await clock.elapse(200)
        phone.hangsUp()
        await clock.elapse(1_000)
        expect(reasons).toEqual(['caller-hung-up'])
      },
      {
        // Looks for something before it answers.
        onCall: async (line) => {
          await passes(world!.clock, 500)
          const session = sessionOn(line, line.id, world!)
          session.on('closed', ({ reason }) => reasons.push(reason))
          await session.start()
        },
        inWorld: (given) => (world = given),
      },
    )
  })
  let world: World | undefined

  it('is refused as busy when there are too many, and the others do not notice', () =>
    phoneScene(
      async ({ call, phone: phones, sessions }) => {
        const { phone } = await call()
        const other = phones()
        await other.rings()
        expect(other.documents).toEqual([expect.stringContaining('<Reject reason="busy"/>')])
        expect(other.over).toBe(true)
        expect(phone.over).toBe(false)
        expect(sessions).toHaveLength(1)
      },
      { maxCalls: 1 },
    ))

  it.each([
    ['is refused', () => Promise.reject(new Error('no models')), 10],
    [
      'throws',
      () => {
        throw new Error('no agent')
      },
      10,
    ],
    ['never comes', () => {}, 1_100],
  ])('whose answer %s is ended at the carrier', async (_, onCall, after) => {
    await phoneScene(
      async (scene) => {
        const { clock, phone: phones, rest } = scene
        const phone = phones()
        await phone.rings()
        await clock.elapse(after)
        expect(rest).toHaveLength(1)
        await clock.elapse(500)
        expect(phone.over).toBe(true)
        expectNothingLeft(scene)
      },
      { onCall, answerTimeout: 1_000, authToken },
    )
  })

  it('ends with the scope that owns it, and its session is told why', () =>
    phoneScene(
      async (scene) => {
        const { clock, call, scope, report, rest } = scene
        const { phone, session } = await call()
        const errors: unknown[] = []
        session.on('error', ({ error }) => errors.push(error))
        await scope.close()
        await clock.elapse(500)
        expect(errors).toMatchObject([{ code: 'CALLS_CLOSED' }])
        expect(report().reason).toBe('caller-lost')
        expect(rest).toHaveLength(1)
        expect(phone.over).toBe(true)
        expectNothingLeft(scene)
      },
      { authToken },
    ))
})

describe('every way in which a call goes wrong has one report', () => {
  it('the caller hangs up before the stream starts, and the carrier says so', () =>
    phoneScene(async (scene) => {
      const { clock, phone: phones, report, rest, wires } = scene
      wires.manners = { connect: 'never' }
      const phone = phones()
      await phone.rings()
      await clock.elapse(300)
      await phone.tellsStatus('no-answer')
      phone.hangsUp()
      await clock.elapse(100)
      expect(report()).toMatchObject({ reason: 'caller-hung-up', clean: true })
      expect(lineOf(report())).toMatchObject({ how: 'acknowledged' })
      expect(rest).toEqual([])
      expectNothingLeft(scene)
    }))

  it('the caller hangs up before the stream starts, and nobody says so', () =>
    phoneScene(
      async (scene) => {
        const { clock, phone: phones, report, rest, wires, sessions } = scene
        wires.manners = { connect: 'never' }
        const phone = phones()
        await phone.rings()
        const errors: unknown[] = []
        sessions[0]!.on('error', ({ error }) => errors.push(error))
        await clock.elapse(300)
        phone.hangsUp()
        await clock.elapse(9_600)
        expect(sessions[0]!.state).toBe('new')
        await clock.elapse(200)
        expect(errors).toMatchObject([{ code: 'STREAM_MISSING' }])
        expect(report()).toMatchObject({ reason: 'caller-lost', clean: false })
        expect(lineOf(report())).toMatchObject({ how: 'dropped', reason: 'the call is over' })
        expect(rest).toHaveLength(1)
        expectNothingLeft(scene)
      },
      { authToken },
    ))

  it.each([
    ['in the middle of a word', 520],
    ['with the first sound', 1],
    ['as soon as the stream stands', 0],
  ])('the caller hangs up during the greeting, %s', (_, after) =>
    phoneScene(async (scene) => {
      const { clock, phone: phones, report } = scene
      const phone = phones()
      await phone.rings()
      await phone.until(() => phone.started)
      await clock.elapse(after)
      phone.hangsUp()
      await clock.elapse(100)
      expect(report()).toMatchObject({ reason: 'caller-hung-up', clean: true })
      const [said] = report().transcript
      if (after > 500) expect(said).toMatchObject({ interrupted: true, text: expect.stringMatching(/^Bri/) })
      expectNothingLeft(scene)
    }),
  )

  it.each([true, false])('the stream ends without a word, and a status follows: %s', (status) =>
    phoneScene(
      async (scene) => {
        const { clock, call, report, wires, rest } = scene
        const { phone } = await call()
        wires.broken = true
        wires.cut()
        await clock.elapse(1_000)
        if (status) await phone.tellsStatus()
        await clock.elapse(4_100)
        expect(report().reason).toBe(status ? 'caller-hung-up' : 'caller-lost')
        expect(lineOf(report())).toMatchObject(
          status ? { how: 'acknowledged' } : { how: 'dropped', reason: 'the call is over' },
        )
        expect(rest).toHaveLength(status ? 0 : 1)
        phone.vanishes()
        expectNothingLeft(scene)
      },
      { authToken },
    ),
  )

  it('[LN2] the sound of the caller stops and the socket lives', () =>
    phoneScene(
      async (scene) => {
        const { clock, call, report, rest } = scene
        const { phone, session } = await call()
        await clock.elapse(60_000)
        expect(session.state).toBe('live')
        phone.vanishes()
        await clock.elapse(9_900)
        expect(session.state).toBe('live')
        await clock.elapse(200)
        expect(report()).toMatchObject({ reason: 'caller-lost', clean: false })
        expect(lineOf(report())).toMatchObject({ how: 'dropped', reason: 'the call is over' })
        expect(rest).toHaveLength(1)
        expectNothingLeft(scene)
      },
      { authToken },
    ))

  it('[LN2] no caller is lost because this process slept', () =>
    phoneScene(async ({ clock, call }) => {
      const { session } = await call()
      await clock.elapse(1_000)
      clock.jump(60_000)
      await clock.elapse(20_000)
      expect(session.state).toBe('live')
    }))

  it('we close while the carrier is still connecting: its stream comes late, and the call is over', () =>
    phoneScene(
      async (scene) => {
        const { clock, phone: phones, sessions, report, rest, wires } = scene
        wires.manners = { connect: 1_000 }
        const phone = phones()
        await phone.rings()
        await clock.elapse(100)
        await sessions[0]!.close()
        expect(report()).toMatchObject({ reason: 'requested', clean: true })
        expect(lineOf(report())).toMatchObject({ how: 'acknowledged', reason: 'the call is over' })
        expect(rest).toHaveLength(1)
        await clock.elapse(3_000)
        expect(phone.over).toBe(true)
        expect(sessions).toHaveLength(1)
        expectNothingLeft(scene)
      },
      { authToken },
    ))

  it.each([
    ['down', 'down', 'it cannot be reached (TypeError)'],
    ['silent', 'hangs', 'it does not answer'],
    ['failing', 503, 'it answers 503'],
  ] as const)('REST is %s when we hang up: the report comes in time, and says so', (_, restIs, why) =>
    phoneScene(
      async (scene) => {
        const { clock, call, report, rest } = scene
        const { session } = await call()
        scene.restIs = restIs
        const closing = session.close()
        await clock.elapse(3_000)
        const { took, clean, reason } = await closing
        expect({ clean, reason }).toEqual({ clean: false, reason: 'requested' })
        expect(took).toBeLessThan(2_000)
        expect(lineOf(report())).toMatchObject({
          how: 'closed',
          reason: 'the end of the call is not confirmed',
        })
        expect(JSON.stringify(report().scope)).toContain('HANG_UP_UNCONFIRMED')
        expect(JSON.stringify(report().scope)).toContain(why)
        // It is tried again behind the back of the session, and not for ever.
        await clock.elapse(60_000)
        expect(rest).toHaveLength(limits.tries)
        expectNothingLeft(scene)
      },
      { authToken },
    ),
  )

  it('REST comes back while it is tried again', () =>
    phoneScene(
      async (scene) => {
        const { clock, call, rest } = scene
        const { session } = await call()
        scene.restIs = 500
        await session.close()
        scene.restIs = 200
        await clock.elapse(60_000)
        expect(rest.length).toBeLessThan(limits.tries)
        expectNothingLeft(scene)
      },
      { authToken },
    ))

  it('what is refused for good is not asked again', () =>
    phoneScene(
      async (scene) => {
        const { clock, call, rest, report } = scene
        const { session } = await call()
        scene.restIs = 401
        await session.close()
        await clock.elapse(60_000)
        expect(rest).toHaveLength(1)
        expect(report().clean).toBe(false)
      },
      { authToken },
    ))

  it('a call that was over before we hung up is over', () =>
    phoneScene(
      async (scene) => {
        const { call, rest, report } = scene
        const { session } = await call()
        scene.restIs = { status: 400, body: '{"code":21220,"message":"Call is not in-progress"}' }
        await session.close()
        expect(lineOf(report())).toMatchObject({ how: 'acknowledged' })
        expect(report().clean).toBe(true)
        expect(rest).toMatchObject([
          {
            url: expect.stringMatching(
              /^https:\/\/api.twilio.com\/2010-04-01\/Accounts\/AC1\/Calls\/CA\d+.json$/,
            ),
            body: 'Status=completed',
            authorization: `Basic ${btoa(`AC1:${authToken}`)}`,
          },
        ])
      },
      { authToken },
    ))
})

describe('a goodbye on the phone', () => {
  const goodbye = (seconds: number): string => 'Goodbye! '.repeat(Math.ceil((seconds * 20) / 9))
  const bytes = ({ heard }: { readonly heard: readonly { readonly codes: Uint8Array }[] }): number =>
    heard.reduce((sum, { codes }) => sum + codes.length, 0)

  it.each([2, 40])('[SP8] of %i s is heard whole, then confirmed, and then the call ends', (seconds) =>
    phoneScene(
      async (scene) => {
        const { clock, call, report, rest } = scene
        const say = goodbye(seconds)
        const length = (GREETING.length + say.length) * MS_PER_CHARACTER
        const { phone, session } = await call()
        await clock.elapse(GREETING.length * MS_PER_CHARACTER + 500)
        const hanging = session.hangUp({ say })
        await clock.elapse(say.length * MS_PER_CHARACTER - 500)
        expect(session.state).toBe('ending')
        expect(rest).toEqual([])
        await clock.elapse(2_000)
        expect(await hanging).toBe('confirmed')
        await clock.elapse(500)
        // To the end of the last frame of each of the two.
        expect(bytes(phone)).toBeGreaterThanOrEqual(length * 8)
        expect(bytes(phone)).toBeLessThan((length + 40) * 8)
        expect(phone.over).toBe(true)
        expect(report()).toMatchObject({ reason: 'agent-hung-up', clean: true })
        expect(lineOf(report())).toMatchObject({ how: 'acknowledged' })
        expectNothingLeft(scene)
      },
      { authToken },
    ),
  )

  it('[SP8] is heard whole and unconfirmed if the carrier never returns a mark, in bounded time', () =>
    phoneScene(
      async (scene) => {
        const { clock, call, report } = scene
        const say = goodbye(40)
        const { phone, session } = await call({ marks: false })
        await clock.elapse(GREETING.length * MS_PER_CHARACTER + 10_000)
        const hanging = session.hangUp({ say })
        await clock.elapse(say.length * MS_PER_CHARACTER + 20_000)
        expect(await hanging).toBe('unconfirmed')
        expect(bytes(phone)).toBeGreaterThanOrEqual((GREETING.length + say.length) * MS_PER_CHARACTER * 8)
        expect(phone.over).toBe(true)
        expect(report()).toMatchObject({ reason: 'agent-hung-up' })
        expectNothingLeft(scene)
      },
      { authToken },
    ))
})
