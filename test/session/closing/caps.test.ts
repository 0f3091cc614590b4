import { describe, expect, it } from 'vitest'
import { tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../../src/testing/index.ts'
import { aCall, expectEnded, said, type CallOptions } from '../fixture.ts'

const goodbye = { idle: 'Nobody there.', 'max-duration': 'Time is up.', budget: 'That was all.' }

async function aCappedCall(world: World, options: CallOptions) {
  const call = aCall(world, { goodbye, ...options })
  call.session.on('warning', ({ reason, left }) =>
    call.log.push(`warning: ${reason} ${Number(left.toFixed(2))}`),
  )
  call.session.on('closed', () => call.log.push(`after ${Math.round(world.clock.now() / 100) / 10} s`))
  await call.session.start()
  return call
}

const talk = { type: 'usage' as const, usage: { inputTokens: 30, outputTokens: 10 } }

describe('a session with a cap', () => {
  it('[CL14] warns when the user is idle, then says goodbye and closes', () =>
    inVirtualTime(async (world) => {
      const call = await aCappedCall(world, { idleTimeout: 100_000 })
      await call.session.afterCall
      expect(call.log).toEqual([
        'warning: idle 30000',
        'agent played: Nobody there.',
        'closed: idle',
        'after 100.7 s',
      ])
      expect(expectEnded(call)).toMatchObject({ reason: 'idle', by: 'cap', clean: true })
    }))

  it('[CL14] stays live while the user speaks, types or presses a key', () =>
    inVirtualTime(async (world) => {
      for (const act of ['says', 'types', 'presses'] as const) {
        const call = await aCappedCall(world, { idleTimeout: 20_000, answers: ['Yes.'] })
        await world.clock.elapse(19_000)
        await call.caller[act]('1')
        await world.clock.elapse(2_000)
        expect(call.session.state, act).toBe('live')
        await call.session.close()
      }
    }))

  it('[CL14] warns again after the user was active', () =>
    inVirtualTime(async (world) => {
      const call = await aCappedCall(world, { idleTimeout: 20_000, answers: ['Yes.'] })
      await world.clock.elapse(15_000)
      call.caller.types('Still here.')
      await call.session.afterCall
      expect(call.log).toEqual([
        'warning: idle 10000',
        'user: Still here.',
        'agent played: Yes.',
        'warning: idle 10000',
        'agent played: Nobody there.',
        'closed: idle',
        'after 35.9 s',
      ])
    }))

  it('[CL14] is not kept alive by its own question whether the user is there', () =>
    inVirtualTime(async (world) => {
      const call = await aCappedCall(world, { idleTimeout: 20_000 })
      call.session.on('warning', () => call.session.say('Are you there?'))
      await call.session.afterCall
      expect(call.log).toEqual([
        'warning: idle 10000',
        'agent played: Are you there?',
        'agent played: Nobody there.',
        'closed: idle',
        'after 20.7 s',
      ])
    }))

  it('[CL14] warns before maxDuration, and says goodbye after the answer in progress', () =>
    inVirtualTime(async (world) => {
      const call = await aCappedCall(world, {
        maxDuration: 60_000,
        answers: ['I was just about to tell you.'],
      })
      await world.clock.elapse(59_500)
      call.caller.types('So?')
      await call.session.afterCall
      expect(call.log).toEqual([
        'warning: max-duration 30000',
        'user: So?',
        'agent played: I was just about to tell you.',
        'agent played: Time is up.',
        'closed: max-duration',
        'after 61.5 s',
      ])
      expectEnded(call)
    }))

  it('[CL14] warns at 80 % of its token budget, and ends when the budget is spent', () =>
    inVirtualTime(async (world) => {
      const call = await aCappedCall(world, {
        budget: { tokens: 100 },
        answers: (['One.', 'Two.', 'Three.'] as const).map((text) => [text, talk]),
      })
      for (let turn = 0; turn < 3; turn++) {
        call.caller.types('Go on.')
        await world.clock.elapse(1_000)
      }
      await call.session.afterCall
      expect(call.log).toEqual([
        'user: Go on.',
        'agent played: One.',
        'user: Go on.',
        'warning: budget 0.2',
        'agent played: Two.',
        'user: Go on.',
        'agent played: Three.',
        'agent played: That was all.',
        'closed: budget',
        'after 3 s',
      ])
      expect(expectEnded(call)).toMatchObject({
        reason: 'budget',
        usage: { inputTokens: 90, outputTokens: 30 },
      })
    }))

  it('[CL14] ends after the answer that used up its budget of tool calls', () =>
    inVirtualTime(async (world) => {
      const call = await aCappedCall(world, {
        budget: { toolCalls: 1 },
        answers: [[callTool('look')], 'Found it.'],
        agent: { tools: { look: tool({ description: 'Looks', run: () => 'here' }) } },
      })
      call.caller.types('Look.')
      await call.session.afterCall
      expect(said(call.session)).toEqual([
        'user: Look.',
        'look → here',
        'agent: Found it.',
        'agent: That was all.',
      ])
      expect(expectEnded(call).reason).toBe('budget')
    }))

  it('[CL14] ends after the speech that used up its budget of sound', () =>
    inVirtualTime(async (world) => {
      const call = await aCappedCall(world, { budget: { sound: 500 } })
      call.session.say('This takes about two seconds to say.')
      await call.session.afterCall
      expect(said(call.session)).toEqual([
        'agent: This takes about two seconds to say.',
        'agent: That was all.',
      ])
      expect(expectEnded(call).reason).toBe('budget')
    }))

  it('[CL14] closes without a goodbye if there is none, or the voice fails or stalls', () =>
    inVirtualTime(async (world) => {
      const speechless = await aCappedCall(world, { maxDuration: 1_000, goodbye: {} })
      await speechless.session.afterCall
      expect(speechless.log.slice(-2)).toEqual(['closed: max-duration', 'after 1 s'])
      const failing = await aCappedCall(world, { maxDuration: 1_000, tts: { failAfter: 0 } })
      await failing.session.afterCall
      expect(expectEnded(failing).reason).toBe('max-duration')
      const stalling = await aCappedCall(world, {
        maxDuration: 1_000,
        stallTimeout: 2_000,
        tts: { stallAfter: 0 },
      })
      await stalling.session.afterCall
      expect(expectEnded(stalling)).toMatchObject({
        reason: 'max-duration',
        alsoAsked: [{ by: 'stallTimeout' }],
      })
    }))

  it('[CL14] ignores a cap that is reached during a graceful end', () =>
    inVirtualTime(async (world) => {
      const call = await aCappedCall(world, { maxDuration: 1_000 })
      await world.clock.elapse(500)
      expect(await call.session.hangUp({ say: 'This takes about two seconds to say.' })).toBe('confirmed')
      expect(expectEnded(call).reason).toBe('agent-hung-up')
    }))

  it('[CL14] leaves no timers when it is closed earlier', () =>
    inVirtualTime(async (world) => {
      const call = await aCappedCall(world, { maxDuration: 1_000, idleTimeout: 1_000 })
      await world.clock.elapse(600)
      await call.session.close()
      expect(call.clockTimers()).toEqual([])
      expect(expectEnded(call).clean).toBe(true)
    }))
})
