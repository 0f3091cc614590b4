import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limits } from '../../src/lines/twilio/limits.ts'
import { GREETING, phoneScene } from './phone-scene.ts'
import type { TestPhone } from './phone.ts'

/** A frame that a carrier might or might not send. */
type Frame = { readonly text: string } | { readonly bytes: Uint8Array }

const names = fc.constantFrom(
  'connected',
  'start',
  'media',
  'mark',
  'dtmf',
  'news',
  '',
  '__proto__',
  'constructor',
)
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('//8=', 'AAAA', '1', '9007199254740993', '-1', '#', 'x'.repeat(20_000)),
  fc.constantFrom({ toString: 1 }, { valueOf: 1 }, { length: 1e9 }),
)
const inside = fc.dictionary(
  fc.constantFrom(
    'payload',
    'track',
    'chunk',
    'timestamp',
    'name',
    'digit',
    'callSid',
    'streamSid',
    'mediaFormat',
  ),
  value,
)

const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ text: fc.string() }),
  fc.record({ text: fc.json() }),
  fc.record({ bytes: fc.uint8Array({ maxLength: 400 }) }),
  fc
    .record({
      event: fc.oneof(names, value),
      sequenceNumber: fc.oneof(fc.integer(), fc.string(), value),
      streamSid: value,
      start: fc.oneof(inside, value),
      media: fc.oneof(inside, value),
      mark: fc.oneof(inside, value),
      dtmf: fc.oneof(inside, value),
    })
    .map((message) => ({ text: JSON.stringify(message) })),
)

function send(phone: TestPhone, one: Frame): void {
  if ('text' in one) phone.sendText(one.text)
  else phone.sendBytes(one.bytes)
}

describe('a carrier that sends anything', () => {
  it('[LN6] has its call continued or ended with a code, without effect on other calls', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(frame, { minLength: 1, maxLength: 30 }),
        fc.boolean(),
        async (frames, beforeStart) => {
          await phoneScene(async ({ clock, call, phone: phones, sessions, reports, network }) => {
            const { phone: other } = await call()
            const errors: unknown[] = []
            const phone = phones()
            if (beforeStart) {
              phone.streamsTo(await phone.streamAddress())
              await clock.elapse(1)
            } else {
              await phone.rings()
              await phone.until(() => phone.started)
            }
            for (const session of sessions.slice(1))
              session.on('error', ({ error }) => errors.push((error as { code?: unknown }).code))
            for (const one of frames) {
              send(phone, one)
              await clock.elapse(7)
            }
            await clock.elapse(500)
            for (const code of errors) expect(code).toBe('CARRIER_MISBEHAVED')
            expect(sessions[0]!.state).toBe('live')
            expect(other.over).toBe(false)
            phone.hangsUp()
            await clock.elapse(200)
            expect(reports.length).toBe(sessions.length - 1)
            expect(network.sockets.list()).toHaveLength(1)
          })
        },
      ),
      { numRuns: 60 },
    ))

  it('[LN7] has its call ended with a code if it sends too much', () =>
    phoneScene(async ({ clock, call, sessions, reports }) => {
      const { phone: other } = await call()
      const { phone, session } = await call()
      const errors: unknown[] = []
      session.on('error', ({ error }) => errors.push(error))
      for (let i = 0; i < 2 * limits.messages.burst; i++) phone.sendText('{"event":"media"}')
      await clock.elapse(100)
      expect(errors).toMatchObject([{ code: 'CARRIER_MISBEHAVED' }])
      expect(reports).toMatchObject([{ id: phone.sid, reason: 'caller-lost' }])
      expect(sessions[0]!.state).toBe('live')
      expect(other.over).toBe(false)
    }))

  it('gets no session, and is cut, if its stream never names a call', () =>
    phoneScene(
      async ({ clock, phone: phones, wires, sessions, network, calls }) => {
        for (const text of ['{"event":"connected"}', 'nonsense'])
          for (const times of [1, 2 * limits.opening]) {
            const address = await phones().streamAddress()
            const socket = wires.connect(address, [], { message() {}, ended() {} })
            await clock.elapse(5)
            for (let i = 0; i < times; i++) socket.send(text)
          }
        await clock.elapse(limits.introduction + 100)
        expect(sessions).toEqual([])
        expect(network.sockets.list()).toEqual([])
        expect(calls.inspect()).toMatchObject({ streams: 0 })
      },
      { beginsWith: 'stream' },
    ))

  it('has its call ended with a code if the sound is not telephone sound', () =>
    phoneScene(async ({ clock, wires, sessions, reports, phone: phones }) => {
      const address = await phones({ sid: 'CA1' }).streamAddress()
      const socket = wires.connect(address, [], { message() {}, ended() {} })
      await clock.elapse(5)
      const mediaFormat = { encoding: 'audio/opus', sampleRate: 48_000, channels: 2 }
      socket.send(
        JSON.stringify({
          event: 'start',
          streamSid: 'MZ1',
          start: { callSid: 'CA1', accountSid: 'AC1', mediaFormat },
        }),
      )
      await clock.elapse(1_000)
      expect(sessions).toHaveLength(1)
      expect(reports).toMatchObject([{ reason: 'caller-lost', clean: false }])
    }))

  it('may send a little nonsense', () =>
    phoneScene(async ({ clock, call }) => {
      const { phone, session } = await call()
      for (let i = 0; i < limits.nonsense; i++) phone.sendText('{"event":"media"}')
      await clock.elapse(100)
      expect(session.state).toBe('live')
      phone.sendText('}')
      await clock.elapse(100)
      expect(session.state).toBe('closed')
    }))

  it('may send sequence numbers that jump and go backwards', () =>
    phoneScene(async ({ clock, call }) => {
      const { phone, session } = await call()
      for (const sequenceNumber of ['9', '3', '3', '-1', 'x', 7, null])
        phone.sendText(JSON.stringify({ event: 'media', sequenceNumber, media: { payload: '//8=' } }))
      await clock.elapse(GREETING.length * 50 + 500)
      expect(session.state).toBe('live')
      expect(phone.over).toBe(false)
    }))
})
