import { describe, expect, it } from 'vitest'
import type { RecordedCall } from '../../src/lines/twilio/index.ts'
import type { Logger } from '../../src/parts/index.ts'
import { carrierScene, type CarrierSceneOptions } from './carrier-scene.ts'

const PERSON = '+4930123456'
const OURS = '+15550100'

function recording(options: CarrierSceneOptions = {}) {
  const recorded: RecordedCall[] = []
  const logged: string[] = []
  const log = (...args: unknown[]): void => void logged.push(JSON.stringify(args))
  const logger: Logger = { debug: log, info: log, warn: log, error: log }
  const onRecording = (each: RecordedCall): void => void recorded.push(each)
  return { recorded, logged, options: { application: '1293', onRecording, logger, ...options } }
}

describe.each(['twilio', 'telnyx'] as const)('a recording by %s', (dialect) => {
  it('[RC1] [RC2] is made of every call if asked for, and is reported after the session has ended', () => {
    const { recorded, logged, options } = recording({ dialect, record: true })
    return carrierScene(async ({ talk, clock }) => {
      const { caller, session } = await talk()
      await clock.elapse(5_000)
      caller.hangUp()
      await session.closed
      expect(recorded).toEqual([])
      await clock.elapse(2_000)
      expect(recorded).toEqual([
        {
          call: caller.sid,
          id: expect.stringMatching(/^RE/) as string,
          url: expect.stringMatching(/^https:/) as string,
          duration: expect.any(Number) as number,
        },
      ])
      expect(logged.join('\n')).not.toContain(recorded[0]!.url)
    }, options)
  })

  it('[RC1] is started, paused, resumed and stopped, each confirmed by the carrier', () => {
    const { recorded, options } = recording({ dialect })
    return carrierScene(async ({ talk, clock, carrier }) => {
      const { caller, session } = await talk()
      for (const change of ['start', 'pause', 'resume', 'pause', 'stop'] as const)
        expect([change, await session.recordCall(change)]).toEqual([change, true])
      await clock.elapse(2_000)
      // Before the call has ended.
      expect(recorded).toHaveLength(1)
      expect(await session.recordCall('start')).toBe(true)
      caller.hangUp()
      await session.closed
      await clock.elapse(2_000)
      expect(new Set(recorded.map(({ id }) => id)).size).toBe(2)
      expect(carrier.live).toEqual([])
    }, options)
  })

  it('[RC1] is made of a call out that asks for it', () => {
    const { recorded, options } = recording({ dialect, beginsWith: 'stream' })
    return carrierScene(async ({ calls, carrier, clock }) => {
      const person = carrier.person(PERSON)
      await calls.dial({ to: PERSON, from: OURS, record: true }).report
      await person.calls[0]!.listens(200)
      person.calls[0]!.hangUp()
      await clock.elapse(5_000)
      expect(recorded.map(({ call }) => call)).toEqual([person.calls[0]!.sid])
    }, options)
  })
})

