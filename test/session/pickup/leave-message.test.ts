import { describe, expect, it } from 'vitest'
import { silence, sine } from '../../../src/audio/index.ts'
import type { AnswerVerdict } from '../../../src/parts/index.ts'
import { tool, type HookContext } from '../../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../../src/testing/index.ts'
import { aCall, aLiveCall, expectEnded, said, type Call, type CallOptions } from '../fixture.ts'

type Outcome = Awaited<ReturnType<HookContext['session']['leaveMessage']>>
type Options = Parameters<HookContext['session']['leaveMessage']>[1]

const text = 'This is Bright Dental. Please call us back.'
const greeting = 'You have reached Tom. Please leave a message after the tone.'
const beep = [sine(1_000, { sampleRate: 16_000, duration: 400 }), silence(300, 16_000)]

interface Leaving extends Call {
  readonly outcome: Promise<Outcome>
  readonly carrier: (verdict: AnswerVerdict) => void
}

/** A call whose agent leaves a message if a machine answers. */
async function leaving(world: World, options: Options = {}, more: CallOptions = {}): Promise<Leaving> {
  let carrier: ((verdict: AnswerVerdict) => void) | undefined
  let resolve: (outcome: Outcome) => void = () => {}
  const outcome = new Promise<Outcome>((settle) => {
    resolve = settle
  })
  const { line, ...rest } = more
  const call = aCall(world, {
    answers: ['Fine.'],
    agent: {
      onEnter: async ({ session }) => {
        const { by } = await session.answeredBy()
        if (by === 'machine') resolve(await session.leaveMessage(text, options))
      },
    },
    line: {
      streams: true,
      onVerdict: (listener) => {
        carrier = listener
      },
      ...line,
    },
    ...rest,
  })
  await call.session.start()
  return { ...call, outcome, carrier: (verdict) => carrier?.(verdict) }
}

