import { describe, expect, it } from 'vitest'
import type { TransferOutcome, TransferRequest } from '../../../src/parts/index.ts'
import { tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../../src/testing/index.ts'
import { aCall, aLiveCall, expectEnded, never, said, type Call } from '../fixture.ts'

const to = '+4930123456'

/** A tool that transfers the caller, and tells the model how that went. */
const transferCall = tool({
  description: 'Connects the caller to a person',
  run: (_input, { transfer }) => transfer({ to, say: 'I will connect you.' }),
})

/** A call whose caller asks for a person. `ring` answers after `ms`. */
async function aTransfer(
  world: World,
  ring: (request: TransferRequest) => TransferOutcome,
  ms = 5_000,
): Promise<Call & { readonly requests: (TransferRequest & { readonly at: number })[] }> {
  const requests: (TransferRequest & { at: number })[] = []
  const call = aCall(world, {
    answers: [[callTool('transferCall')], 'Nobody is there. Can I help?', 'Of course.'],
    agent: { tools: { transferCall } },
    line: {
      transfer: async (request) => {
        requests.push({ ...request, at: world.clock.now() })
        await new Promise<void>((resolve) => world.clock.after(ms, 'the phone rings', resolve))
        return ring(request)
      },
    },
  })
  await call.session.start()
  call.caller.types('I want to talk to a person.')
  return { ...call, requests }
}

describe('a transfer', () => {
  it('[TR1] ends the session with the reason transferred once the person has answered', () =>
    inVirtualTime(async (world) => {
      const call = await aTransfer(world, () => 'answered')
      const report = await call.session.closed
      expect(report).toMatchObject({
        reason: 'transferred',
        ended: 'transferred',
        by: 'transferCall',
        clean: true,
      })
      expect(report.transfers).toEqual([{ to, outcome: 'answered', at: expect.any(Number), took: 5_000 }])
      expect(call.requests).toEqual([{ to, from: undefined, ringTimeout: 30_000, at: expect.any(Number) }])
      expect(said(call.session)).toContain('transferCall → transferred')
      expectEnded(call)
    }))

  it('[TR1] rings only after the caller has heard the words before', () =>
    inVirtualTime(async (world) => {
      const call = await aTransfer(world, () => 'answered')
      const spoken = new Promise<number>((resolve) => {
        call.session.on('spoken', () => resolve(world.clock.now()))
      })
      await call.session.closed
      expect(call.line.heardText).toBe('I will connect you.')
      expect(call.requests[0]!.at).toBe(await spoken)
    }))

  it.each([
    ['busy', { how: 'played', confirmed: true, heard: 'Still here.' }, { keys: '1' }],
    ['answered', { how: 'interrupted', heard: '' }, { keys: '' }],
  ] as const)(
    '[TR1] that ends with %s has what is said and pressed meanwhile wait for the caller',
    (outcome, spoken, pressed) =>
      inVirtualTime(async (world) => {
        const { clock } = world
        let rangAt = 0
        const ring = async (): Promise<TransferOutcome> => {
          rangAt = clock.now()
          await new Promise<void>((resolve) => clock.after(30_000, 'the phone rings', resolve))
          return outcome
        }
        const call = await aLiveCall(world, { line: { transfer: ring } })
        const transfer = call.session.transfer({ to, say: 'One moment.' })
        // Begun before the phone rings, so it is said before.
        const before = call.session.say('Please hold the line.')
        expect(await before.waitForPlayout()).toMatchObject({ how: 'played', confirmed: true })
        const saidAt = clock.now()
        await clock.elapse(10_000)
        expect(rangAt).toBe(saidAt)
        const speech = call.session.say('Still here.')
        const press = call.session.press('1')
        await clock.elapse(15_000)
        expect(call.line.heardText).toBe('One moment.Please hold the line.')
        expect(await transfer).toBe(outcome)
        expect([await speech.waitForPlayout(), await press]).toMatchObject([spoken, pressed])
        await call.session.close()
        expectEnded(call)
      }),
  )

  it.each(['busy', 'no-answer', 'rejected', 'failed'] as const)(
    '[TR1] that ends with %s lets the model say so, and the conversation goes on',
    (outcome) =>
      inVirtualTime(async (world) => {
        const call = await aTransfer(world, () => outcome)
        await call.caller.hears('Can I help?')
        expect(said(call.session)).toContain(`transferCall → ${outcome}`)
        await call.caller.says('Then book an appointment.')
        await call.caller.pauses(2_000)
        await call.caller.hears('Of course.')
        const report = await call.session.close()
        expect(report.reason).toBe('requested')
        expect(report.transfers).toEqual([{ to, outcome, at: expect.any(Number), took: 5_000 }])
        expectEnded(call)
      }),
  )

  it('[TR1] outlasts the timeout of its tool, which begins again after it', () =>
    inVirtualTime(async (world) => {
      const call = await aTransfer(world, () => 'no-answer', 25_000)
      await call.caller.hears('Can I help?')
      expect(said(call.session)).toContain('transferCall → no-answer')
      await call.session.close()
      expectEnded(call)
    }))

  it('[TR1] takes no turns meanwhile, and does not count as idle', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, {
        answers: ['Yes?'],
        idleTimeout: 3_000,
        line: {
          transfer: () =>
            new Promise((resolve) => world.clock.after(20_000, 'it rings', () => resolve('busy'))),
        },
      })
      const outcome = call.session.transfer({ to, sorry: 'Nobody answers.' })
      await world.clock.elapse(1_000)
      call.caller.types('Hello?')
      await world.clock.elapse(15_000)
      expect(call.log).toEqual([])
      expect(await outcome).toBe('busy')
      await call.caller.hears('Nobody answers.')
      call.caller.types('Hello?')
      await call.caller.hears('Yes?')
      await call.session.close()
      expectEnded(call)
    }))

  it('[TR2] does not hold up a close, and its outcome is unknown then', () =>
    inVirtualTime(async (world) => {
      const call = await aTransfer(world, () => 'answered', 60_000)
      await world.clock.elapse(4_000)
      const report = await call.session.close()
      expect(report.reason).toBe('requested')
      expect(report.transfers).toEqual([{ to, outcome: 'unknown', at: expect.any(Number) }])
      expectEnded(call)
    }))

  it('[TR2] of a caller who hangs up is reported as caller-gone', () =>
    inVirtualTime(async (world) => {
      let gone: (outcome: TransferOutcome) => void = () => {}
      const call = await aLiveCall(world, {
        line: { transfer: () => new Promise((resolve) => (gone = resolve)) },
      })
      const outcome = call.session.transfer({ to })
      await world.clock.elapse(1_000)
      gone('caller-gone')
      call.caller.hangsUp()
      const report = await call.session.closed
      await outcome.catch(() => {})
      expect(report.reason).toBe('caller-hung-up')
      expect(report.transfers).toMatchObject([{ to, outcome: 'caller-gone', at: 0 }])
      expectEnded(call)
    }))

  it('[TR2] has an outcome although the line never reports one', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { line: { transfer: () => never() } })
      const outcome = call.session.transfer({ to, ringTimeout: 10_000 })
      await world.clock.elapse(45_000)
      expect(await outcome).toBe('unknown')
      expect((await call.session.closed).reason).toBe('transferred')
      expectEnded(call)
    }))

  it('[TR2] that the line cannot carry out leaves the caller with the agent', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, {
        answers: ['Yes?'],
        line: {
          transfer: () => {
            throw new Error('the line is broken')
          },
        },
      })
      expect(await call.session.transfer({ to })).toBe('failed')
      call.caller.types('Hello?')
      await call.caller.hears('Yes?')
      const report = await call.session.close()
      expect(report.errors).toMatchObject([{ where: 'transfer', error: { message: 'the line is broken' } }])
      expectEnded(call)
    }))

  it('[TR2] is refused at once if it makes no sense, and the conversation goes on', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { answers: ['Yes?'] })
      await expect(call.session.transfer({ to })).rejects.toMatchObject({ code: 'TRANSFER_UNSUPPORTED' })
      await call.session.close()
      const able = await aLiveCall(world, { line: { transfer: () => never() } })
      for (const bad of ['', 'the desk', '+49<Hangup/>', 'sip:a b', 5 as unknown as string])
        await expect(able.session.transfer({ to: bad })).rejects.toMatchObject({ code: 'BAD_OPTION' })
      for (const ringTimeout of [0, -1, NaN, Infinity, 601_000])
        await expect(able.session.transfer({ to, ringTimeout })).rejects.toMatchObject({ code: 'BAD_OPTION' })
      able.session.transfer({ to }).catch(() => {})
      await expect(able.session.transfer({ to })).rejects.toMatchObject({ code: 'TRANSFER_ACTIVE' })
      await able.session.close()
      await expect(able.session.transfer({ to })).rejects.toMatchObject({ code: 'SESSION_CLOSED' })
      expectEnded(able)
    }))

  it('[TR3] by somebody else ends the session with the reason transferred', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      call.line.connection.isTaken()
      const report = await call.session.closed
      expect(report).toMatchObject({ reason: 'transferred', by: 'line', clean: true })
      expectEnded(call)
    }))
})
