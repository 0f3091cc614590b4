import { describe, expect, it } from 'vitest'
import { Session, type CloseReason } from '../../../src/session/index.ts'
import { inVirtualTime, type Fault } from '../../../src/testing/index.ts'
import { aCall, expectEnded, type Call } from '../fixture.ts'
import { aBusyCall } from './busy-call.ts'

/** Every way to end a live session. */
const waysToEnd: [name: string, reason: CloseReason, end: (call: Call) => unknown][] = [
  ['close()', 'requested', ({ session }) => session.close()],
  ['a caller who hangs up', 'caller-hung-up', ({ caller }) => caller.hangsUp()],
  ['the loss of the line', 'caller-lost', ({ caller }) => caller.vanishes(new Error('no more packets'))],
  ['hangUp()', 'agent-hung-up', ({ session }) => session.hangUp({ say: 'Goodbye.' })],
  ['drain()', 'host-draining', ({ session }) => session.drain({ reason: 'host-draining' })],
  ['an STT that fails for good', 'error', ({ stt }) => stt.fail()],
  ['a VAD that fails for good', 'error', ({ vad }) => vad.fails()],
  [
    'await using',
    'requested',
    async ({ session }) => {
      await using _ = session
    },
  ],
]

describe('a session that is ended', () => {
  it.each(waysToEnd)('[CL1] [CL2] by %s emits `closed` once, with reason %s', (_, reason, end) =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.start()
      await end(call)
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({ reason })
      expect(call.clockTimers()).toEqual([])
    }),
  )

  it.each(waysToEnd)(
    '[CL1] [CL9] by %s while everything is in progress emits `closed` once',
    (_, reason, end) =>
      inVirtualTime(async (world) => {
        const call = await aBusyCall(world, { stallTimeout: 1_000, agent: { tools: {} } })
        await end(call)
        await call.session.afterCall
        expect(expectEnded(call)).toMatchObject({ reason })
        expect(call.clockTimers()).toEqual([])
      }),
  )

  const faults: Fault[] = ['hang', 'throw', 'reject', 'ignore-signal', { late: 60_000 }]
  const steps = [
    'close:line',
    'close:stt',
    'close:tts',
    'close:llm',
    'close:vad',
    'close:*',
    'task:reply 1',
    'task:speech 1',
    'task:look',
    'task:turn 1',
    "task:exit hook of 'desk'",
    'task:*',
    'deferred:last words',
  ]
  const cases = steps.flatMap((step) => faults.map((fault): [string, Fault] => [step, fault]))

  it.each(cases)('[CL1] [CL4] closes in time if %s does %j', (step, fault) =>
    inVirtualTime(async (world) => {
      const call = await aBusyCall(world, {}, [step, fault])
      const closedAt = world.clock.now()
      const report = await call.session.close()
      expect(world.clock.now() - closedAt).toBeLessThanOrEqual(5_000)
      expect(expectEnded(call)).toBe(report)
      expect(call.faults.fired).not.toEqual([])
    }),
  )

  it.each(['line', 'stt', 'tts', 'llm'] as const)('[CL1] [CL4] aborts a %s whose close hangs', (part) =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { [part]: { closeHangs: true } })
      await call.session.start()
      const report = await call.session.close()
      expectEnded(call)
      expect(call[part].counts).toMatchObject({ aborted: 1, live: 0 })
      expect(report.clean).toBe(false)
    }),
  )

  it.each([
    ['an LLM', { llm: { ignoresSignal: true }, answers: [['Hm. ', { stall: true as const }]] }],
    ['a voice', { tts: { ignoresSignal: true, stallAfter: 100 }, answers: ['Let me think about that.'] }],
  ])('[CL1] does not wait for %s that ignores its signal', (_, options) =>
    inVirtualTime(async (world) => {
      const call = aCall(world, options)
      await call.session.start()
      call.caller.types('Hello?')
      await world.clock.elapse(300)
      const report = await call.session.close()
      expectEnded(call)
      expect(report.took).toBeLessThanOrEqual(1_000)
    }),
  )

  it('[CL1] before it was started closes like any other', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      expect(await call.session.close({ by: 'me' })).toMatchObject({ reason: 'requested', by: 'me', took: 0 })
      expect(expectEnded(call).startedAt).toBeUndefined()
    }))

  it('[CL1] closes within closeTimeout, which a later close can only shorten', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { closeTimeout: 3_000, stt: { closeHangs: true } })
      await call.session.start()
      const first = call.session.close()
      await world.clock.elapse(500)
      const second = call.session.close({ closeTimeout: 1_000 })
      const third = call.session.close({ closeTimeout: 60_000 })
      const report = await first
      expect(await second).toBe(report)
      expect(await third).toBe(report)
      expect(report).toMatchObject({ closeTimeout: 1_500 })
      expectEnded(call)
    }))

  it('[CL1] emits `closed` once even if the clock jumps ahead', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { closeHangs: true } })
      await call.session.start()
      const closed = call.session.close()
      await world.clock.elapse(100)
      world.clock.jump(3_600_000)
      const report = await closed
      expect(call.reports).toEqual([report])
      expect(call.stt.counts.live).toBe(0)
    }))

  it('[CL1] closes even if the logger throws', () =>
    inVirtualTime(async (world) => {
      const broken = (): never => {
        throw new Error('disk full')
      }
      const call = aCall(world, {
        logger: { debug: broken, info: broken, warn: broken, error: broken },
        stt: { closeFails: new Error('reset') },
      })
      await call.session.start()
      await call.session.close()
      expectEnded(call)
    }))

  it('[CL1] gives every caller of close() the same report, in listeners as well', () =>
    inVirtualTime(async (world) => {
      const call = await aBusyCall(world)
      const { session } = call
      const got: Promise<unknown>[] = []
      session.on('closed', () => got.push(session.close()))
      session.on('state', () => got.push(session.close({ reason: 'error', by: 'a listener of states' })))
      session.on('spoken', () => got.push(session.close({ reason: 'error', by: 'a listener of speech' })))
      const report = await session.close({ by: 'the first' })
      for (const each of await Promise.all(got)) expect(each).toBe(report)
      expect(got.length).toBeGreaterThanOrEqual(4)
      expect(report).toMatchObject({ reason: 'requested', by: 'the first' })
      expectEnded(call)
    }))

  it('[CL1] by leaving a loop over the session, with break or throw, emits `closed` once', () =>
    inVirtualTime(async (world) => {
      const one = aCall(world)
      const other = aCall(world)
      await Promise.all([one.session.start(), other.session.start()])
      const say = async (session: Session): Promise<void> => void session.say('Hello.')
      const left = say(one.session)
      for await (const { type } of one.session) if (type === 'spoken') break
      await left
      expect(expectEnded(one)).toMatchObject({ by: 'end of the for await loop' })
      const thrown = say(other.session)
      const loop = async (): Promise<void> => {
        for await (const { type } of other.session) if (type === 'spoken') throw new Error('mine')
      }
      await expect(loop()).rejects.toThrow('mine')
      await thrown
      expectEnded(other)
    }))

  it('[CL1] is not ended by leaving a loop over its events', () =>
    inVirtualTime(async (world) => {
      const { session } = aCall(world)
      await session.start()
      session.say('Hello.')
      for await (const { type } of session.events()) if (type === 'spoken') break
      expect(session.state).toBe('live')
      await session.close()
    }))
})

describe('a healthy close', () => {
  it('[CL12] takes no time and leaves no timer', () =>
    inVirtualTime(async (world) => {
      const call = await aBusyCall(world, { maxDuration: 600_000, idleTimeout: 60_000 })
      const report = await call.session.close({ reason: 'error' })
      expect(report.took).toBe(0)
      expect(call.clockTimers()).toEqual([])
      await call.session.afterCall
      expect(call.clockTimers()).toEqual([])
    }))
})
