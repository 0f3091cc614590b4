import { describe, expect, it } from 'vitest'
import { decodeMuLaw } from '../../src/audio/index.ts'
import { TwilioCalls } from '../../src/lines/twilio/index.ts'
import type { Clock } from '../../src/scope/index.ts'
import { partContext, type TestPartContext, type World } from '../../src/testing/index.ts'
import { outsideTimer } from '../../src/testing/outside-timer.ts'
import { GREETING, expectNothingLeft, lineOf, phoneScene, sessionOn } from './phone-scene.ts'
import { MS_PER_CHARACTER } from './phone-sound.ts'
import { postToPhone } from './phone-subject.ts'
import { streamIn } from './phone.ts'
import type { SimWires } from './sim-wires.ts'

const authToken = 'the token of the account'

const passes = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    outsideTimer(clock, ms, 'time passes', resolve)
  })

/** Opens a stream that names this call. Resolves to the close code. */
const startsStream = (wires: SimWires, address: string, callSid: string): Promise<number> =>
  new Promise((resolve) => {
    const socket = wires.connect(address, [], { message() {}, ended: resolve })
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 }
    const start = { event: 'start', streamSid: 'MZ9', start: { callSid, mediaFormat } }
    wires.after(5, () => socket.send(JSON.stringify(start)))
  })