describe('leaving a message', () => {
  it('[MD6] [MD7] waits for the beep, says all of it, and hangs up', () =>
    inVirtualTime(async (world) => {
      const call = await leaving(world)
      await call.caller.says(greeting)
      await call.caller.pauses(800)
      expect(call.line.heardText).toBe('')
      const beeped = call.caller.says(beep)
      await beeped
      const began = world.clock.now()
      expect(await call.outcome).toEqual({ heard: true, how: 'played', after: 'beep', attempts: 1 })
      const report = await call.session.closed
      expectEnded(call)
      expect(report).toMatchObject({
        clean: true,
        reason: 'agent-hung-up',
        by: 'leaveMessage',
        answered: { by: 'machine' },
        messages: [{ heard: true, how: 'played', after: 'beep', attempts: 1 }],
      })
      expect(call.line.heardText).toBe(text)
      expect(said(call.session).at(-1)).toBe(`agent: ${text}`)
      // 43 characters of 50 ms.
      expect(world.clock.now() - began).toBeLessThan(2_600)
      expect(call.llm.requests).toHaveLength(0)
    }))

  it('[MD6] begins after the greeting if there is no beep', () =>
    inVirtualTime(async (world) => {
      const call = await leaving(world)
      await call.caller.says(greeting)
      expect(await call.outcome).toMatchObject({ heard: true, after: 'silence', attempts: 1 })
      await call.session.closed
      expect(call.line.heardText).toBe(text)
    }))

  it('[MD6] begins when the carrier has heard the end of the greeting', () =>
    inVirtualTime(async (world) => {
      const call = await leaving(world)
      await call.caller.says('Hello dear friends.')
      call.carrier({ by: 'machine', ended: 'silence' })
      expect(await call.outcome).toMatchObject({ heard: true, after: 'carrier', attempts: 1 })
      await call.session.closed
    }))

  it('[MD6] begins again if the machine goes on talking, and then beeps', () =>
    inVirtualTime(async (world) => {
      const call = await leaving(world)
      await call.caller.says(greeting)
      await call.caller.pauses(2_300)
      await call.caller.hears('This')
      await call.caller.says('When you have finished, just hang up, or press 1.')
      await call.caller.says(beep)
      expect(await call.outcome).toEqual({ heard: true, how: 'played', after: 'beep', attempts: 2 })
      await call.session.closed
      expect(call.line.heardText.endsWith(text)).toBe(true)
      expect(expectEnded(call).clean).toBe(true)
    }))

  it('[MD6] is not interrupted by what the machine says', () =>
    inVirtualTime(async (world) => {
      const call = await leaving(world)
      await call.caller.says(beep)
      await call.caller.hears('This')
      expect(() => call.session.interrupt()).toThrow('uninterruptible')
      await call.caller.says('Yes')
      expect(await call.outcome).toMatchObject({ heard: true, attempts: 1 })
      await call.session.closed
      expect(call.line.heardText).toBe(text)
    }))

  it('[MD7] is not heard if the line does not confirm it', () =>
    inVirtualTime(async (world) => {
      const call = await leaving(world, {}, { line: { confirms: false } })
      await call.caller.says(beep)
      expect(await call.outcome).toMatchObject({ heard: false, how: 'played' })
      const report = await call.session.closed
      expect(report.messages).toMatchObject([{ heard: false, how: 'played' }])
    }))

  it('[MD6] goes on with the conversation, if told to', () =>
    inVirtualTime(async (world) => {
      const call = await leaving(world, { hangUp: false })
      await call.caller.says(beep)
      expect(await call.outcome).toMatchObject({ heard: true })
      await world.clock.elapse(5_000)
      expect(call.session.state).toBe('live')
      await call.caller.says('I am here after all.')
      await call.caller.hears('Fine.')
      await call.session.close()
      expect(expectEnded(call).clean).toBe(true)
    }))

  it.each([0, 1_000, 3_000, 3_500, 4_000, 5_000, 6_000])(
    '[MD6] settles and leaves nothing behind if the session is closed %d ms after the greeting began',
    (ms) =>
      inVirtualTime(async (world) => {
        const call = await leaving(world)
        call.caller.says(greeting).catch(() => {})
        call.caller.says(beep).catch(() => {})
        await world.clock.elapse(ms)
        await call.session.close()
        const report = expectEnded(call)
        expect(report.clean).toBe(true)
        if (report.messages) {
          const { heard } = await call.outcome
          expect(heard).toBe(call.line.heardText === text)
          expect(report.messages).toMatchObject([{ heard }])
        }
        expect(call.clockTimers()).toEqual([])
      }),
  )

  it.each([2_000, 4_000, 5_000])('[MD6] settles if the machine hangs up after %d ms', (ms) =>
    inVirtualTime(async (world) => {
      const call = await leaving(world)
      call.caller.says(greeting).catch(() => {})
      call.caller.says(beep).catch(() => {})
      await world.clock.elapse(ms)
      call.caller.hangsUp()
      const report = await call.session.closed
      expectEnded(call)
      expect(report).toMatchObject({ clean: true, reason: 'caller-hung-up' })
      if (report.messages) expect(await call.outcome).toMatchObject({ heard: false })
    }),
  )

  it('[MD6] can be done by a tool, such as when the model notices the machine', () =>
    inVirtualTime(async (world) => {
      const outcomes: Outcome[] = []
      const leave = tool({
        description: 'Leave a message',
        timeout: 1_000,
        run: async (_, { leaveMessage }) => {
          outcomes.push(await leaveMessage(text))
          return 'left'
        },
      })
      const call = await aLiveCall(world, {
        agent: { tools: { leave } },
        answers: [[callTool('leave')]],
        line: { streams: true },
      })
      await call.caller.says('At the beep.')
      const report = await call.session.closed
      expect(outcomes).toMatchObject([{ heard: true, after: 'silence' }])
      expect(report).toMatchObject({ reason: 'agent-hung-up', clean: true })
      expect(said(call.session)).toContain('leave → hung up')
      expectEnded(call)
    }))

  it('[MD6] waits for a message that is being left before it leaves another', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { line: { streams: true } })
      const first = call.session.leaveMessage('First.', { hangUp: false })
      const second = call.session.leaveMessage('Second.', { hangUp: false })
      expect(await first).toMatchObject({ heard: true })
      expect(call.line.heardText).toBe('First.')
      expect(await second).toMatchObject({ heard: true })
      const report = await call.session.close()
      expect(report.messages).toHaveLength(2)
      expect(await call.session.leaveMessage('Third.')).toMatchObject({
        heard: false,
        how: 'failed',
        attempts: 0,
      })
    }))
})
