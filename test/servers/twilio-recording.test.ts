import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../src/testing/index.ts'
import { Application } from './twilio-application.ts'
import { dialling, toDial } from './twilio-dialling.ts'

const RECORDED = 'https://example.com/recorded'

describe('a recording', () => {
  it('is started, paused and stopped over REST, and reported once it is processed', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      const call = application.call()
      await world.clock.elapse(50)
      const path = `Calls/${call.sid}/Recordings`
      const form = {
        RecordingStatusCallback: RECORDED,
        RecordingStatusCallbackEvent: ['in-progress', 'completed'],
        RecordingChannels: 'dual',
      }
      const { http, sid, status } = await application.rest(`${path}.json`, form)
      expect([http, status]).toEqual([201, 'in-progress'])
      expect(await application.rest(`${path}/Twilio.CURRENT.json`, { Status: 'paused' })).toMatchObject({
        http: 200,
        sid,
        status: 'paused',
      })
      expect(await application.rest(`${path}/RE0.json`, { Status: 'paused' })).toMatchObject({ http: 404 })
      await world.clock.elapse(3_000)
      await application.rest(`${path}/${String(sid)}.json`, { Status: 'stopped' })
      expect(await application.rest(`${path}/${String(sid)}.json`, { Status: 'paused' })).toMatchObject({
        code: 21_220,
      })
      call.hangUp()
      await world.clock.elapse(900)
      expect(application.forms(RECORDED)).toHaveLength(1)
      await world.clock.elapse(200)
      expect(application.forms(RECORDED)).toMatchObject([
        { RecordingSid: sid, RecordingStatus: 'in-progress' },
        {
          CallSid: call.sid,
          RecordingSid: sid,
          RecordingStatus: 'completed',
          RecordingDuration: '3',
          RecordingChannels: '2',
          RecordingSource: 'StartCallRecordingAPI',
        },
      ])
    }))

  it('is reported after the call has ended, and refused for a call without an answer', () =>
    inVirtualTime(async (world) => {
      const { application, callee } = dialling(world)
      const record = { Record: 'true', RecordingStatusCallback: RECORDED }
      const { sid } = await application.rest('Calls.json', { ...toDial, ...record })
      await world.clock.elapse(500)
      expect(await application.rest(`Calls/${String(sid)}/Recordings.json`)).toMatchObject({ code: 21_220 })
      await world.clock.elapse(2_600)
      callee.calls[0]!.hangUp()
      const current = `Calls/${String(sid)}/Recordings/Twilio.CURRENT.json`
      expect(await application.rest(current, { Status: 'paused' })).toMatchObject({ code: 21_220 })
      await callee.calls[0]!.gone()
      expect(application.forms(RECORDED)).toEqual([])
      await world.clock.elapse(1_100)
      expect(application.forms(RECORDED)).toMatchObject([
        {
          CallSid: sid,
          RecordingStatus: 'completed',
          RecordingDuration: '2',
          RecordingSource: 'OutboundAPI',
        },
      ])
      callee.options = { outcome: 'busy' }
      await application.rest('Calls.json', { ...toDial, ...record })
      await world.clock.elapse(5_000)
      expect(application.forms(RECORDED)).toHaveLength(1)
    }))
})