describe('a phone call', () => {
  it('is answered and greeted, and ends well when the caller hangs up', () =>
    phoneScene(async (scene) => {
      const { clock, call, report, infos } = scene
      const { phone, session } = await call()
      await clock.elapse(GREETING.length * MS_PER_CHARACTER + 500)
      phone.hangsUp()
      await clock.elapse(100)
      expect(session.state).toBe('closed')
      expect(report()).toMatchObject({ id: phone.sid, reason: 'caller-hung-up', clean: true })
      expect(lineOf(report())).toMatchObject({ how: 'acknowledged', reason: 'the call has ended' })
      expect(report().transcript).toMatchObject([{ role: 'agent', text: GREETING }])
      expect(infos).toMatchObject([{ id: phone.sid, from: '+15550100', to: '+15550199' }])
      expect(phone.nonsense).toEqual([])
      expectNothingLeft(scene)
    }))

  it('is connected by a document that ends the call when its stream ends', () =>
    phoneScene(async ({ clock, call }) => {
      const { phone, session } = await call()
      expect(phone.documents).toEqual([
        '<?xml version="1.0" encoding="UTF-8"?><Response>' +
          '<Connect action="http://localhost:3000/phone/answer">' +
          `<Stream url="${streamIn(phone.documents[0]!)}">` +
          '<Parameter name="from" value="+15550100"/><Parameter name="to" value="+15550199"/>' +
          '</Stream></Connect></Response>',
      ])
      await session.close()
      await clock.elapse(500)
      expect(phone.over).toBe(true)
      expect(phone.documents.at(-1)).toContain('<Response><Hangup/></Response>')
    }))

  it('through Telnyx is like any other', () =>
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

  it.each([
    ['telnyx', [1, 2, 3]],
    ['twilio', [1, 3, 2]],
  ] as const)('[LN10] is heard in order, if the carrier does not keep it: %s', async (carrier, order) => {
    let context: TestPartContext | undefined
    const heard: number[] = []
    // Codes that silence does not contain, and their samples.
    const samples = new Map([1, 2, 3].map((code) => [decodeMuLaw(Uint8Array.of(code))[0]!, code]))
    await phoneScene(
      async ({ clock, phone: phones, network, ...world }) => {
        context = partContext({ ...world, clock, network })
        const phone = phones({ dialect: carrier })
        await phone.rings()
        await phone.until(() => phone.started)
        for (const chunk of [1, 3, 2])
          phone.send({ event: 'media', media: { chunk, payload: Buffer.of(chunk).toString('base64') } })
        await clock.elapse(100)
        expect(heard).toEqual(order)
        await context.scope.close()
      },
      {
        carrier,
        onCall: (line) =>
          line.open(context!, {
            frame: (frame) => {
              const code = samples.get(frame.samples[0]!)
              if (code !== undefined) heard.push(code)
            },
            marked() {},
            dtmf() {},
            text() {},
            hungUp() {},
            lost() {},
            handedOver() {},
          }),
      },
    )
  })

  it('begins with its stream, if another process answered its webhook', () =>
    phoneScene(
      async ({ clock, phone: phones, sessions, infos, scope }) => {
        const others = new TwilioCalls({ scope, authToken, beginsWith: 'stream', onCall: () => {} })
        const phone = phones()
        const form = { CallSid: phone.sid, CallStatus: 'ringing' }
        const { body } = await postToPhone(() => others, authToken)('/phone/answer', form)
        phone.streamsTo(streamIn(body)!, { from: '+15550100' })
        await phone.until(() => phone.heard.length > 5)
        expect(infos).toMatchObject([{ id: phone.sid, from: '+15550100', to: undefined }])
        expect(sessions).toHaveLength(1)
        phone.hangsUp()
        await clock.elapse(10)
      },
      { beginsWith: 'stream', authToken },
    ))

  it('[LN9] does not begin with a stream that no webhook announced here', () =>
    phoneScene(
      async ({ clock, sessions, scope, wires }) => {
        const others = new TwilioCalls({ scope, authToken, onCall: () => {} })
        const { body } = await postToPhone(() => others, authToken)('/phone/answer', { CallSid: 'CA1' })
        const ended = startsStream(wires, streamIn(body)!, 'CA1')
        await clock.elapse(100)
        expect(await ended).toBe(1006)
        expect(sessions).toEqual([])
      },
      { authToken },
    ))

  it('[LN9] is not taken over by a stream that repeats its address, or names another call', () =>
    phoneScene(
      async ({ clock, call, sessions, wires }) => {
        const { phone } = await call()
        // The same address, signed like the first time.
        const repeated = startsStream(wires, streamIn(phone.documents[0]!)!, phone.sid)
        const other = startsStream(wires, await phone.streamAddress(), 'CA1')
        await clock.elapse(200)
        expect([await repeated, await other]).toEqual([1006, 1008])
        expect(sessions).toHaveLength(1)
        expect(phone.streams).toBe(1)
        phone.hangsUp()
        await clock.elapse(10)
      },
      { authToken },
    ))

  it('begins and ends with its stream, if beginsWith is stream', () =>
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

  it('has one session, however many webhooks and streams come, and none after its end', () =>
    phoneScene(async (scene) => {
      const { clock, call, sessions, report, reports } = scene
      const { phone } = await call()
      await Promise.all([phone.rings(), phone.rings()])
      await clock.elapse(2_000)
      const unused = await phone.streamAddress()
      phone.streamsTo(await phone.streamAddress())
      await clock.elapse(2_000)
      expect(sessions).toHaveLength(1)
      phone.hangsUp()
      await clock.elapse(2_000)
      expect(report().reason).toBe('caller-hung-up')

      const late = scene.phone({ sid: phone.sid })
      await late.rings()
      expect(late.over).toBe(true)
      const stray = scene.phone({ sid: phone.sid })
      stray.streamsTo(unused)
      await clock.elapse(3_000)
      expect(sessions).toHaveLength(1)
      expect(reports).toHaveLength(1)
      expectNothingLeft(scene)
    }))

  it('[LN4] cannot rejoin a session that is closing', async () => {
    let context: TestPartContext | undefined
    await phoneScene(
      async ({ clock, phone: phones, wires, network, ...world }) => {
        const phone = phones()
        context = partContext({ ...world, clock, network })
        await phone.rings()
        const address = await phone.streamAddress()
        await clock.elapse(100)
        context.scope.spawn('takes its time', () => passes(clock, 1_000))
        const closing = context.scope.close({ closeTimeout: 5_000 })
        wires.cut()
        await clock.elapse(100)
        expect(phone.over).toBe(true)
        const stray = phones({ sid: phone.sid })
        stray.streamsTo(address)
        await clock.elapse(100)
        expect(stray.over).toBe(true)
        expect(context.scope.state).toBe('closing')
        expect((await closing).reason).toBe('closed')
        expect(network.sockets.list()).toEqual([])
      },
      {
        onCall: (line) =>
          line.open(context!, {
            frame() {},
            marked() {},
            dtmf() {},
            text() {},
            hungUp() {},
            lost() {},
            handedOver() {},
          }),
      },
    )
  })

  it('that ends before it is answered was hung up, and its session did not fail to start', async () => {
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
        // Takes its time before it answers.
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

  it('is refused as busy when there are too many, without effect on the others', () =>
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
    ['rejects', () => Promise.reject(new Error('no models')), 10],
    [
      'throws',
      () => {
        throw new Error('no agent')
      },
      10,
    ],
    ['never opens the line', () => {}, 1_100],
  ])('is ended at the carrier if onCall %s', async (_, onCall, after) => {
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

  it('ends with the scope that owns it, and its session gets the error', () =>
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

describe('a goodbye on the phone', () => {
  const goodbye = (seconds: number): string => 'Goodbye! '.repeat(Math.ceil((seconds * 20) / 9))
  const bytes = ({ heard }: { readonly heard: readonly { readonly codes: Uint8Array }[] }): number =>
    heard.reduce((sum, { codes }) => sum + codes.length, 0)

  it.each([2, 40])('[SP8] of %i s is heard to its end and confirmed before the call ends', (seconds) =>
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
        // Up to the end of the last frame of each speech.
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

  it('[SP8] is heard to its end, unconfirmed and in bounded time, if the carrier never returns a mark', () =>
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
