import { describe, expect, it } from 'vitest'
import { silence, sine } from '../../../src/audio/index.ts'
import type { AnswerVerdict } from '../../../src/parts/index.ts'
import type { HookContext } from '../../../src/session/index.ts'
import { ScriptedLlm, inVirtualTime, type World } from '../../../src/testing/index.ts'
import { aCall, expectEnded, said, type Call, type CallOptions } from '../fixture.ts'

type Answered = Awaited<ReturnType<HookContext['session']['answeredBy']>>
type Options = Parameters<HookContext['session']['answeredBy']>[0]

interface Asking extends Call {
  readonly answered: Promise<Answered>
  /** The carrier says who answered. */
  readonly carrier: (verdict: AnswerVerdict) => void
  readonly events: unknown[]
}

/** A call whose agent wants to know who answered, in its enter hook. */
async function asking(world: World, options: Options = {}, more: CallOptions = {}): Promise<Asking> {
  let carrier: ((verdict: AnswerVerdict) => void) | undefined
  let resolve: (answered: Answered) => void = () => {}
  const answered = new Promise<Answered>((settle) => {
    resolve = settle
  })
  const call = aCall(world, {
    answers: ['Hello, this is Bright Dental.', 'Fine.'],
    agent: { onEnter: async ({ session }) => resolve(await session.answeredBy(options)) },
    line: {
      streams: true,
      onVerdict: (listener) => {
        carrier = listener
      },
    },
    ...more,
  })
  const events: unknown[] = []
  call.session.on('answered', (event) => events.push(event))
  await call.session.start()
  return { ...call, answered, events, carrier: (verdict) => carrier?.(verdict) }
}

const beep = [sine(1_000, { sampleRate: 16_000, duration: 400 }), silence(200, 16_000)]

