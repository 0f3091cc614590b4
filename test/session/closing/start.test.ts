import { describe, expect, it } from 'vitest'
import { SessionClosedError } from '../../../src/session/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, expectEnded, never } from '../fixture.ts'

describe('the start of a session', () => {
  it.each(['line', 'stt', 'tts', 'llm'] as const)(
    '[CL8] is cancelled by closing while the %s opens',
    (part) =>
      inVirtualTime(async (world) => {
        const call = aCall(world, { [part]: { openHangs: true } })
        const starting = call.session.start()
        await world.clock.elapse(100)
        const report = await call.session.close()
        await expect(starting).rejects.toThrow(SessionClosedError)
        expect(expectEnded(call)).toBe(report)
        expect(report.startedAt).toBeDefined()
      }),
  )

  it('[CL8] aborts a part that opens after the close', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { openTakes: 1_000 }, closeTimeout: 200 })
      call.faults.set('open:stt', 'ignore-signal')
      call.session.start().catch(() => {})
      await world.clock.elapse(100)
      await call.session.close()
      await world.clock.elapse(5_000)
      expect(call.stt.counts).toMatchObject({ opened: 1, aborted: 1, live: 0 })
      expectEnded(call)
    }))

  it('[CL8] causes no unhandled rejection when the session is closed and its promise is dropped', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { line: { openHangs: true } })
      const { session } = call
      // Deliberately without a catch: `inVirtualTime` fails on an unhandled rejection.
      const started = [session.start()]
      await world.clock.elapse(10)
      await session.close()
      started.push(session.start())
      await world.clock.elapse(10)
      expect(started).toHaveLength(2)
      expectEnded(call)
    }))

  it('[CL8] is rejected if the caller hangs up while the models open', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { llm: { openTakes: 2_000 } })
      const starting = call.session.start()
      await world.clock.elapse(100)
      call.caller.hangsUp()
      await expect(starting).rejects.toMatchObject({ code: 'SESSION_CLOSED' })
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({ reason: 'caller-hung-up' })
    }))

  it('[CL8] is rejected, without a greeting, if a listener of the first events closes the session', () =>
    inVirtualTime(async (world) => {
      for (const type of ['state', 'started'] as const) {
        const greeted: string[] = []
        const call = aCall(world, { maxDuration: 60_000, agent: { onEnter: () => greeted.push(type) } })
        call.session.on(type, () => call.session.close().catch(() => {}))
        await expect(call.session.start()).rejects.toThrow(SessionClosedError)
        await call.session.afterCall
        expect(expectEnded(call).clean).toBe(true)
        expect(greeted).toEqual([])
      }
    }))

  it('[CL8] fails with the error of a part that cannot be opened, and releases the others', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { openTakes: 100, openFails: new Error('401') } })
      await expect(call.session.start()).rejects.toThrow('401')
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({
        reason: 'start-failed',
        clean: false,
        error: { message: '401' },
      })
      expect(call.line.counts).toMatchObject({ opened: 1, live: 0 })
    }))

  it('[CL8] causes no unhandled rejection if one part throws synchronously and another rejects', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      call.line.open = async () => {
        await world.clock.elapse(10)
        throw new Error('no line')
      }
      call.llm.open = () => {
        throw new Error('no key')
      }
      await expect(call.session.start()).rejects.toThrow('no key')
      await call.session.afterCall
      await world.clock.elapse(100)
      expectEnded(call)
    }))

  it('[CL8] fails if a model fails while others open', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { llm: { openTakes: 2_000 } })
      const starting = call.session.start()
      await world.clock.elapse(100)
      call.stt.fail(new Error('connection lost'))
      await expect(starting).rejects.toThrow(SessionClosedError)
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({
        reason: 'start-failed',
        error: { message: 'connection lost' },
      })
    }))

  it('[CL8] can be closed although a toolset never opens', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { agent: { toolsets: [{ name: 'mcp', open: never }] } })
      const starting = call.session.start()
      await world.clock.elapse(100)
      await call.session.close()
      await expect(starting).rejects.toThrow(SessionClosedError)
      expectEnded(call)
    }))

  it('[CL8] is rejected if the session is closed', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.close()
      await expect(call.session.start()).rejects.toThrow('the session is closed')
      expect(call.line.counts.asked).toBe(0)
    }))

  it.each(['line', 'stt', 'llm', 'tts'])('[CL8] fails after startTimeout if a %s never opens', (part) =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { startTimeout: 4_000, [part]: { openHangs: true } })
      await expect(call.session.start()).rejects.toMatchObject({ code: 'START_TIMEOUT' })
      expect(world.clock.now()).toBe(4_000)
      await world.clock.elapse(6_000)
      expect(call.reports).toMatchObject([{ reason: 'start-failed', error: { code: 'START_TIMEOUT' } }])
    }),
  )
})
