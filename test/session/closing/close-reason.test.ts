import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, expectEnded } from '../fixture.ts'

describe('the reason of a close', () => {
  it('[CL2] is the reason of the first request; later requests are listed with their time and who made them', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { closeTakes: 1_000 } })
      await call.session.start()
      const closed = call.session.close({ reason: 'host-draining', by: 'the host' })
      await world.clock.elapse(300)
      call.session.close({ by: 'a person' }).catch(() => {})
      expect(await closed).toMatchObject({
        reason: 'host-draining',
        by: 'the host',
        alsoAsked: [{ reason: 'requested', by: 'a person', at: 300 }],
      })
    }))

  it('[CL2] is the reason of a graceful end, even if close() cuts it short', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { closeTakes: 500 } })
      await call.session.start()
      call.session.hangUp({ say: 'Goodbye, and thank you for your call.', by: 'the agent' }).catch(() => {})
      await world.clock.elapse(200)
      expect(await call.session.close({ by: 'a person' })).toMatchObject({
        reason: 'agent-hung-up',
        by: 'the agent',
        alsoAsked: [{ reason: 'requested', by: 'a person', at: 0 }],
      })
    }))

  it('[CL2] is a drop if the caller is lost during a goodbye, which says nothing about the close', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.start()
      const outcome = call.session.hangUp({ say: 'Goodbye, and thank you for your call.', by: 'the agent' })
      await world.clock.elapse(200)
      call.caller.vanishes()
      await call.session.afterCall
      expect(await outcome).toBe('unconfirmed')
      expect(expectEnded(call)).toMatchObject({
        reason: 'caller-lost',
        ended: 'lost',
        clean: true,
        alsoAsked: [{ reason: 'agent-hung-up', by: 'the agent', at: -200 }],
      })
    }))

  it('[CL2] is caller-hung-up, and the report is clean, if the caller hangs up', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.start()
      call.caller.hangsUp()
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({ reason: 'caller-hung-up', by: 'line', clean: true })
    }))
})