describe('who answered', () => {
  it('[MD1] is a person after a short greeting, which becomes the first turn', () =>
    inVirtualTime(async (world) => {
      const call = await asking(world)
      await world.clock.elapse(1_000)
      await call.caller.says('Hello?')
      expect(await call.answered).toMatchObject({ by: 'person', how: 'greeting' })
      await call.caller.hears('this is Bright Dental.')
      await world.clock.elapse(1_000)
      expect(said(call.session)).toEqual(['user: Hello?', 'agent: Hello, this is Bright Dental.'])
      expect(call.events).toEqual([{ by: 'person', how: 'greeting', late: false }])
      await call.session.close()
      const report = expectEnded(call)
      expect(report).toMatchObject({ clean: true, answered: { by: 'person', how: 'greeting', at: 0 } })
      expect(report.answered!.took).toBeGreaterThan(1_500)
    }))

  it('[MD1] is a machine by its words, which are no turn but in the history', () =>
    inVirtualTime(async (world) => {
      const call = await asking(world)
      const greeting = 'You have reached Tom. Please leave a message after the tone.'
      await call.caller.says(greeting)
      const answered = await call.answered
      expect(answered).toMatchObject({ by: 'machine', how: 'words' })
      await world.clock.elapse(10_000)
      expect(said(call.session)).toEqual([expect.stringMatching(/^user: You have reached Tom/)])
      expect(call.llm.requests).toHaveLength(0)
      await call.session.close()
      expect(expectEnded(call)).toMatchObject({ clean: true, answered: { by: 'machine', how: 'words' } })
    }))

  it('[MD1] is a menu whose words become the first turn', () =>
    inVirtualTime(async (world) => {
      const call = await asking(world)
      await call.caller.says('Thank you for calling. For appointments, press 1. For billing, press 2.')
      expect(await call.answered).toMatchObject({ by: 'menu', how: 'words' })
      await call.caller.hears('this is Bright Dental.')
      expect(said(call.session)[0]).toBe(
        'user: Thank you for calling. For appointments, press 1. For billing, press 2.',
      )
      await call.session.close()
    }))

  it('[MD1] is unknown if nothing is said, and the time of the hook does not run meanwhile', () =>
    inVirtualTime(async (world) => {
      const call = await asking(world)
      expect(await call.answered).toMatchObject({ by: 'unknown', how: 'silence', said: '', took: 10_000 })
      await world.clock.elapse(30_000)
      expect(call.errors).toEqual([])
      await call.session.close()
      expect(expectEnded(call).clean).toBe(true)
    }))

  it('[MD1] gives a hook its own time once that is known', () =>
    inVirtualTime(async (world) => {
      let finished = false
      const call = aCall(world, {
        agent: {
          onEnter: async ({ session }) => {
            await session.answeredBy()
            await world.clock.elapse(1_900)
            finished = true
            await world.clock.elapse(10_000)
          },
        },
      })
      await call.session.start()
      await world.clock.elapse(13_000)
      expect(finished).toBe(true)
      expect(call.errors).toEqual([expect.objectContaining({ message: 'took longer than 2000 ms' })])
      await call.session.close()
    }))

  it('[MD1] takes no turn and says nothing until it is known', () =>
    inVirtualTime(async (world) => {
      const call = await asking(world, { pause: 4_000 })
      await call.caller.says('Hello?')
      await world.clock.elapse(3_000)
      expect([call.llm.requests.length, call.line.heardText]).toEqual([0, ''])
      expect((await call.answered).by).toBe('person')
      await call.caller.hears('this is Bright Dental.')
      await call.session.close()
    }))

  it('[MD1] is a machine by its beep, on every line', () =>
    inVirtualTime(async (world) => {
      const call = await asking(world)
      await call.caller.says(beep)
      expect(await call.answered).toMatchObject({ by: 'machine', how: 'tone' })
      await call.session.close()
    }))

  it('[MD2] is judged by a function for a long greeting without known phrases', () =>
    inVirtualTime(async (world) => {
      const heard: string[] = []
      const call = await asking(world, {
        judge: async (greeting) => {
          heard.push(greeting)
          return 'person'
        },
      })
      const greeting = 'Good morning, Bright Dental, this is Anna speaking, how can I help you today?'
      await call.caller.says(greeting)
      expect(await call.answered).toMatchObject({ by: 'person', how: 'judge', said: greeting })
      expect(heard).toEqual([greeting])
      await call.session.close()
    }))

  it('[MD2] is judged by a language model, whose usage counts', () =>
    inVirtualTime(async (world) => {
      const usage = { inputTokens: 50, outputTokens: 1 }
      const judge = new ScriptedLlm({ name: 'judge', answers: [['Person.', { type: 'usage', usage }]] })
      const call = await asking(world, { judge })
      await call.caller.says('Good morning, Bright Dental, this is Anna speaking, how can I help you?')
      expect(await call.answered).toMatchObject({ by: 'person', how: 'judge' })
      expect(judge.requests).toMatchObject([{ messages: [{ role: 'user' }], tools: [] }])
      await call.session.close()
      expect(expectEnded(call)).toMatchObject({
        clean: true,
        usage: { models: { judge: { inputTokens: 50 } } },
      })
      expect(judge.counts.live).toBe(0)
    }))

  it('[MD2] is found out by its length if the judge fails, which is reported', () =>
    inVirtualTime(async (world) => {
      const call = await asking(world, {
        judge: () => {
          throw new Error('no model')
        },
      })
      await call.caller.says('Good morning, Bright Dental, this is Anna speaking, how can I help you?')
      expect(await call.answered).toMatchObject({ by: 'unknown', how: 'greeting' })
      expect(call.log).toContain('error: answeredBy')
      await call.session.close()
    }))

  it('[MD3] is what the carrier says, if that comes first, even before it is asked', () =>
    inVirtualTime(async (world) => {
      const call = await asking(world)
      call.carrier({ by: 'person' })
      expect(await call.answered).toMatchObject({ by: 'person', how: 'carrier' })
      await call.session.close()
      const early = await asking(world, {}, { line: { onVerdict: (listener) => listener({ by: 'fax' }) } })
      expect(await early.answered).toMatchObject({ by: 'fax', how: 'carrier', took: 0 })
      await early.session.close()
    }))

  it('[MD3] is not changed by a later verdict of the carrier, which is an event and in the report', () =>
    inVirtualTime(async (world) => {
      const call = await asking(world)
      await call.caller.says('Hello?')
      expect((await call.answered).by).toBe('person')
      call.carrier({ by: 'machine', ended: 'beep' })
      call.carrier({ by: 'fax' })
      expect(call.events).toEqual([
        { by: 'person', how: 'greeting', late: false },
        { by: 'machine', how: 'carrier', late: true },
      ])
      expect((await call.session.answeredBy()).by).toBe('person')
      await call.session.close()
      call.carrier({ by: 'machine' })
      expect(expectEnded(call)).toMatchObject({
        clean: true,
        answered: { by: 'person', later: { by: 'machine', at: expect.any(Number) } },
      })
    }))

  it('[MD3] ignores a verdict that makes no sense', () =>
    inVirtualTime(async (world) => {
      const call = await asking(world, { silence: 1_000 })
      for (const nonsense of [undefined, null, 7, {}, { by: 'somebody' }, { by: 'unknown' }])
        call.carrier(nonsense as never)
      expect((await call.answered).how).toBe('silence')
      expect(call.errors).toEqual([])
      await call.session.close()
    }))

  it.each([0, 500, 3_000, 9_999, 10_000, 15_000])(
    '[MD1] settles and leaves no timer if the session is closed after %d ms',
    (ms) =>
      inVirtualTime(async (world) => {
        const call = await asking(world)
        await world.clock.elapse(ms)
        await call.session.close()
        const report = expectEnded(call)
        expect(report.clean).toBe(true)
        const { by, how } = await call.answered
        expect([by, how]).toEqual(['unknown', ms < 10_000 ? 'closed' : 'silence'])
        expect(report.answered).toMatchObject({ by, how })
        expect(call.clockTimers()).toEqual([])
        expect((await call.session.answeredBy()).by).toBe('unknown')
      }),
  )

  it('[MD1] settles if the person hangs up meanwhile', () =>
    inVirtualTime(async (world) => {
      const call = await asking(world)
      await call.caller.says('Hel')
      call.caller.hangsUp()
      expect(await call.answered).toMatchObject({ by: 'unknown', how: 'closed' })
      await call.session.closed
      expect(expectEnded(call)).toMatchObject({ clean: true, reason: 'caller-hung-up' })
    }))

  it('[MD1] reports options that make no sense, and does without them', () =>
    inVirtualTime(async (world) => {
      const call = await asking(world, { silence: -1, limit: Number.NaN, patience: 3 } as Options)
      expect(await call.answered).toMatchObject({ how: 'silence', took: 10_000 })
      expect(call.errors.map((error) => (error as Error).message)).toEqual([
        expect.stringContaining("'patience'"),
        'answeredBy: silence must be from 1 to 600000 ms; it is -1',
        'answeredBy: limit must be from 1 to 600000 ms; it is NaN',
      ])
      await call.session.close()
    }))

  it('[MD1] cannot be found out by a session that was never started', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await expect(call.session.answeredBy()).rejects.toThrow('not started')
      await call.session.close()
    }))
})