describe('a recording', () => {
  it('[RC1] whose pause the carrier does not confirm says so, in bounded time', () => {
    const { options } = recording({ record: true })
    return carrierScene(async ({ talk, clock, carrier }) => {
      const { caller, session } = await talk()
      carrier.rest.manners = { down: true }
      const began = clock.now()
      expect(await session.recordCall('pause')).toBe(false)
      expect(clock.now() - began).toBeLessThan(15_000)
      // A carrier that recovers is asked again.
      carrier.rest.manners = { status: 500 }
      const paused = session.recordCall('pause')
      await clock.elapse(600)
      carrier.rest.manners = {}
      expect(await paused).toBe(true)
      caller.hangUp()
      const report = await session.closed
      expect(report.errors.map(({ error }) => error.code)).toEqual(['RECORDING_UNCONFIRMED'])
    }, options)
  })

  it('[RC1] is started once, even if the answer of the carrier was lost', () => {
    const { recorded, options } = recording()
    return carrierScene(async ({ talk, clock, carrier }) => {
      const { caller, session } = await talk()
      carrier.rest.manners = { answersWith: 500 }
      expect(await session.recordCall('start')).toBe(false)
      carrier.rest.manners = {}
      expect(await session.recordCall('start')).toBe(true)
      expect(await session.recordCall('pause')).toBe(true)
      caller.hangUp()
      await session.closed
      await clock.elapse(2_000)
      expect(recorded).toHaveLength(1)
    }, options)
  })

  it('[RC1] that may begin at any time, because the answer to its start was lost, is not confirmed as paused', () => {
    const { options } = recording()
    return carrierScene(async ({ talk, carrier }) => {
      const { caller, session } = await talk()
      // Nothing runs: there is nothing to pause.
      expect(await session.recordCall('pause')).toBe(true)
      carrier.rest.manners = { delay: 'never' }
      expect(await session.recordCall('start')).toBe(false)
      carrier.rest.manners = {}
      expect(await session.recordCall('pause')).toBe(false)
      expect(carrier.recordings(caller)).toEqual([])
      caller.hangUp()
      await session.closed
    }, options)
  })

  it('[RC1] is made once of a call that comes back from a transfer to another session', () => {
    const { options } = recording({ record: true })
    return carrierScene(async ({ talk, carrier, clock, sessions }) => {
      carrier.person(PERSON, { outcome: 'no-answer', answersAfter: 5_000 })
      const { caller, session } = await talk()
      session.transfer({ to: PERSON }).catch(() => {})
      await clock.elapse(2_000)
      await session.close()
      await clock.elapse(10_000)
      expect(sessions.map(({ state }) => state)).toEqual(['closed', 'live'])
      expect(carrier.recordings(caller)).toMatchObject([{ status: 'in-progress' }])
      expect(await sessions[1]!.recordCall('pause')).toBe(true)
      expect(carrier.recordings(caller)).toMatchObject([{ status: 'paused' }])
      caller.hangUp()
      await sessions[1]!.closed
      await clock.elapse(2_000)
    }, options)
  })

  it('[RC2] of a call that is not known is reported to the owner, and begins no call', () => {
    const { recorded, options } = recording()
    return carrierScene(async ({ carrier, calls, sessions }) => {
      const form = {
        CallSid: 'CA1',
        RecordingSid: 'RE1',
        RecordingStatus: 'completed',
        RecordingUrl: 'https://api.twilio.com/RE1',
      }
      const url = 'http://localhost:3000/phone/recording'
      for (const status of ['completed', 'in-progress'])
        await carrier.notify(url, { ...form, RecordingStatus: status })
      // Not an address, as far as can be told.
      await carrier.notify(url, { ...form, RecordingSid: 'RE2', RecordingUrl: 'javascript:alert(1)' })
      expect(recorded).toEqual([
        { call: 'CA1', id: 'RE1', url: 'https://api.twilio.com/RE1', duration: undefined },
        { call: 'CA1', id: 'RE2', url: undefined, duration: undefined },
      ])
      expect([calls.size, sessions.length]).toEqual([0, 0])
    }, options)
  })

  it('[RC2] that a webhook does not name is ignored', () => {
    const { recorded, options } = recording()
    return carrierScene(async ({ call, clock }) => {
      const caller = call({ statusCallback: 'http://localhost:3000/phone/recording' })
      await caller.listens(200)
      caller.hangUp()
      await clock.elapse(2_000)
      expect(recorded).toEqual([])
    }, options)
  })

  it('[RC2] is the business of its owner: an error there does not reach the carrier', () => {
    const { logged, options } = recording({
      record: true,
      onRecording: () => {
        throw new TypeError('no disk')
      },
    })
    return carrierScene(async ({ talk, clock }) => {
      const { caller, session } = await talk()
      caller.hangUp()
      await session.closed
      await clock.elapse(2_000)
      expect(logged.filter((line) => line.includes('onRecording failed'))).toHaveLength(1)
    }, options)
  })
})
