import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../src/testing/index.ts'
import { twilioSignature } from '../../src/testing/servers/index.ts'
import { Application, connected, CONNECT, STREAM } from './twilio-application.ts'

describe('a faulty carrier', () => {
  it('signs wrongly or not at all', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      const signatures = ({ headers }: { headers?: Readonly<Record<string, string>> }) =>
        headers?.['x-twilio-signature']
      for (const how of ['wrongly', 'never'] as const) {
        const call = application.call({ signs: how, signsStream: how })
        await world.clock.elapse(20)
        call.abort()
      }
      const right = twilioSignature('token', STREAM)
      expect(application.dials.map(signatures)).toEqual([expect.not.stringMatching(right), undefined])
      expect(application.posts.map(signatures)).toEqual([expect.any(String), undefined])
    }))

  it('repeats the webhook and opens a second stream', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world, { repeats: 2 })
      expect(application.posts.map(({ body }) => new URLSearchParams(body).get('CallSid'))).toEqual([
        call.sid,
        call.sid,
        call.sid,
      ])
      call.joins()
      await world.clock.elapse(20)
      const starts = application
        .received('start')
        .map(({ start }) => start as { callSid: string; streamSid: string })
      expect(starts.map(({ callSid }) => callSid)).toEqual([call.sid, call.sid])
      expect(starts[0]!.streamSid).not.toBe(starts[1]!.streamSid)
      expect(call.open).toBe(2)
      call.abort()
    }))

  it('drops the stream and continues with the TwiML of the action URL', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      const connect = CONNECT.replace('<Connect>', '<Connect action="https://example.com/again">')
      application.twiml = () => (application.posts.length < 3 ? connect : '<Response><Hangup/></Response>')
      const call = application.call()
      await world.clock.elapse(20)
      call.drop()
      await world.clock.elapse(20)
      expect(application.received('start')).toHaveLength(2)
      call.drop()
      await call.gone()
      expect(call.endedBy).toBe('application')
    }))

  it('drops the stream, keeps the call, and opens the stream again', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      call.dropAndWait()
      await world.clock.elapse(3_000)
      expect([call.state, call.open, application.peers[0]!.open]).toEqual(['in-progress', 0, false])
      call.joins()
      await world.clock.elapse(20)
      expect(application.received('start')).toHaveLength(2)
      application.peers[1]!.close()
      await call.gone()
      expect(call.endedBy).toBe('application')
    }))

  it('never returns marks, and goes silent with the socket open', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world, { returnsMarks: false })
      application.mark('a')
      await world.clock.elapse(1_000)
      expect(application.received('mark')).toEqual([])
      call.goSilent()
      const frames = application.frames.length
      await world.clock.elapse(10_000)
      expect([application.frames.length, call.open, call.state]).toEqual([frames, 1, 'in-progress'])
      call.abort()
    }))

  it('emits an event for each message it does not understand', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      application.peers[0]!.send('{"event":"media","streamSid":"another"}')
      application.peers[0]!.send('nonsense')
      application.send('media')
      await world.clock.elapse(5)
      expect(call.events.filter(({ type }) => type === 'misunderstood')).toMatchObject([
        { why: 'the message is for another stream' },
        { why: 'the message is not a JSON object' },
        { why: 'the event is unknown or incomplete: media' },
      ])
      call.abort()
    }))
})
