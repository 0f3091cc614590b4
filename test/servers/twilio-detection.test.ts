import { describe, expect, it } from 'vitest'
import { sine } from '../../src/audio/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'
import { DIALLED, dialling, NUMBER, toDial } from './twilio-dialling.ts'

const VERDICT = 'https://example.com/verdict'

describe('machine detection', () => {
  const machine = { greeting: sine(300, { sampleRate: 8000, duration: 4_000 }) }

  it.each([
    ['Enable', 'a person', {}, 'human', 2_000],
    ['DetectMessageEnd', 'a person', {}, 'human', 2_000],
    ['Enable', 'a machine', { machine }, 'machine_start', 2_400],
    ['DetectMessageEnd', 'a machine', { machine }, 'machine_end_beep', 4_500],
    [
      'DetectMessageEnd',
      'a machine without a beep',
      { machine: { ...machine, beep: false } },
      'machine_end_silence',
      5_200,
    ],
    ['Enable', 'a given verdict', { detection: { verdict: 'fax', after: 500 } }, 'fax', 500],
    ['Enable', 'no verdict', { detection: { after: 'never' } }, 'unknown', 30_000],
  ] as const)('by %s of %s lets the call wait for its verdict', (mode, _, person, verdict, ms) =>
    inVirtualTime(async (world) => {
      const { application } = dialling(world, person)
      await application.rest('Calls.json', { ...toDial, MachineDetection: mode })
      await world.clock.elapse(1_100 + ms - 50)
      expect(application.posts).toEqual([])
      await world.clock.elapse(100)
      expect(application.forms(DIALLED)).toMatchObject([
        { AnsweredBy: verdict, MachineDetectionDuration: String(ms) },
      ])
      application.carrier.abort()
    }),
  )

  it('does not bring back the first document after a redirect', () =>
    inVirtualTime(async (world) => {
      const { application, callee } = dialling(world)
      const { sid } = await application.rest('Calls.json', { ...toDial, MachineDetection: 'Enable' })
      await world.clock.elapse(1_500)
      await application.rest(`Calls/${String(sid)}.json`, {
        Twiml: '<Response><Pause length="9"/></Response>',
      })
      await callee.calls[0]!.gone()
      expect(application.forms(DIALLED)).toEqual([])
    }))

  it('runs beside the call when it is asynchronous', () =>
    inVirtualTime(async (world) => {
      const { application, callee } = dialling(world, { machine })
      const { sid } = await application.rest('Calls.json', {
        ...toDial,
        MachineDetection: 'DetectMessageEnd',
        AsyncAmd: 'true',
        AsyncAmdStatusCallback: VERDICT,
      })
      await world.clock.elapse(1_200)
      expect(application.forms(DIALLED)[0]).not.toHaveProperty('AnsweredBy')
      expect(application.received('start')).toHaveLength(1)
      await world.clock.elapse(4_500)
      expect(application.forms(VERDICT)).toMatchObject([
        { CallSid: sid, AnsweredBy: 'machine_end_beep', MachineDetectionDuration: '4500' },
      ])
      expect(await application.rest(`Calls/${String(sid)}.json`, {}, 'GET')).toMatchObject({
        answered_by: 'machine_end_beep',
      })
      // The greeting and the beep went over the stream.
      const loud = application.received('media').filter(({ media }) => {
        const bytes = Buffer.from((media as { payload: string }).payload, 'base64')
        return bytes.some((byte) => byte !== 0xff)
      })
      expect(loud.length * 20).toBeGreaterThan(4_400)
      expect(callee.calls[0]!.events.filter(({ type }) => type === 'said')).toHaveLength(2)
      application.carrier.abort()
    }))

  it('runs beside a <Dial> and a conference', () =>
    inVirtualTime(async (world) => {
      const { application, callee } = dialling(world, { machine })
      application.twiml = () =>
        `<Response><Dial><Number machineDetection="Enable" amdStatusCallback="/verdict">${NUMBER}</Number></Dial></Response>`
      application.call()
      const participant = { To: NUMBER, From: '+1', MachineDetection: 'Enable', AmdStatusCallback: VERDICT }
      await application.rest('Conferences/N/Participants.json', participant)
      await world.clock.elapse(2_000)
      const events = callee.calls.flatMap((call) => call.events.map(({ type }) => type))
      expect(events.filter((type) => type === 'bridged' || type === 'joins-conference')).toHaveLength(2)
      expect(application.forms(VERDICT)).toEqual([])
      await world.clock.elapse(2_000)
      expect(application.forms(VERDICT)).toMatchObject([
        { CallSid: callee.calls[0]!.sid, AnsweredBy: 'machine_start' },
        { CallSid: callee.calls[1]!.sid, AnsweredBy: 'machine_start' },
      ])
      application.carrier.abort()
    }))

  it.each([
    ['no verdict', {}, 0],
    ['a late verdict if the test asks for it', { evenIfOver: true }, 1],
    ['no verdict that never comes', { after: 'never', evenIfOver: true } as const, 0],
  ])('has %s for a call that has ended', (_, detection, count) =>
    inVirtualTime(async (world) => {
      const { application, callee } = dialling(world, { detection })
      const fields = { MachineDetection: 'Enable', AsyncAmd: 'true', AsyncAmdStatusCallback: VERDICT }
      await application.rest('Calls.json', { ...toDial, ...fields })
      await world.clock.elapse(1_200)
      callee.calls[0]!.hangUp()
      await world.clock.elapse(60_000)
      expect(application.forms(VERDICT)).toHaveLength(count)
    }),
  )
})
