import { describe, expect, it } from 'vitest'
import { ProviderError } from '../../../src/providers/errors.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aLiveCall, expectEnded } from '../fixture.ts'

const again = 'Sorry, something went wrong. Could you say that again?'
const end = 'Sorry, I cannot help you right now. Please call again later.'

describe('a model that never answers', () => {
  it('[FA1] fails after answerTimeout, and is named', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { answers: [[{ stall: true }]], answerTimeout: 4_000 })
      const reply = call.session.reply()
      const { how, error } = await reply.finished
      expect({ how, at: world.clock.now() }).toEqual({ how: 'failed', at: 4_000 })
      expect(error).toMatchObject({ code: 'ANSWER_TIMEOUT', message: expect.stringContaining('llm') })
      const report = await call.session.close()
      expect(report.errors).toMatchObject([{ where: 'llm', at: 4_000, error: { code: 'ANSWER_TIMEOUT' } }])
      expectEnded(call)
    }))

  it('[FA1] fails even if it ignores its signal, or stops in the middle of its answer', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, {
        answers: [['One, ', { wait: 9_000 }, 'two, ', { stall: true }]],
        llm: { ignoresSignal: true },
        stallTimeout: 60_000,
      })
      const { how } = await call.session.reply().finished
      expect({ how, at: world.clock.now() }).toEqual({ how: 'failed', at: 19_100 })
      expect(call.line.heardText).toBe('One,')
      // It still holds its connection, so the close is not clean.
      const { scope } = await call.session.close()
      expect(scope.clean).toBe(false)
      expect(scope.problems).toMatchObject([
        { where: "task 'answer of the llm' of 'session test'", error: { code: 'STILL_RUNNING' } },
      ])
      expectEnded(call)
    }))

  it('[FA1] is not one that calls a tool which takes longer', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { answers: ['Hello.'], answerTimeout: 1_000 })
      await call.session.reply().waitForPlayout()
      await world.clock.elapse(60_000)
      expect(call.log).toEqual(['agent played: Hello.'])
      await call.session.close()
    }))
})

describe('a model that fails before it says anything', () => {
  it('[FA1] is asked once more', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { answers: [[{ fail: new Error('reset') }], 'Hello.'] })
      call.caller.types('Hi')
      await call.caller.hears('Hello.')
      await world.clock.elapse(10)
      expect(call.llm.requests).toHaveLength(2)
      expect(call.log).toEqual(['user: Hi', 'error: llm', 'agent played: Hello.'])
      await call.session.close()
    }))

  it('[FA1] is not asked again if that is pointless, and has no more time than the first attempt', () =>
    inVirtualTime(async (world) => {
      const unknown = new ProviderError('openai', 'no such model', { status: 404 })
      const call = await aLiveCall(world, { answers: [[{ fail: unknown }], 'Not heard.'] })
      expect(await call.session.reply().finished).toEqual({ how: 'failed', error: unknown })
      expect(call.llm.requests).toHaveLength(1)
      await call.session.close()
      const slow = await aLiveCall(world, {
        answers: [[{ wait: 6_000 }, { fail: new Error('reset') }], [{ stall: true }]],
      })
      const begun = world.clock.now()
      expect(await slow.session.reply().finished).toMatchObject({ error: { code: 'ANSWER_TIMEOUT' } })
      expect(world.clock.now() - begun).toBe(10_000)
      await slow.session.close()
    }))
})

describe('an answer that fails', () => {
  it('[FA2] is followed by an apology, and the caller can say it again', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, {
        answers: [['Let me ', { fail: new Error('reset') }], 'At eight.'],
      })
      call.caller.types('When do you open?')
      await call.caller.hears(again)
      call.caller.types('When do you open?')
      await call.caller.hears('At eight.')
      await call.session.close()
      expectEnded(call)
    }))

  it('[FA2] is followed by the apology of the options, or by none', () =>
    inVirtualTime(async (world) => {
      const answers = [['Well ', { fail: new Error('reset') }]] as const
      const call = await aLiveCall(world, { answers, apology: { again: 'Pardon?' } })
      call.caller.types('Hello')
      await call.caller.hears('Pardon?')
      await call.session.close()
      const quiet = await aLiveCall(world, { answers, apology: { again: '' } })
      quiet.caller.types('Hello')
      await world.clock.elapse(5_000)
      expect(quiet.line.heardText).not.toContain('Sorry')
      await quiet.session.close()
    }))

  it('[FA2] ends the session, with an apology and the error in the report, if it is the third in a row', () =>
    inVirtualTime(async (world) => {
      const unknown = new ProviderError('openai', 'no such model', { status: 404 })
      const call = await aLiveCall(world, { llm: { answers: () => [{ fail: unknown }] } })
      for (const text of ['One', 'Two', 'Three']) {
        call.caller.types(text)
        await world.clock.elapse(5_000)
      }
      const report = await call.session.closed
      expect(call.line.heardText).toContain(end)
      expect(report).toMatchObject({
        reason: 'error',
        ended: 'failed',
        by: 'llm',
        clean: false,
        errorCount: 3,
        error: { code: 'PROVIDER_FAILED', message: unknown.message },
      })
      expect(report.errors.map(({ where }) => where)).toEqual(['llm', 'llm', 'llm'])
      expectEnded(call)
    }))

  it('[FA2] does not end the session if answers in between succeed', () =>
    inVirtualTime(async (world) => {
      const fail = [{ fail: new ProviderError('openai', 'no', { status: 404 }) }]
      const call = await aLiveCall(world, { answers: [fail, fail, 'Yes.', fail, fail, 'Yes.'] })
      for (let turn = 0; turn < 6; turn++) {
        call.caller.types('Hello')
        await world.clock.elapse(5_000)
      }
      expect(call.session.state).toBe('live')
      await call.session.close()
    }))
})

describe('a goodbye', () => {
  it.each([
    [
      'requested',
      (call: Awaited<ReturnType<typeof aLiveCall>>) => void call.session.hangUp({ say: 'Goodbye!' }),
    ],
    ['of a cap', () => {}],
  ])('[FA4] %s is heard although the model is stuck', (_, hangUp) =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, {
        answers: [[{ stall: true }]],
        llm: { ignoresSignal: true },
        answerTimeout: 600_000,
        maxDuration: 20_000,
        goodbye: { 'max-duration': 'Goodbye!' },
      })
      call.caller.types('Hello?')
      await world.clock.elapse(1_000)
      hangUp(call)
      await call.session.closed
      expect(call.line.heardText).toBe('Goodbye!')
      expect(world.clock.now()).toBeLessThan(35_000)
      expectEnded(call)
    }),
  )
})
