import { describe, expect, it } from 'vitest'
import { decodeWav, level, sine } from '../../src/audio/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'
import { Application, connected, WEBHOOK } from './twilio-application.ts'

describe('the caller', () => {
  it('hears the application in real time, and marks come back when they are heard', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      application.sound(1_000)
      application.mark('end')
      await world.clock.elapse(500)
      expect(call.heardBytes).toBeGreaterThan(3_500)
      expect(call.heardBytes).toBeLessThan(4_200)
      expect(application.received('mark')).toEqual([])
      await world.clock.elapse(600)
      expect(call.heardBytes).toBe(8_000)
      expect(application.received('mark')).toMatchObject([{ mark: { name: 'end' } }])
      const types = call.events.map(({ type }) => type)
      expect(types.slice(4)).toEqual(['speaks', 'mark', 'quiet'])
      application.mark('with nothing before it')
      await world.clock.elapse(5)
      expect(application.received('mark')).toHaveLength(2)
      call.abort()
    }))

  it('hears nothing more after clear, and all marks come back at once', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      application.sound(10_000)
      application.mark('a')
      application.sound(1_000)
      application.mark('b')
      await world.clock.elapse(1_000)
      application.send('clear')
      await world.clock.elapse(5)
      expect(application.received('mark')).toMatchObject([{ mark: { name: 'a' } }, { mark: { name: 'b' } }])
      const heard = call.heardBytes
      await world.clock.elapse(1_000)
      expect(call.heardBytes).toBe(heard)
      expect(call.events.find(({ type }) => type === 'cleared')).toMatchObject({
        unheard: expect.closeTo(10_000, -2),
      })
      call.abort()
    }))

  it('speaks, presses keys, and listens until the agent has finished', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      const startedAt = world.clock.now()
      const tone = sine(440, { sampleRate: 16_000, duration: 300 })
      await call.says(tone)
      expect(world.clock.now() - startedAt).toBeGreaterThanOrEqual(280)
      call.press('#')
      await world.clock.elapse(5)
      expect(application.received('dtmf')).toMatchObject([{ dtmf: { track: 'inbound_track', digit: '#' } }])
      const loud = application.received('media').filter(({ media }) => {
        const bytes = Buffer.from((media as { payload: string }).payload, 'base64')
        return bytes.some((byte) => byte !== 0xff)
      })
      expect(loud).toHaveLength(15)
      application.sound(500)
      const listened = call.listens(1_000)
      const listenedAt = world.clock.now()
      await listened
      expect(world.clock.now() - listenedAt).toBeGreaterThanOrEqual(1_480)
      const { channels, sampleRate } = decodeWav(call.heardWav)
      expect(sampleRate).toBe(8000)
      const sounding = channels[0]!.subarray(-8000 * 1.4, -8000 * 1.1)
      expect([level(sounding) > -12, level(channels[0]!.subarray(-8000)) < -60]).toEqual([true, true])
      call.abort()
      await call.says(tone)
    }))
})

describe('the end of a call', () => {
  it('by the caller sends stop and a close frame, and posts the status callback', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world, { statusCallback: 'https://example.com/status' })
      await world.clock.elapse(2_000)
      call.hangUp()
      call.hangUp()
      await call.gone()
      expect(application.received('stop')).toMatchObject([{ stop: { callSid: call.sid } }])
      expect(call.events.slice(-2)).toMatchObject([
        { type: 'ended', by: 'caller' },
        { type: 'stream-ended', code: 1000 },
      ])
      expect(application.posts.map(({ url }) => url)).toEqual([WEBHOOK, 'https://example.com/status'])
      expect(application.posts[1]!.body).toContain('CallStatus=completed')
      expect(application.posts[1]!.body).toContain('CallDuration=2')
    }))

  it('can lack the stop, the close frame, or both', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      const calls = (['without-stop', 'cut', 'silently'] as const).map((leaves) =>
        application.call({ leaves }),
      )
      await world.clock.elapse(100)
      for (const call of calls) call.hangUp()
      await world.clock.elapse(100)
      expect(application.received('stop')).toEqual([])
      expect(application.peers.map(({ open }) => open)).toEqual([false, false, true])
      expect(calls.map(({ open }) => open)).toEqual([0, 0, 1])
      calls[2]!.abort()
    }))

  it('can come during any event', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      for (const moment of ['ringing', 'answered', 'connected', 'started', 'says'] as const) {
        const call = application.call({ onEvent: ({ type }, self) => type === moment && self.hangUp() })
        await world.clock.elapse(30)
        await call.says(sine(440, { sampleRate: 8000, duration: 300 }))
        await call.gone()
        expect([call.state, call.endedBy]).toEqual(['completed', 'caller'])
      }
      expect(application.carrier.open).toBe(0)
    }))
})
