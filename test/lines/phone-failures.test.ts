import { describe, expect, it } from 'vitest'
import { limits } from '../../src/lines/twilio/limits.ts'
import { expectNothingLeft, lineOf, phoneScene } from './phone-scene.ts'

const authToken = 'the token of the account'

describe('a phone call that goes wrong has one report', () => {
  it('if the caller hangs up before the stream starts, and the carrier reports it', () =>
    phoneScene(async (scene) => {
      const { clock, phone: phones, report, rest, wires } = scene
      wires.manners = { connect: 'never' }
      const phone = phones()
      await phone.rings()
      await clock.elapse(300)
      await phone.reportsStatus('no-answer')
      phone.hangsUp()
      await clock.elapse(100)
      expect(report()).toMatchObject({ reason: 'caller-hung-up', clean: true })
      expect(lineOf(report())).toMatchObject({ how: 'acknowledged' })
      expect(rest).toEqual([])
      expectNothingLeft(scene)
    }))

  it('if the caller hangs up before the stream starts, and the carrier does not report it', () =>
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
        expect(lineOf(report())).toMatchObject({ how: 'dropped', reason: 'the call has ended' })
        expect(rest).toHaveLength(1)
        expectNothingLeft(scene)
      },
      { authToken },
    ))

  it.each([
    ['in the middle of a word', 520],
    ['with the first sound', 1],
    ['as soon as the stream starts', 0],
  ])('if the caller hangs up during the greeting, %s', (_, after) =>
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

  it.each([true, false])('if the stream breaks, and a status follows: %s', (status) =>
    phoneScene(
      async (scene) => {
        const { clock, call, report, wires, rest } = scene
        const { phone } = await call()
        wires.broken = true
        wires.cut()
        await clock.elapse(1_000)
        if (status) await phone.reportsStatus()
        await clock.elapse(4_100)
        expect(report().reason).toBe(status ? 'caller-hung-up' : 'caller-lost')
        expect(lineOf(report())).toMatchObject(
          status ? { how: 'acknowledged' } : { how: 'dropped', reason: 'the call has ended' },
        )
        expect(rest).toHaveLength(status ? 0 : 1)
        phone.vanishes()
        expectNothingLeft(scene)
      },
      { authToken },
    ),
  )

  it("[LN2] if the caller's sound stops while the socket stays open", () =>
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
        expect(report()).toMatchObject({ reason: 'caller-lost', ended: 'lost', clean: true })
        expect(lineOf(report())).toMatchObject({ how: 'dropped', reason: 'the call has ended' })
        expect(rest).toHaveLength(1)
        expectNothingLeft(scene)
      },
      { authToken },
    ))

  it('[LN2] only if the caller is silent, and not if this process was suspended', () =>
    phoneScene(async ({ clock, call }) => {
      const { session } = await call()
      await clock.elapse(1_000)
      clock.jump(60_000)
      await clock.elapse(20_000)
      expect(session.state).toBe('live')
    }))

  it('if the session closes while the carrier is still connecting, and the stream comes late', () =>
    phoneScene(
      async (scene) => {
        const { clock, phone: phones, sessions, report, rest, wires } = scene
        wires.manners = { connect: 1_000 }
        const phone = phones()
        await phone.rings()
        await clock.elapse(100)
        await sessions[0]!.close()
        expect(report()).toMatchObject({ reason: 'requested', clean: true })
        expect(lineOf(report())).toMatchObject({ how: 'acknowledged', reason: 'the call has ended' })
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
  ] as const)('in time, if the REST API is %s when the session hangs up', (_, restIs, why) =>
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
        // Retried after the session has closed, a limited number of times.
        await clock.elapse(60_000)
        expect(rest).toHaveLength(limits.tries)
        expectNothingLeft(scene)
      },
      { authToken },
    ),
  )

  it('if the REST API recovers while the hang-up is retried', () =>
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

  it('if the REST API refuses for good, and is not asked again', () =>
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

  it('if the call had ended before the session hung up', () =>
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
