import { expect, it } from 'vitest'
import { inVirtualTime } from '../../testing/index.ts'
import { CarrierRecording } from './carrier-recording.ts'
import { twilio } from './twilio.ts'

it('[RC1] believes only what the carrier says about the recording, not that it took the request', () =>
  inVirtualTime(async ({ clock }) => {
    const carrier = twilio({ authToken: 'token', accountSid: 'AC1', api: 'https://api.example.com' })
    const answer = async (): Promise<Response> => Response.json({ sid: 'RE1', status: 'in-progress' })
    const recording = new CarrierRecording(
      { clock, carrier, fetch: answer, call: 'CA1', account: 'AC1' },
      'https://phone.example.com/phone/recording',
    )
    expect(await recording.change('start')).toBe(true)
    expect(await recording.change('pause')).toBe(false)
    expect(await recording.change('resume')).toBe(true)
  }))
